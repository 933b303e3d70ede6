/** Exponential backoff with jitter. */

interface RetryDelays {
  /** The full delay after the first failure; it doubles with each further one. */
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * The delay after the `failures`th failure in a row (from 1): between half of the full delay and all of it, so that
 * requests that failed together are not retried together. `random` is in [0, 1).
 */
export function retryDelayMs(
  { firstMs, maxMs }: RetryDelays,
  failures: number,
  random = Math.random(),
): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1)) * (0.5 + random / 2);
}
