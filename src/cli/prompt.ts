/** Questions at the terminal, asked on standard error. */
import { cancelledError, UsageError } from '../core/errors.js';
import type { CommandContext } from './command-context.js';
import { rawStream } from './output/safe-stream.js';

export type PromptContext = Pick<CommandContext, 'stdin' | 'stderr' | 'signal'>;

/** Whether a person can answer: no stream is redirected. Stdin is checked last, since opening it takes 1 ms. */
export function canAsk(context: CommandContext): boolean {
  const { stdout, stderr } = context;
  return stdout.isTTY && stderr.isTTY && context.stdin.isTTY;
}

/** Before and after the text of a choice. */
const CHOICE_MARGIN = 4;

/** The space for the text of a choice, which must fit on one line: menus are a few lines high. */
export function choiceColumns({ stderr }: Pick<CommandContext, 'stderr'>): number {
  return (stderr.columns || 80) - CHOICE_MARGIN;
}

/** What a prompt of @inquirer/prompts takes as its context. */
interface PromptStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/** Asks a question. Throws the `interrupted` error if the user cancels it with Ctrl-C or Esc. */
export async function prompt<Answer>(
  { stdin, stderr, signal }: PromptContext,
  ask: (streams: PromptStreams) => Promise<Answer>,
  input: NodeJS.ReadableStream = stdin,
): Promise<Answer> {
  const escape = new AbortController();
  const onKey = (_text: string | undefined, key: { readonly name?: string } | undefined): void => {
    if (key?.name === 'escape') escape.abort();
  };
  input.on('keypress', onKey);
  try {
    const anySignal = AbortSignal.any([signal, escape.signal]);
    return await ask({ input, output: rawStream(stderr), signal: anySignal });
  } catch (error) {
    signal.throwIfAborted();
    const isCtrlC = error instanceof Error && error.name === 'ExitPromptError';
    throw isCtrlC || escape.signal.aborted ? cancelledError() : error;
  } finally {
    input.off('keypress', onKey);
  }
}

/** Asks for a yes; no is the default. Throws UsageError('bad-option') with this hint if there is no terminal. */
export async function confirm(
  context: PromptContext,
  message: string,
  hint: string,
): Promise<boolean> {
  if (!context.stdin.isTTY) {
    throw new UsageError('bad-option', 'Confirmation required: standard input is not a terminal.', {
      hint,
    });
  }
  const { confirm: ask } = await import('@inquirer/prompts');
  return prompt(context, (streams) => ask({ message, default: false }, streams));
}
