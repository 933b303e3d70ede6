/**
 * The limits in response headers (spec 8.3). Times are relative to the response's `Date`, since the local clock may be
 * wrong by hours; implausible values are ignored. Pure.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { maxOf } from '../../core/extremes.js';
import { retryAfterMs, untilMs } from '../../core/retry-delay.js';

interface RateHeaders {
  /** X-RateLimit-Limit. */
  readonly limit?: number;
  /** X-RateLimit-Remaining. */
  readonly remaining?: number;
  /** X-RateLimit-Retry-After: the rest of the period after the response, in ms, never negative. */
  readonly endsInMs?: number;
}

/** Far above every limit of the service. */
const MAX_COUNT = 1_000_000;
/** UNIX timestamps in seconds, from 2001 to the year 5138; any other number has another unit. */
const MIN_TIMESTAMP_S = 1_000_000_000;
const MAX_TIMESTAMP_S = 99_999_999_999;

/** `wallMs` is the local clock at the response; used only if the response has no `Date`. */
export function readRateHeaders(headers: IncomingHttpHeaders, wallMs: number): RateHeaders {
  const endS = wholeNumber(headers['x-ratelimit-retry-after'], MIN_TIMESTAMP_S, MAX_TIMESTAMP_S);
  return {
    limit: wholeNumber(headers['x-ratelimit-limit'], 1, MAX_COUNT),
    remaining: wholeNumber(headers['x-ratelimit-remaining'], 0, MAX_COUNT),
    endsInMs: endS === undefined ? undefined : untilMs(endS * 1_000, headers, wallMs),
  };
}

/** The longest wait that a 429 names, in ms; undefined if it names none. */
export function requestedWaitMs(headers: IncomingHttpHeaders, wallMs: number): number | undefined {
  const named = [retryAfterMs(headers, wallMs), readRateHeaders(headers, wallMs).endsInMs].filter(
    (ms) => ms !== undefined,
  );
  return named.length === 0 ? undefined : maxOf(named);
}

/** Undefined for anything but a whole number from `min` to `max`. */
function wholeNumber(
  value: string | string[] | undefined,
  min: number,
  max: number,
): number | undefined {
  if (typeof value !== 'string' || !/^\d{1,15}$/.test(value.trim())) return undefined;
  const number = Number(value);
  return number >= min && number <= max ? number : undefined;
}
