import fc from 'fast-check';
import {
  errorReasons,
  findCaptchaChallenge,
  isApiError,
} from '../../../../src/service/requests/api-errors.js';
import { requestedWaitMs, readRateHeaders } from '../../../../src/service/permits/rate-headers.js';
import { retryAfterMs } from '../../../../src/core/retry-delay.js';
import { fuzzRuns } from '../../../support/long-run.js';

const NOW = Date.UTC(2026, 4, 1, 12);
const stamp = (ms: number): string => String(Math.round(ms / 1_000));
const date = (ms: number): string => new Date(ms).toUTCString();

describe('the end of the period', () => {
  test.each([2, -2])('is relative to the response’s Date, with a clock %d hours off', (hours) => {
    const headers = { date: date(NOW), 'x-ratelimit-retry-after': stamp(NOW + 30_000) };
    expect(readRateHeaders(headers, NOW + hours * 3_600_000).endsInMs).toBe(30_000);
  });

  test('is never negative', () => {
    const headers = { date: date(NOW), 'x-ratelimit-retry-after': stamp(NOW - 99_000) };
    expect(readRateHeaders(headers, NOW).endsInMs).toBe(0);
  });

  test('is relative to the local clock if the response has no Date', () => {
    expect(readRateHeaders({ 'x-ratelimit-retry-after': stamp(NOW + 9_000) }, NOW).endsInMs).toBe(
      9_000,
    );
  });

  test.each(['30', '-5', '1e12', '1777636800000', 'soon', '', '0x5f5e100'])(
    'is undefined for the timestamp %j',
    (text) => {
      expect(readRateHeaders({ 'x-ratelimit-retry-after': text }, NOW)).toEqual({});
    },
  );
});

test('an implausible rest is ignored', () => {
  expect(readRateHeaders({ 'x-ratelimit-remaining': '0' }, NOW)).toEqual({ remaining: 0 });
  for (const rest of ['-1', '99999999', '4.5', 'many']) {
    expect(readRateHeaders({ 'x-ratelimit-remaining': rest }, NOW)).toEqual({});
  }
});

test('Retry-After is read in seconds and in both date formats of RFC 9110; the longer of two waits counts', () => {
  expect(retryAfterMs({ 'retry-after': '7' }, NOW)).toBe(7_000);
  expect(retryAfterMs({ 'retry-after': date(NOW + 4_000), date: date(NOW) }, 0)).toBe(4_000);
  const old = 'Friday, 01-May-26 12:00:08 GMT';
  expect(retryAfterMs({ 'retry-after': old, date: date(NOW) }, 0)).toBe(8_000);
  const both = { 'retry-after': '7', date: date(NOW), 'x-ratelimit-retry-after': stamp(NOW + 9e3) };
  expect(requestedWaitMs(both, NOW)).toBe(9_000);
  expect(requestedWaitMs({}, NOW)).toBeUndefined();
});

test('no header values give a wait that is negative or not a number', () => {
  const text = fc.oneof(
    fc.string(),
    fc.integer().map(String),
    fc.date().map(String),
    fc.double().map(String),
  );
  const headers = fc.record({
    date: text,
    'retry-after': text,
    'x-ratelimit-remaining': text,
    'x-ratelimit-retry-after': text,
  });
  fc.assert(
    fc.property(headers, fc.integer({ min: 0, max: 4e12 }), (some, wallMs) => {
      const { remaining = 0, endsInMs = 0 } = readRateHeaders(some, wallMs);
      const values = [remaining, endsInMs, requestedWaitMs(some, wallMs) ?? 0];
      return values.every((value) => Number.isFinite(value) && value >= 0);
    }),
    { numRuns: fuzzRuns(10_000) },
  );
});

test('no error body crashes its readers or gives a reason with control characters', () => {
  const member = fc.constantFrom('errors', 'id', 'title', 'detail', 'context', 'status', 'result');
  const leaf = fc.oneof(fc.jsonValue(), fc.constant('captcha_required_exception'), fc.string());
  const body = fc.oneof(
    fc.jsonValue(),
    fc.record({ errors: fc.array(fc.dictionary(member, leaf)), result: leaf }),
  );
  const headers = fc.record({ 'x-captcha-sitekey': fc.string() }, { requiredKeys: [] });
  fc.assert(
    fc.property(body, headers, (some, given) => {
      isApiError(some);
      findCaptchaChallenge(given, some);
      return errorReasons(some).every((reason) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(reason));
    }),
    { numRuns: fuzzRuns(10_000) },
  );
  expect(errorReasons({ errors: [{ title: 'x'.repeat(1_000) }] })[0]).toHaveLength(300);
});
