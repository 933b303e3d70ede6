/** Runs one command line in this process: signals in, exit code out. */
import { spawn } from 'node:child_process';
import { systemKeychains } from '../service/keychain.js';
import { redactorFor } from '../config/environment.js';
import { pathsFrom } from '../config/paths.js';
import { sharedSignal } from '../core/abort.js';
import { systemClock } from '../core/clock.js';
import { interruptedError, RunError } from '../core/errors.js';
import { EXIT, type ExitCode } from '../core/exit-codes.js';
import { Redactor } from '../core/redactor.js';
import { toStorageError, toTankobonError } from '../core/system-errors.js';
import type { BareCommandContext } from './command-context.js';
import { closeLostTerminalsAtExit, ignoresHangup, readProcessState } from './hangup.js';
import { applyColorOption, usesColors } from './output/colors.js';
import { errorMessage, writeError, warnTo } from './output/error-message.js';
import { supportsLinks } from './output/hyperlinks.js';
import { safeStream } from './output/safe-stream.js';

/** Not printed: the reader of a pipe has all that it wants, as with other programs. */
const OUTPUT_CLOSED = new RunError('interrupted', 'The output was closed.');
/** Exits this long after the command has ended, even if something such as a dead connection is still open. */
const MAX_LINGER_MS = 1_000;

export async function runProcess(args: readonly string[]): Promise<void> {
  applyColorOption(args, process.env);
  const redactor = redactorFor(process.env);
  const stderr = safeStream(process.stderr, {
    colors: usesColors(process.env, process.stderr),
    links: supportsLinks(process.env, process.stderr),
  });
  process.on('uncaughtException', (error) => {
    writeError(error, { env: process.env, redactor, stderr });
    exitNow(toTankobonError(error).exitCode);
  });
  const abort = new AbortController();
  const outlivesTerminal = ignoresHangup(readProcessState());
  closeLostTerminalsAtExit();
  abortOnSignals(abort, outlivesTerminal);
  abortOnClosedOutput(abort, outlivesTerminal);
  const { env } = process;
  const code = await runArgs(args, {
    env,
    // Opened on first use: most commands do not read it.
    get stdin() {
      return process.stdin;
    },
    stdout: safeStream(process.stdout, { links: supportsLinks(process.env, process.stdout) }),
    stderr,
    clock: systemClock,
    signal: sharedSignal(abort.signal),
    // Found on first use: help works without a home folder.
    get paths() {
      return pathsFrom(env);
    },
    redactor,
    openKeychain: systemKeychains(systemClock, warnTo(stderr)),
  });
  process.exitCode = code;
  setTimeout(() => exitNow(code), MAX_LINGER_MS).unref();
}

/** Runs one command line with injected streams, environment and clock. An error goes to `context.stderr`. */
export async function runArgs(
  args: readonly string[],
  context: BareCommandContext,
): Promise<ExitCode> {
  try {
    const { runProgram } = await import('./program.js');
    return await runProgram(args, context);
  } catch (error) {
    if (error !== OUTPUT_CLOSED) writeError(error, context);
    return toTankobonError(error).exitCode;
  }
}

/**
 * The first Ctrl-C aborts the command, the second ends the process within two seconds. A second hangup does not: the kernel and the shell
 * may each send one.
 */
function abortOnSignals(abort: AbortController, outlivesTerminal: boolean): void {
  const stop = () => {
    if (abort.signal.aborted) exitNow(EXIT.interrupted);
    abort.abort(interruptedError());
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('SIGHUP', () => {
    if (!outlivesTerminal) abort.abort(interruptedError());
  });
}

/**
 * Aborts if the reader of a pipe is gone (EPIPE, as after `tankobon … | head`) or the terminal is closed (EIO). Any
 * other write error, such as a full disk, ends the process.
 */
function abortOnClosedOutput(abort: AbortController, outlivesTerminal: boolean): void {
  for (const stream of [process.stdout, process.stderr]) {
    const isTerminal = stream.isTTY;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      const isHangup = error.code === 'EIO' && isTerminal;
      if (isHangup || error.code === 'EPIPE') {
        if (!isHangup || !outlivesTerminal) abort.abort(OUTPUT_CLOSED);
        return;
      }
      exitForOutput(stream, error);
    });
  }
}

/** Ends the process because a standard stream cannot be written; says so if it is not standard error. */
export function exitForOutput(stream: NodeJS.WriteStream, cause: NodeJS.ErrnoException): never {
  const error = toTankobonError(toStorageError(cause, 'standard output'));
  const context = { env: process.env, redactor: new Redactor() };
  if (stream === process.stdout) process.stderr.write(errorMessage(error, context));
  process.exit(error.exitCode);
}

/**
 * Exits, or dies by SIGINT a second later: Node waits for threads that are blocked in the system, as by a hung network
 * drive or a name server that does not respond. Windows has no such signals.
 */
function exitNow(code: ExitCode): never {
  if (process.platform !== 'win32') {
    process.removeAllListeners('SIGINT');
    const script = 'sleep 1; kill -INT "$0" && sleep 0.5 && kill -KILL "$0"';
    const killer = spawn('sh', ['-c', script, String(process.pid)], {
      detached: true,
      stdio: 'ignore',
    });
    killer.on('error', () => undefined);
  }
  process.exit(code);
}
