/** How long to leave a page alone after its load failed. */

/** A page is loaded at most this often in one run. */
export const MAX_ATTEMPTS = 5;

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/**
 * The pause after failed attempt number `attempt` (from 1), in milliseconds: doubled each time, and drawn from
 * the upper half, so that pages that failed together do not come back together. `random` is in [0, 1).
 */
export function retryPauseMs(attempt: number, random: number): number {
  const whole = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
  return whole / 2 + (whole / 2) * random;
}
