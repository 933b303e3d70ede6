/**
 * Repeats a run at an interval until it is stopped. The next run is due by the wall clock, which goes on while the
 * machine is suspended, or by the monotonic one, which is never set back; a changed subscriptions file makes it due too.
 */
import type { Clock } from '../core/clock.js';
import { nextDelayMs, outageDelayMs } from './sync-schedule.js';

/** What a run ended with: `unreachable` is tried again soon. */
export type RunOutcome = 'done' | 'unreachable';

export interface SyncLoopDeps {
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  /** Runs once. A rejection ends the loop. */
  readonly run: () => Promise<RunOutcome>;
  /** Changes whenever the file changes. */
  readonly fileVersion: () => Promise<string>;
  /** Whether the changed file can be used; reports why not. */
  readonly isFileUsable: () => Promise<boolean>;
  readonly onWait: (nextRunMs: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** After a resume, and after a change of the file, the next run starts within this time. */
const POLL_MS = 30_000;

/** Resolves when the signal is aborted between two runs; an aborted run rejects. */
export async function repeatSync(deps: SyncLoopDeps): Promise<void> {
  const { clock, intervalMs, random, signal } = deps;
  for (let failures = 0; ;) {
    const startedMs = clock.monotonicMs();
    const version = await deps.fileVersion();
    failures = (await deps.run()) === 'unreachable' ? failures + 1 : 0;
    signal.throwIfAborted();
    const elapsedMs = clock.monotonicMs() - startedMs;
    const regularMs = Math.max(0, nextDelayMs(intervalMs, random()) - elapsedMs);
    const delayMs = failures > 0 ? Math.min(outageDelayMs(failures), regularMs) : regularMs;
    await deps.onWait(clock.wallMs() + delayMs);
    if (!(await waitUntilDue(delayMs, version, deps))) return;
  }
}

/** False if the signal is aborted. */
async function waitUntilDue(
  delayMs: number,
  version: string,
  { clock, fileVersion, isFileUsable, signal }: SyncLoopDeps,
): Promise<boolean> {
  const startedMs = clock.monotonicMs();
  const dueWallMs = clock.wallMs() + delayMs;
  const isAborted = () => signal.aborted;
  for (let seen = version; !isAborted();) {
    const leftMs = Math.min(
      dueWallMs - clock.wallMs(),
      delayMs - (clock.monotonicMs() - startedMs),
    );
    if (leftMs <= 0) return true;
    try {
      await clock.sleep(Math.min(leftMs, POLL_MS), signal);
    } catch (error) {
      if (isAborted()) return false;
      throw error;
    }
    const now = await fileVersion();
    if (now === seen) continue;
    seen = now;
    if (await isFileUsable()) return true;
  }
  return false;
}
