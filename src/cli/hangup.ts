/**
 * Whether a hangup (SIGHUP: the terminal was closed) ends the run. Node sets every inherited signal disposition back
 * to its default before the first line of a program runs, so whether `nohup` ignored SIGHUP cannot be asked for: it is
 * inferred from what nohup leaves behind.
 */
import { closeSync, readFileSync } from 'node:fs';
import { isatty } from 'node:tty';

export interface ProcessView {
  readonly platform: NodeJS.Platform;
  readonly isTerminal: (fd: number) => boolean;
  /** `/proc/<parent>/status`; undefined where there is none to read. */
  readonly parentStatus: string | undefined;
}

/**
 * True where SIGHUP is to be ignored: no standard stream is a terminal, as after `nohup` (which moves output away from
 * the terminal, and on Linux input too), under cron and in services; or, on Linux, the parent ignores it, as a shell
 * does after `trap '' HUP`.
 */
export function ignoresHangup({ platform, isTerminal, parentStatus }: ProcessView): boolean {
  const movedByNohup = platform === 'linux' ? [0, 1, 2] : [1, 2];
  return !movedByNohup.some(isTerminal) || parentIgnoresHangup(parentStatus ?? '');
}

/** SIGHUP is signal 1, and so the lowest bit of the hexadecimal mask. */
function parentIgnoresHangup(status: string): boolean {
  const [, lowestDigit = '0'] = /^SigIgn:\s*[0-9a-f]*([0-9a-f])$/m.exec(status) ?? [];
  return Number.parseInt(lowestDigit, 16) % 2 === 1;
}

/** This process as it was started; after a hangup its terminal is no longer one. */
export function viewProcess(): ProcessView {
  return { platform: process.platform, isTerminal: isatty, parentStatus: readParentStatus() };
}

/**
 * Closes the standard streams of a terminal that is gone when the process ends: Node restores the terminal's settings
 * then, and aborts (SIGABRT) where that fails, unless the descriptor is closed.
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
