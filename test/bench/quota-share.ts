/** How much of what the quotas allow a run of chapters has used. */
import { minTimeMs } from '../../src/service/estimate.js';
import type { LogEntry } from '../../src/practice-server/request-log.js';

const MINUTE_MS = 60_000;

/** When each chapter's metadata call arrived, in ms from the first. */
export function metadataArrivals(log: readonly LogEntry[]): readonly number[] {
  const calls = log.filter(({ path }) => path.startsWith('/at-home/server/'));
  const firstMs = calls[0]?.atMs ?? 0;
  return calls.map(({ atMs }) => atMs - firstMs);
}

/** The earliest moment of each call, in ms from the first, by the two limits of spec 8.2.1 and 8.3. */
export function allowedArrivals(calls: number, periodScale: number): readonly number[] {
  const quotas = [
    { requests: 5, periodMs: 1_000 },
    { requests: 40, periodMs: MINUTE_MS * periodScale },
  ];
  return Array.from({ length: calls }, (_, index) => minTimeMs(index + 1, 'chapters', [], quotas));
}
