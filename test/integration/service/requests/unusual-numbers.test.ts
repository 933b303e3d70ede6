/** Numbers of any size in headers and answers: each ends in a result or in one of our errors, never in a fault. */
import fc from 'fast-check';
import { grantByPassword, parseTokens } from '../../../../src/service/login/token-endpoint.js';
import { tokenExpiry } from '../../../../src/service/login/login-record.js';
import { systemClock, type Clock } from '../../../../src/core/clock.js';
import { hasCode, TankobonError } from '../../../../src/core/errors.js';
import { requestedWaitMs } from '../../../../src/service/permits/rate-headers.js';
import { retryAfterMs } from '../../../../src/core/retry-delay.js';
import { createTestClient, type TestClient } from '../../../support/test-client.js';
import { startStubServer, type Reply, type StubServer } from '../../../support/stub-server.js';
import { fuzzRuns } from '../../../support/long-run.js';

const YEAR_MS = 366 * 24 * 60 * 60_000;

const digits = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 40n }).map(String),
  fc.double().map(String),
  fc.integer().map(String),
  fc.constantFrom('999999999999999', '8640000000000001', '1e999', 'Infinity', 'NaN', '-0', '0x10'),
);
const dates = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  fc.constantFrom('Fri, 31 Dec 9999 23:59:59 GMT', 'Mon, 01 Jan 0001 00:00:00 GMT'),
  digits,
);

test('no header names a wait of more than a year, or none that a date can show', () => {
  const headers = fc.record(
    { 'retry-after': fc.oneof(digits, dates), date: dates, 'x-ratelimit-retry-after': digits },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(headers, fc.integer({ min: 0, max: 4e12 }), (named, wallMs) => {
      for (const ms of [retryAfterMs(named, wallMs), requestedWaitMs(named, wallMs)]) {
        if (ms === undefined) continue;
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThan(YEAR_MS);
        expect(() => new Date(wallMs + ms).toISOString()).not.toThrow();
      }
    }),
    { numRuns: fuzzRuns(2_000) },
  );
});

test('no expires_in makes a time that a date cannot show', () => {
  const lasts = fc.oneof(
    fc.double(),
    fc.maxSafeInteger(),
    fc.constantFrom(1e308, Infinity),
    digits,
  );
  fc.assert(
    fc.property(lasts, lasts, (access, refresh) => {
      const body = {
        access_token: 'a',
        refresh_token: 'r',
        expires_in: access,
        refresh_expires_in: refresh,
      };
      const tokens = parseTokens(body, 2e12);
      expect(() => new Date(tokenExpiry(tokens).accessMs).toISOString()).not.toThrow();
      expect(() => new Date(tokenExpiry(tokens).refreshMs ?? 0).toISOString()).not.toThrow();
    }),
  );
});

let service: StubServer;
let made: TestClient;
const atOnce: Clock = { ...systemClock, sleep: () => Promise.resolve() };
beforeEach(async () => {
  service = await startStubServer();
  made = await createTestClient(service, { clock: atOnce });
});
afterEach(async () => {
  await made.close();
  await service.stop();
});

const REQUEST = { method: 'GET', path: '/x', parser: () => (value: unknown) => value } as const;
const ask = async (reply: Reply): Promise<unknown> => {
  service.behave(() => reply);
  return made.client.api(REQUEST).catch((error: unknown) => error);
};

test('503 with a Retry-After beyond any date says that the wait is too long', async () => {
  const error = await ask({ status: 503, headers: { 'Retry-After': '999999999999999' } });
  expect(hasCode(error, 'wait-too-long')).toBe(true);
});

test('whatever numbers an answer carries over the wire, it is a result or one of our errors', async () => {
  const headers = fc.record(
    { 'Retry-After': digits, 'X-RateLimit-Retry-After': digits, Date: dates },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(200, 404, 500, 503), headers, async (status, named) => {
      const outcome = await ask({ status, headers: named, body: { result: 'ok' } });
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(TankobonError);
    }),
    { numRuns: 40 },
  );
});

test.each(['999999999999999999999', '-1', '1e3', 'many'])(
  'a Content-Length of %s is a bad answer',
  async (length) => {
    const grant = {
      username: 'u',
      password: 'p',
      clientId: 'personal-client-x',
      clientSecret: 's',
    };
    service.behave(() => ({ headers: { 'Content-Length': length }, body: {} }));
    const answered = grantByPassword(made.client, grant, 0).catch((error: unknown) => error);
    expect(await answered).toBeInstanceOf(TankobonError);
  },
);
