/** How long a download takes at least, under the rate limits. Pure. */

interface Window {
  readonly requests: number;
  readonly periodMs: number;
}

/**
 * The least time in milliseconds until this many further requests are sent under the rate limits `windows`, if the first
 * is sent at once.
 * @param sentAgoMs how long ago earlier requests were sent, the oldest first; those before it no longer count
 */
export function minTimeMs(
  requests: number,
  windows: readonly Window[],
  sentAgoMs: readonly number[] = [],
): number {
  const sentAtMs = sentAgoMs.map((ms) => -ms);
  for (let count = 0; count < requests; count += 1) {
    const freeAtMs = windows.map(
      (window) => (sentAtMs[sentAtMs.length - window.requests] ?? -Infinity) + window.periodMs,
    );
    sentAtMs.push(Math.max(0, sentAtMs.at(-1) ?? 0, ...freeAtMs));
  }
  return requests === 0 ? 0 : (sentAtMs.at(-1) ?? 0);
}

export interface BatchProgress {
  /** Chapters. */
  readonly done: number;
  readonly total: number;
  /** Of the run so far. */
  readonly elapsedMs: number;
  /** How long ago the metadata of the chapters that have started was requested, the oldest first. */
  readonly startedAgoMs: readonly number[];
}

/**
 * The remaining time of a batch: at its speed so far, but not less than the rate limits `windows` of the metadata
 * requests allow. Undefined while neither is known.
 */
export function remainingBatchMs(
  { done, total, elapsedMs, startedAgoMs }: BatchProgress,
  windows: readonly Window[],
): number | undefined {
  const atSpeedMs = done > 0 ? (elapsedMs / done) * (total - done) : 0;
  const notStarted = Math.max(0, total - Math.max(done, startedAgoMs.length));
  const maxRequests = Math.max(...windows.map(({ requests }) => requests));
  const limitedMs = minTimeMs(notStarted, windows, startedAgoMs.slice(-maxRequests));
  return done === 0 && limitedMs === 0 ? undefined : Math.max(atSpeedMs, limitedMs);
}
