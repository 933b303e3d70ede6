/**
 * Counts arrivals against one limit, in either of the two ways in which a service may count: by sliding
 * windows (any stretch of one period's length) or by fixed ones (which begin at multiples of the period).
 */
export type Counting = 'sliding' | 'fixed';

export interface RateWindow {
  readonly limit: number;
  readonly periodMs: number;
  /** The most arrivals that any stretch of one period's length has held, whichever way is counted. */
  readonly peak: number;
  /** How many arrivals count at this moment. */
  count(nowMs: number): number;
  add(nowMs: number): void;
  /** When the current period ends: the fixed window's end, or when a sliding one has room for one more. */
  endsAtMs(nowMs: number): number;
}

/** A window of `limit` arrivals in `periodMs`. The times handed in never step back. */
export function rateWindow(limit: number, periodMs: number, counting: Counting): RateWindow {
  const arrivals: number[] = [];
  let peak = 0;
  const forget = (nowMs: number): void => {
    while (arrivals.length > 0 && (arrivals[0] ?? 0) <= nowMs - periodMs) arrivals.shift();
  };
  const fixedStart = (nowMs: number): number => Math.floor(nowMs / periodMs) * periodMs;
  return {
    limit,
    periodMs,
    get peak() {
      return peak;
    },
    count(nowMs) {
      forget(nowMs);
      if (counting === 'sliding') return arrivals.length;
      const start = fixedStart(nowMs);
      return arrivals.filter((at) => at >= start).length;
    },
    add(nowMs) {
      forget(nowMs);
      arrivals.push(nowMs);
      peak = Math.max(peak, arrivals.length);
    },
    endsAtMs(nowMs) {
      forget(nowMs);
      if (counting === 'fixed') return fixedStart(nowMs) + periodMs;
      return (arrivals[Math.max(0, arrivals.length - limit)] ?? nowMs) + periodMs;
    },
  };
}
