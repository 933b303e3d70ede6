/**
 * Whether a hangup (SIGHUP: the terminal was closed) stops the command. Node resets inherited signal dispositions, so
 * whether `nohup` ignored SIGHUP cannot be queried: it is inferred from the standard streams and the parent process.
 */
import { closeSync, readFileSync } from 'node:fs';
import { isatty } from 'node:tty';

interface ProcessState {
  readonly platform: NodeJS.Platform;
  readonly isTerminal: (fd: number) => boolean;
  /** `/proc/<parent>/status`; undefined if it cannot be read. */
  readonly parentStatus: string | undefined;
}

/**
 * True if no standard stream is a terminal, as after `nohup` (which redirects output, and on Linux input too), under
 * cron and in services; or if the parent ignores SIGHUP (Linux only), as a shell does after `trap '' HUP`.
 */
export function ignoresHangup({ platform, isTerminal, parentStatus }: ProcessState): boolean {
  const redirectedByNohup = platform === 'linux' ? [0, 1, 2] : [1, 2];
  return !redirectedByNohup.some(isTerminal) || parentIgnoresHangup(parentStatus ?? '');
}

/** SIGHUP is signal 1: the lowest bit of the hexadecimal mask. */
function parentIgnoresHangup(status: string): boolean {
  const [, lowestDigit = '0'] = /^SigIgn:\s*[0-9a-f]*([0-9a-f])$/m.exec(status) ?? [];
  return Number.parseInt(lowestDigit, 16) % 2 === 1;
}

/** To be read at the start: after a hangup `isatty` is false. */
export function readProcessState(): ProcessState {
  return { platform: process.platform, isTerminal: isatty, parentStatus: readParentStatus() };
}

/**
 * At exit, closes standard streams whose terminal is gone: Node restores the settings of an open one, and aborts
 * (SIGABRT) if that fails.
 */
export function closeLostTerminalsAtExit(): void {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  process.on('exit', () => {
    for (const fd of terminals) if (!isatty(fd)) closeSync(fd);
  });
}

function readParentStatus(): string | undefined {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${process.ppid}/status`, 'utf8')
      : undefined;
  } catch {
    return undefined;
  }
}
