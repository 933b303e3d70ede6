/**
 * Repeats a run at an interval until it is stopped. The next run is due by the wall clock, which goes on while the
 * machine is suspended, or by the monotonic one, which is never set back; a changed subscriptions file makes it due too.
 */
import type { Clock } from '../core/clock.js';
import { UsageError } from '../core/errors.js';
import { formatDuration } from '../core/human-format.js';
import { retryDelayMs } from '../core/retry-delay.js';

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

const MINUTE_MS = 60_000;
/** The service asks clients not to poll: MangaDex publishes a few chapters of a followed title a week. */
export const MIN_INTERVAL_MS = 15 * MINUTE_MS;
/** Runs of many users must not start at the same moment, such as the full hour. */
const MAX_JITTER_SHARE = 0.1;
/** After a run that could not reach the service. */
const OUTAGE_DELAYS = { firstMs: MINUTE_MS, maxMs: 15 * MINUTE_MS };
/** After a resume, and after a change of the file, the next run starts within this time. */
const POLL_MS = 30_000;

/** Throws UsageError `bad-option` for less than 15 minutes. */
export function checkInterval(intervalMs: number): void {
  if (intervalMs >= MIN_INTERVAL_MS) return;
  throw new UsageError(
    'bad-option',
    `--every must be at least 15 minutes, since the service limits requests and bans addresses that poll: ${formatDuration(intervalMs)}`,
    { hint: 'Use a longer interval, such as: --every 6h' },
  );
}

/** Resolves when the signal is aborted between two runs; an aborted run rejects. */
export async function repeatSync(deps: SyncLoopDeps): Promise<void> {
  const { clock, intervalMs, random, signal } = deps;
  for (let failures = 0; ;) {
    const startedMs = clock.monotonicMs();
    const version = await deps.fileVersion();
    failures = (await deps.run()) === 'unreachable' ? failures + 1 : 0;
    signal.throwIfAborted();
    const elapsedMs = clock.monotonicMs() - startedMs;
    const fromStartMs = Math.round(intervalMs * (1 + random() * MAX_JITTER_SHARE));
    const outageMs = failures > 0 ? retryDelayMs(OUTAGE_DELAYS, failures, 1) : Infinity;
    const delayMs = Math.min(outageMs, Math.max(0, fromStartMs - elapsedMs));
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
