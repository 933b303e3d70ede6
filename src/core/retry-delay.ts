/** How long to wait before a request is repeated: exponential backoff with jitter, and what a server asks for. */
import type { IncomingHttpHeaders } from 'node:http';

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

/** A year: added to a clock, it is still a valid date. */
const MAX_WAIT_MS = 365 * 24 * 60 * 60_000;

/** Retry-After in either form of RFC 9110 10.2.3, in ms from the response, at most a year; undefined if unreadable. */
export function retryAfterMs(headers: IncomingHttpHeaders, wallMs: number): number | undefined {
  const text = headers['retry-after']?.trim();
  if (text === undefined || text === '') return undefined;
  if (/^\d+$/.test(text)) return Math.min(MAX_WAIT_MS, Number(text) * 1_000);
  const dateMs = httpDateMs(text);
  return dateMs === undefined ? undefined : untilMs(dateMs, headers, wallMs);
}

/** The time from the response to a moment, in ms, never negative and at most a year. */
export function untilMs(momentMs: number, headers: IncomingHttpHeaders, wallMs: number): number {
  // `Date` is rounded down to the second, so the wait is up to a second too long, never too short.
  const leftMs = momentMs - (httpDateMs(headers.date) ?? wallMs);
  return Math.min(MAX_WAIT_MS, Math.max(0, leftMs));
}

function httpDateMs(text: string | undefined): number | undefined {
  // Date.parse accepts far more than HTTP dates, such as "7" for a year.
  if (text === undefined || !/^[A-Z][a-z]{2,8}, \d{1,2}[ -][A-Z][a-z]{2}[ -]\d{2,4} /.test(text)) {
    return undefined;
  }
  const ms = Date.parse(text);
  return Number.isFinite(ms) ? ms : undefined;
}
