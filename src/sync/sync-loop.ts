/**
 * Repeats a run at an interval until it is stopped, in some hours of the day only if these are given. The next run is due
 * by the wall clock, which goes on while the machine is suspended, or by the monotonic one, which is never set back; a
 * changed subscriptions file makes it due too, within the hours.
 */
import { hoursEndMs, hoursLengthMs, nextHoursMs, type Hours } from '../config/hours.js';
import type { Clock } from '../core/clock.js';
import { interruptedError, UsageError } from '../core/errors.js';
import { formatDuration } from '../core/human-format.js';
import { retryDelayMs } from '../core/retry-delay.js';

/** What a run ended with: `retry` is tried again soon. */
export type RunOutcome = 'done' | 'retry';

export interface SyncLoopDeps {
  readonly intervalMs: number;
  /** Runs start and go on in these hours only. */
  readonly hours?: Hours | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  /** Runs once. A rejection ends the loop. The signal is aborted when the hours end too: then the run resolves. */
  readonly run: (signal: AbortSignal) => Promise<RunOutcome>;
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
/** After a run that could not reach the service, or during a run of another process. */
const RETRY_DELAYS = { firstMs: MINUTE_MS, maxMs: 15 * MINUTE_MS };
/** After a resume, and after a change of the file, the next run starts within this time. */
const POLL_MS = 30_000;

/** Throws UsageError `bad-option` for less than 15 minutes, and for hours without an interval. */
export function checkInterval(intervalMs: number | undefined, hours: Hours | undefined): void {
  if (intervalMs === undefined && hours)
    throw new UsageError('bad-option', '--hours has no effect without --every.', {
      hint: 'Add: --every 6h',
    });
  if (intervalMs === undefined || intervalMs >= MIN_INTERVAL_MS) return;
  throw new UsageError(
    'bad-option',
    `--every must be at least 15 minutes, since the service limits requests and bans addresses that poll: ${formatDuration(intervalMs)}`,
    { hint: 'Use a longer interval, such as: --every 6h' },
  );
}

/** Resolves when the signal is aborted between two runs; an aborted run rejects. */
export async function repeatSync(deps: SyncLoopDeps): Promise<void> {
  const { clock, intervalMs, random, signal, hours } = deps;
  let version = await deps.fileVersion();
  let delayMs: number | undefined;
  for (let failures = 0; ;) {
    const untilHoursMs = msUntilHours(clock.wallMs() + (delayMs ?? 0), deps);
    if (delayMs !== undefined || untilHoursMs > 0) {
      const waitMs = (delayMs ?? 0) + untilHoursMs;
      await deps.onWait(clock.wallMs() + waitMs);
      if (!(await waitUntilDue(waitMs, version, deps))) return;
    }
    delayMs = 0;
    // The clock may have been set meanwhile.
    if (hours && hoursEndMs(hours, clock.wallMs()) === undefined) continue;
    const startedMs = clock.monotonicMs();
    version = await deps.fileVersion();
    const { outcome, isCut } = await runWithinHours(deps);
    failures = outcome === 'retry' ? failures + 1 : 0;
    signal.throwIfAborted();
    const elapsedMs = clock.monotonicMs() - startedMs;
    const fromStartMs = Math.round(intervalMs * (1 + random() * MAX_JITTER_SHARE));
    const retryMs = failures > 0 ? retryDelayMs(RETRY_DELAYS, failures, 1) : Infinity;
    // What is left of a run that the hours cut is due when the next ones begin.
    delayMs = isCut ? 0 : Math.min(retryMs, Math.max(0, fromStartMs - elapsedMs));
  }
}

/** How long after `dueMs` a run may start; 0 within the hours. Runs of many users must not start at the full hour. */
function msUntilHours(dueMs: number, { hours, intervalMs, random }: SyncLoopDeps): number {
  if (!hours || hoursEndMs(hours, dueMs) !== undefined) return 0;
  const spreadMs = Math.min(intervalMs, hoursLengthMs(hours)) * MAX_JITTER_SHARE;
  return nextHoursMs(hours, dueMs) - dueMs + Math.round(random() * spreadMs);
}

/** `isCut`: the hours ended while it ran. */
async function runWithinHours({ hours, clock, signal, run }: SyncLoopDeps) {
  const endMs = hours && hoursEndMs(hours, clock.wallMs());
  if (endMs === undefined) return { outcome: await run(signal), isCut: false };
  const [ended, done] = [new AbortController(), new AbortController()];
  const watching = abortAt(endMs, clock, ended, done.signal);
  try {
    const outcome = await run(AbortSignal.any([signal, ended.signal]));
    return { outcome, isCut: ended.signal.aborted };
  } finally {
    done.abort();
    await watching;
  }
}

/** Looks at the wall clock from time to time, since a suspended machine does not count a sleep. */
async function abortAt(
  endMs: number,
  clock: Clock,
  ended: AbortController,
  done: AbortSignal,
): Promise<void> {
  try {
    for (let leftMs = endMs - clock.wallMs(); leftMs > 0; leftMs = endMs - clock.wallMs())
      await clock.sleep(Math.min(leftMs, POLL_MS), done);
    ended.abort(interruptedError());
  } catch (error) {
    if (!done.aborted) throw error;
  }
}

/** False if the signal is aborted. */
async function waitUntilDue(
  delayMs: number,
  version: string,
  { clock, fileVersion, isFileUsable, signal, hours }: SyncLoopDeps,
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
    const isClosed = hours && hoursEndMs(hours, clock.wallMs()) === undefined;
    if (now === seen || isClosed) continue;
    seen = now;
    if (await isFileUsable()) return true;
  }
  return false;
}
