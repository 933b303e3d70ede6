/**
 * Runs the user's command for a series with new chapters (`--exec`, and the hook `exec` of sync): without a shell, JSON
 * on standard input, within a time limit.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { isSystemError, systemReason } from '../core/system-errors.js';
import type { AppContext } from '../config/context.js';
import { VARIABLES_KEPT_FROM_HOOKS } from '../config/environment.js';
import { isUrl } from '../config/paths.js';
import { raceWithSignal } from '../core/abort.js';
import { withoutUserInfo } from '../core/web-address.js';

const EXEC_TIME_LIMIT_MS = 60_000;
const MAX_MESSAGE_LENGTH = 400;
const isWindows = process.platform === 'win32';

export class HookTimeout extends Error {
  constructor(timeLimitMs: number) {
    super(`it did not end within ${Math.round(timeLimitMs / 1_000)} s and was killed`);
  }
}

/**
 * Resolves when the command has ended with exit code 0. Rejects with an Error that says why otherwise. The command's
 * process group is killed at the time limit and when the signal is aborted.
 */
export async function runExecHook(
  [command = '', ...args]: readonly string[],
  payload: unknown,
  { env, clock, redactor }: Pick<AppContext, 'env' | 'clock' | 'redactor'>,
  signal: AbortSignal,
  timeLimitMs = EXEC_TIME_LIMIT_MS,
): Promise<void> {
  signal.throwIfAborted();
  const child = spawn(command, args, {
    // A process group of its own, so that what the command starts can be ended too.
    detached: !isWindows,
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'pipe'],
    env: hookEnvironment(env),
  });
  let stderrEnd = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderrEnd = (stderrEnd + text).slice(-MAX_MESSAGE_LENGTH);
  });
  // A command need not read its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(`${JSON.stringify(payload)}\n`);
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => {
      resolve(
        isSystemError(error, 'ENOENT') ? `command not found: ${command}` : systemReason(error),
      );
    });
    // Not `close`: a process that the command left in the background may hold the pipe.
    child.once('exit', (code, killedBy) => {
      resolve(code === 0 ? undefined : describeExit(code, killedBy, redactor.redact(stderrEnd)));
    });
  });
  const timer = new AbortController();
  const timeout = clock
    .sleep(timeLimitMs, timer.signal)
    .then(() => new HookTimeout(timeLimitMs))
    .catch(() => undefined);
  try {
    const problem = await raceWithSignal(Promise.race([ended, timeout]), signal);
    if (problem instanceof HookTimeout) throw problem;
    if (problem !== undefined) throw new Error(problem);
  } finally {
    timer.abort();
    killGroup(child);
    child.stderr.destroy();
    child.unref();
  }
}

/** Without secrets and without the login: a hook needs none. Proxies keep their passwords, which a hook needs for its own requests. */
export function hookEnvironment(env: Readonly<NodeJS.ProcessEnv>): NodeJS.ProcessEnv {
  const { TANKOBON_LEDGER: ledger, ...rest } = env;
  const passed = Object.entries(rest).filter(([name]) => !VARIABLES_KEPT_FROM_HOOKS.includes(name));
  return {
    ...Object.fromEntries(passed),
    ...(ledger !== undefined && { TANKOBON_LEDGER: withoutLogin(ledger) }),
  };
}

/** Removes the login from the URL of a server; a folder stays as it is. */
function withoutLogin(ledger: string): string {
  if (!isUrl(ledger) || !URL.canParse(ledger)) return withoutUserInfo(ledger);
  const url = new URL(ledger);
  url.username = '';
  url.password = '';
  return url.href;
}

function describeExit(code: number | null, killedBy: string | null, stderrEnd: string): string {
  const how = code === null ? `it was killed by ${killedBy ?? 'a signal'}` : `exit code ${code}`;
  const lines = stderrEnd.trim();
  return lines === '' ? how : `${how}: ${lines}`;
}

/** Ends the command and what it started. Nothing happens if all have ended. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (isWindows) child.kill('SIGKILL');
    else if (child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
