import fc from 'fast-check';
import { tokenError, parseTokens } from '../../../../src/service/login/token-endpoint.js';
import { parseLoginFile } from '../../../../src/service/login/login-schema.js';
import {
  accessAgeMs,
  isRefreshDue,
  LOGIN_FORMAT,
} from '../../../../src/service/login/login-record.js';
import { TankobonError } from '../../../../src/core/errors.js';
import { someTokens } from '../../../support/auth/context.js';

const says = (status: number, error?: string, error_description?: string) => ({
  status,
  headers: {},
  body: error === undefined ? undefined : { error, error_description },
});

describe('the error code of a refused grant', () => {
  test.each([
    ['password', says(401, 'invalid_grant', 'Invalid user credentials'), 'wrong-password'],
    ['password', says(400, 'invalid_grant', 'Account disabled'), 'account-unusable'],
    ['password', says(400, 'invalid_grant', 'Account is not fully set up'), 'account-unusable'],
    ['password', says(400, 'invalid_grant', 'Unknown in this realm'), 'wrong-password'],
    ['password', says(401, 'invalid_client', 'Client not enabled'), 'client-pending'],
    ['password', says(400, 'unauthorized_client', 'Client is pending approval'), 'client-pending'],
    ['password', says(401, 'unauthorized_client', 'Invalid client credentials'), 'wrong-client'],
    [
      'password',
      says(403, 'unauthorized_client', 'Client belongs to another account'),
      'wrong-client',
    ],
    ['password', says(403, 'access_denied', 'Realm not enabled'), 'realm-disabled'],
    ['password', says(404, 'Realm does not exist'), 'realm-disabled'],
    ['password', says(400, 'invalid_request', 'Missing'), 'request-refused'],
    ['password', says(404), 'request-refused'],
    ['password', says(302), 'bad-response'],
    ['password', says(503, 'invalid_grant', 'x'), 'service-failed'],
    ['refresh', says(400, 'invalid_grant', 'Token is not active'), 'session-ended'],
    ['refresh', says(400, 'invalid_grant'), 'session-ended'],
    ['refresh', says(401, 'invalid_client', 'Invalid client'), 'wrong-client'],
    ['refresh', says(502, 'invalid_grant', 'x'), 'service-failed'],
    ['refresh', says(401), 'request-refused'],
  ] as const)('%s grant, %j: %s', (grant, answer, code) => {
    expect(tokenError(answer, grant)).toMatchObject({ code });
  });
});

test('an error contains no text of the response', () => {
  const secret = 'correct horse';
  fc.assert(
    fc.property(
      fc.constantFrom(secret, 'invalid_grant', 'invalid_client', 'access_denied'),
      fc.constantFrom(` realm ${secret}`, secret, `client ${secret} disabled`),
      fc.integer({ min: 300, max: 599 }),
      (error, description, status) => {
        const refused = tokenError(says(status, error, description), 'password');
        expect(`${refused.message} ${refused.hint} ${refused.stack ?? ''}`).not.toContain(secret);
        expect(refused.cause).toBeUndefined();
      },
    ),
  );
});

test('any response gives tokens that can be stored, or a TankobonError', () => {
  const field = fc.oneof(fc.string(), fc.double(), fc.constant(undefined), fc.constant('good'));
  const body = fc.oneof(
    fc.anything(),
    fc.record({
      access_token: field,
      refresh_token: field,
      expires_in: field,
      refresh_expires_in: field,
    }),
  );
  fc.assert(
    fc.property(body, fc.boolean(), (answer, isRefresh) => {
      let tokens;
      try {
        tokens = parseTokens(answer, 1_700_000_000_000, isRefresh ? someTokens() : undefined);
      } catch (error) {
        expect(error).toBeInstanceOf(TankobonError);
        return;
      }
      const client = { username: 'reader', clientId: 'personal-client-1', clientSecret: 's' };
      const login = { ...client, tokens };
      expect(parseLoginFile(JSON.stringify({ format: LOGIN_FORMAT, login }))).toEqual(login);
    }),
  );
});

test('a password grant requires a refresh token, a refresh grant does not', () => {
  expect(() => parseTokens({ access_token: 'a' }, 0)).toThrow('refresh_token');
  expect(parseTokens({ access_token: 'a' }, 0, someTokens()).refreshToken).toBe('refresh-0');
  expect(() => parseTokens({ access_token: 'a', refresh_token: 7 }, 0, someTokens())).toThrow();
});

test('a token is renewed a minute before it expires, a short-lived one after half its lifetime, one from the future at once', () => {
  const tokens = someTokens({ obtainedAtMs: 1_000_000, accessLastsMs: 900_000 });
  expect(isRefreshDue(tokens, accessAgeMs(tokens, 1_839_999))).toBe(false);
  expect(isRefreshDue(tokens, accessAgeMs(tokens, 1_840_000))).toBe(true);
  expect(isRefreshDue(tokens, accessAgeMs(tokens, 999_999))).toBe(true);
  const short = someTokens({ accessLastsMs: 10_000 });
  expect([4_999, 5_000].map((ageMs) => isRefreshDue(short, ageMs))).toEqual([false, true]);
});
