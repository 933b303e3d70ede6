/** When the next run of `--every` starts. */
import { UsageError } from '../core/errors.js';
import { formatDuration } from '../core/human-format.js';

const MINUTE_MS = 60_000;
/** The service asks clients not to poll: MangaDex publishes a few chapters of a followed title a week. */
export const MIN_INTERVAL_MS = 15 * MINUTE_MS;
/** Runs of many users must not start at the same moment, such as the full hour. */
const MAX_JITTER_SHARE = 0.1;
const OUTAGE_DELAYS = { firstMs: MINUTE_MS, maxMs: 15 * MINUTE_MS };

/** Throws UsageError `bad-option` for less than 15 minutes. */
export function checkInterval(intervalMs: number): void {
  if (intervalMs >= MIN_INTERVAL_MS) return;
  throw new UsageError(
    'bad-option',
    `--every must be at least 15 minutes, since the service limits requests and bans addresses that poll: ${formatDuration(intervalMs)}`,
    { hint: 'Use a longer interval, such as: --every 6h' },
  );
}

/**
 * From the start of one run to the start of the next: the interval, and up to a tenth of it more.
 *
 * @param random from 0 to 1
 */
export function nextDelayMs(intervalMs: number, random: number): number {
  return Math.round(intervalMs * (1 + random * MAX_JITTER_SHARE));
}

/** The pause after a run that could not reach the service: from one minute, doubled each time, to 15 minutes. */
export function outageDelayMs(failures: number): number {
  return Math.min(OUTAGE_DELAYS.firstMs * 2 ** Math.max(0, failures - 1), OUTAGE_DELAYS.maxMs);
}
