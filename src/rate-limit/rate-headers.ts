/**
 * The service's own word on its limits, read from an answer's headers (spec 8.3) without trusting it: a moment
 * is taken relative to the answer's `Date`, since the local clock may be wrong by hours; nothing is negative;
 * what cannot be meant is as if it were not there. Pure.
 */
import type { IncomingHttpHeaders } from 'node:http';

export interface RateHeaders {
  /** X-RateLimit-Limit: requests in a period. */
  readonly limit?: number;
  /** X-RateLimit-Remaining: how many of them are left. */
  readonly remaining?: number;
  /** X-RateLimit-Retry-After: how long from the answer to the end of the period, in ms, never negative. */
  readonly endsInMs?: number;
}

/** No limit of the service is nearly as high. */
const HIGHEST_LIMIT = 1_000_000;
/** UNIX timestamps in seconds: from 2001 to the year 5138. Anything else is another unit. */
const FIRST_STAMP_S = 1_000_000_000;
const LAST_STAMP_S = 99_999_999_999;
/** A year. A header may name any number; added to a clock, this is still a moment that a date can show. */
const MAX_WAIT_MS = 365 * 24 * 60 * 60_000;

/** @param wallMs the local clock at the answer; counts only where the answer has no `Date` */
export function readRateHeaders(headers: IncomingHttpHeaders, wallMs: number): RateHeaders {
  const limit = wholeNumber(headers['x-ratelimit-limit']);
  const remaining = wholeNumber(headers['x-ratelimit-remaining']);
  const stampS = wholeNumber(headers['x-ratelimit-retry-after']);
  return {
    ...(limit !== undefined && limit >= 1 && limit <= HIGHEST_LIMIT && { limit }),
    ...(remaining !== undefined && remaining <= HIGHEST_LIMIT && { remaining }),
    ...(stampS !== undefined &&
      stampS >= FIRST_STAMP_S &&
      stampS <= LAST_STAMP_S && { endsInMs: untilMs(stampS * 1_000, headers, wallMs) }),
  };
}

/** Retry-After, in either form of RFC 9110 10.2.3, as ms from the answer, a year at most; undefined where none can be read. */
export function retryAfterMs(headers: IncomingHttpHeaders, wallMs: number): number | undefined {
  const text = headers['retry-after']?.trim();
  if (text === undefined || text === '') return undefined;
  if (/^\d+$/.test(text)) return Math.min(MAX_WAIT_MS, Number(text) * 1_000);
  const dateMs = httpDateMs(text);
  return dateMs === undefined ? undefined : untilMs(dateMs, headers, wallMs);
}

/** The longest wait that a 429 names, in ms; undefined where it names none. */
export function namedWaitMs(headers: IncomingHttpHeaders, wallMs: number): number | undefined {
  const named = [retryAfterMs(headers, wallMs), readRateHeaders(headers, wallMs).endsInMs];
  return named.reduce((a, b) => (a === undefined || (b !== undefined && b > a) ? b : a));
}

function untilMs(momentMs: number, headers: IncomingHttpHeaders, wallMs: number): number {
  // `Date` is cut to the second below, so that the wait comes out up to a second too long, never too short.
  const leftMs = momentMs - (httpDateMs(headers.date) ?? wallMs);
  return Math.min(MAX_WAIT_MS, Math.max(0, leftMs));
}

function httpDateMs(text: string | undefined): number | undefined {
  // Date.parse takes far more than HTTP dates ("7" is a year to it), so the shape is checked first.
  if (text === undefined || !/^[A-Z][a-z]{2,8}, \d{1,2}[ -][A-Z][a-z]{2}[ -]\d{2,4} /.test(text)) {
    return undefined;
  }
  const ms = Date.parse(text);
  return Number.isFinite(ms) ? ms : undefined;
}

function wholeNumber(value: string | string[] | undefined): number | undefined {
  const text = typeof value === 'string' ? value.trim() : undefined;
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
