/** Questions at the terminal, asked on standard error. */
import type * as Prompts from '@inquirer/prompts';
import { cancelledError, UsageError } from '../core/errors.js';
import type { CommandContext } from './command-context.js';
import { glyphsFor } from './output/glyphs.js';
import { rawStream } from './output/safe-stream.js';

export type PromptContext = Pick<CommandContext, 'stdin' | 'stderr' | 'signal' | 'env'>;

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

interface TextQuestion {
  readonly message: string;
  readonly default?: string | undefined;
  /** True, or what is wrong with the text. */
  readonly validate?: (text: string) => true | string;
  /** What is typed is not shown. */
  readonly isSecret?: boolean;
  /** Where it is typed, if not on standard input. */
  readonly input?: NodeJS.ReadableStream;
}

/** Asks for a text. Each question throws the `interrupted` error if the user cancels it with Ctrl-C or Esc. */
export function askText(
  context: PromptContext,
  { isSecret = false, input, ...config }: TextQuestion,
): Promise<string> {
  return prompt(
    context,
    (prompts, streams) =>
      isSecret
        ? prompts.password({ ...config, theme: themeFor(context) }, streams)
        : prompts.input({ ...config, theme: themeFor(context) }, streams),
    input,
  );
}

/** A menu shows no more rows at once. */
export const MAX_MENU_ROWS = 7;

interface Choice<Value> {
  readonly name: string;
  /** Shown below the menu while the choice is selected. */
  readonly description?: string;
  /** Shown once it is chosen, in place of the name. */
  readonly short?: string;
  readonly value: Value;
}

/** Asks for one of the choices in a menu. */
export function choose<Value>(
  context: PromptContext,
  message: string,
  choices: readonly Choice<Value>[],
  preselected?: Value,
): Promise<Value> {
  // Without it, a choice of the value undefined would be preselected.
  const start = preselected === undefined ? {} : { default: preselected };
  const config = {
    message,
    choices,
    pageSize: MAX_MENU_ROWS,
    loop: false,
    theme: menuThemeFor(context),
    ...start,
  };
  return prompt(context, ({ select }, streams) => select<Value>(config, streams));
}

/** Asks for yes or no. */
export function askYes(
  context: PromptContext,
  message: string,
  byDefault = true,
): Promise<boolean> {
  const config = { message, default: byDefault, theme: themeFor(context) };
  return prompt(context, (prompts, streams) => prompts.confirm(config, streams));
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
  return askYes(context, message, false);
}

/** ASCII where the bars are: the library looks at the terminal only, not at the locale. */
function themeFor({ env }: PromptContext) {
  return glyphsFor(env).isUnicode ? {} : { prefix: { idle: '?', done: '-' } };
}

const ASCII_KEYS: Readonly<Record<string, string>> = { '↑↓': 'arrows', '⏎': 'enter' };

function menuThemeFor(context: PromptContext) {
  if (glyphsFor(context.env).isUnicode) return {};
  const keysHelpTip = (keys: [key: string, action: string][]) =>
    keys.map(([key, action]) => `${ASCII_KEYS[key] ?? key} ${action}`).join(', ');
  return { ...themeFor(context), icon: { cursor: '>' }, style: { keysHelpTip } };
}

type PromptFunctions = Pick<typeof Prompts, 'confirm' | 'input' | 'password' | 'select'>;

interface PromptStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

async function prompt<Answer>(
  { stdin, stderr, signal }: PromptContext,
  ask: (prompts: PromptFunctions, streams: PromptStreams) => Promise<Answer>,
  input: NodeJS.ReadableStream = stdin,
): Promise<Answer> {
  // They are named, since only what is named is bundled.
  const { confirm, input: text, password, select } = await import('@inquirer/prompts');
  const escape = new AbortController();
  const onKey = (_text: string | undefined, key: { readonly name?: string } | undefined): void => {
    if (key?.name === 'escape') escape.abort();
  };
  // After Ctrl-Z and fg, readline pauses its input for its user to resume.
  const onContinue = (): void => {
    setImmediate(() => input.resume());
  };
  input.on('keypress', onKey);
  process.on('SIGCONT', onContinue);
  try {
    const anySignal = AbortSignal.any([signal, escape.signal]);
    const prompts = { confirm, input: text, password, select };
    return await ask(prompts, { input, output: rawStream(stderr), signal: anySignal });
  } catch (error) {
    signal.throwIfAborted();
    const isCtrlC = error instanceof Error && error.name === 'ExitPromptError';
    throw isCtrlC || escape.signal.aborted ? cancelledError() : error;
  } finally {
    input.off('keypress', onKey);
    process.off('SIGCONT', onContinue);
  }
}
