/** One run of the process: signals in, exit code out, and never a stack trace for a user. */
import { EXIT, type ExitCode } from '../core/exit-codes.js';
import { interruption } from '../core/errors.js';
import { systemClock } from '../core/clock.js';
import { closeLostTerminalsAtExit, ignoresHangup, viewProcess } from './hangup.js';
import { errorMessage, exitCodeOf } from './output/error-message.js';
import { redactorFor, type Redactor } from '../core/redactor.js';
import { safeStream } from './output/safe-stream.js';
import type { BareCommandContext, CommandContext } from './command-context.js';

/** A process that has nothing left to do but is held up (a dead connection, say) ends after this long all the same. */
const LINGER_MS = 1_000;

export async function runProcess(words: readonly string[]): Promise<void> {
  const redactor = redactorFor(process.env);
  const stderr = safeStream(process.stderr, redactor);
  process.on('uncaughtException', (error) => {
    stderr.write(errorMessage(error, process.env));
    process.exit(EXIT.fault);
  });
  const stopping = new AbortController();
  const outlivesTerminal = ignoresHangup(viewProcess());
  closeLostTerminalsAtExit();
  stopOnSignals(stopping, outlivesTerminal);
  stopOnClosedOutput(stopping, outlivesTerminal);
  const code = await runWords(words, stopping.signal, redactor);
  process.exitCode = code;
  setTimeout(() => process.exit(code), LINGER_MS).unref();
}

async function runWords(
  words: readonly string[],
  signal: AbortSignal,
  redactor: Redactor,
): Promise<ExitCode> {
  const stdout = safeStream(process.stdout, redactor);
  const stderr = safeStream(process.stderr, redactor);
  try {
    const { runProgram } = await import('./program.js');
    const { pathsFrom: foldersFrom } = await import('../app/paths.js');
    const { env } = process;
    const bare = (): BareCommandContext => ({
      env,
      // Opened when somebody asks for it; hardly a command does.
      get stdin() {
        return process.stdin;
      },
      stdout,
      stderr,
      clock: systemClock,
      signal,
      // Looked for when a command asks for them: help needs none, and works where there is no home folder.
      get paths() {
        return foldersFrom(env);
      },
      redactor,
    });
    return await runProgram(words, { bare, run: () => withSettings(bare()) });
  } catch (error) {
    stderr.write(errorMessage(error, process.env));
    return exitCodeOf(error);
  }
}

async function withSettings(bare: BareCommandContext): Promise<CommandContext> {
  const { loadSettings } = await import('../app/settings.js');
  const { settings } = await loadSettings(bare.env, bare.paths.config);
  return Object.assign(bare, { settings });
}

/**
 * The first Ctrl-C asks for an orderly stop; the second ends the process there and then. A hangup never does the
 * latter: the kernel and the shell may each send one.
 */
function stopOnSignals(stopping: AbortController, outlivesTerminal: boolean): void {
  const stop = () => {
    if (stopping.signal.aborted) process.exit(EXIT.interrupted);
    stopping.abort(interruption());
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('SIGHUP', () => {
    if (!outlivesTerminal) stopping.abort(interruption());
  });
}

/**
 * `tankobon … | head` closes our standard output: nobody reads on, so the run stops as after Ctrl-C. So it does when
 * the terminal is closed (EIO). A disk that takes no more output is a fault like any other, told in a sentence.
 */
function stopOnClosedOutput(stopping: AbortController, outlivesTerminal: boolean): void {
  for (const stream of [process.stdout, process.stderr]) {
    const isTerminal = stream.isTTY;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EIO' && isTerminal) {
        if (!outlivesTerminal) stopping.abort(interruption());
        return;
      }
      if (error.code === 'EPIPE') {
        stopping.abort(interruption());
        return;
      }
      if (stream === process.stdout) process.stderr.write(errorMessage(error, process.env));
      process.exit(EXIT.fault);
    });
  }
}
