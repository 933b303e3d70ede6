/** How long the chapters of a run take at least, under the rate limits of their metadata requests, and their size. Pure. */
import type { Quality } from '../config/quality.js';
import type { WaitLimit } from './permits/rate-ledger.js';
import { quotasOf, type Quota } from './quotas.js';
import { maxOf } from '../core/extremes.js';

const QUOTAS = {
  /** Each chapter needs one such request (spec 8.3). */
  chapters: quotasOf('any', 'GET', '/at-home/server/any'),
  /** Searches, and lists of titles and chapters. */
  lists: quotasOf('any', 'GET', '/manga'),
};

/**
 * The least time in milliseconds until this many further requests are sent, if the first is sent at once.
 * @param sentAgoMs how long ago earlier requests were sent, the oldest first; those before it no longer count
 */
export function minTimeMs(
  requests: number,
  kind: keyof typeof QUOTAS,
  sentAgoMs: readonly number[] = [],
  quotas: readonly Pick<Quota, 'requests' | 'periodMs'>[] = QUOTAS[kind],
): number {
  const sentAtMs = sentAgoMs.map((ms) => -ms);
  for (let count = 0; count < requests; count += 1) {
    let atMs = Math.max(0, sentAtMs.at(-1) ?? 0);
    // No list is made for each of ten thousand requests.
    for (const quota of quotas) {
      const firstAtMs = sentAtMs[sentAtMs.length - quota.requests] ?? -Infinity;
      atMs = Math.max(atMs, firstAtMs + quota.periodMs);
    }
    sentAtMs.push(atMs);
  }
  return requests === 0 ? 0 : (sentAtMs.at(-1) ?? 0);
}

/**
 * Typical sizes of a page. The service does not say how large pages are: drawings in black and white have a third of
 * it, and pages in color three times as much.
 */
const PAGE_BYTES: Readonly<Record<Quality, number>> = { data: 500_000, 'data-saver': 250_000 };

/** The estimated size of that many pages. */
export function estimatedBytes(pages: number, quality: Quality): number {
  return pages * PAGE_BYTES[quality];
}

export interface BatchProgress {
  /** Chapters. */
  readonly done: number;
  readonly total: number;
  /** The time since the run started. */
  readonly elapsedMs: number;
  /** How long ago the metadata of the chapters that have started was requested, the oldest first. */
  readonly startedAgoMs: readonly number[];
}

/**
 * The remaining time of a batch: at its speed so far, but not less than the rate limits allow. Undefined while neither is
 * known.
 * @param announced the limit of the last wait, which may be lower than the published one
 */
export function remainingBatchMs(
  { done, total, elapsedMs, startedAgoMs }: BatchProgress,
  announced?: WaitLimit,
): number | undefined {
  const ofChapters = QUOTAS.chapters.some(({ key }) => key === `any ${announced?.endpoint}`);
  const quotas = announced && ofChapters ? [...QUOTAS.chapters, announced] : QUOTAS.chapters;
  const atSpeedMs = done > 0 ? (elapsedMs / done) * (total - done) : 0;
  const notStarted = Math.max(0, total - Math.max(done, startedAgoMs.length));
  const maxRequests = maxOf(quotas.map(({ requests }) => requests));
  const limitedMs = minTimeMs(notStarted, 'chapters', startedAgoMs.slice(-maxRequests), quotas);
  return done === 0 && limitedMs === 0 ? undefined : Math.max(atSpeedMs, limitedMs);
}
