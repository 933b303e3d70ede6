import { expect, test } from '@jest/globals';
import { withAnonymousFallback } from '../../../src/auth/anonymous-fallback.js';
import { AuthError, ServiceError } from '../../../src/core/errors.js';
import type { TokenProvider } from '../../../src/api/client.js';

function bearerThatThrows(error: Error): {
  bearer: TokenProvider;
  state: { error: Error | undefined };
} {
  const state: { error: Error | undefined } = { error };
  const token = () => (state.error ? Promise.reject(state.error) : Promise.resolve('token'));
  return { bearer: { getToken: token, renew: token, isExpired: () => false }, state };
}
const clock = { monotonicMs: () => 0 };

test('after an outage the login is used again at once', async () => {
  const outages = { count: 0 };
  const { bearer, state } = bearerThatThrows(new ServiceError('unreachable', 'No network.'));
  const guest = withAnonymousFallback(bearer, clock, () => undefined, outages);
  expect(await guest.getToken()).toBeUndefined();
  state.error = undefined;
  expect(await guest.getToken()).toBeUndefined();
  outages.count += 1;
  expect(await guest.getToken()).toBe('token');
});

test('a login that the service refused stays unused, outage or not', async () => {
  const outages = { count: 0 };
  const { bearer, state } = bearerThatThrows(new AuthError('session-ended', 'It is over.'));
  const guest = withAnonymousFallback(bearer, clock, () => undefined, outages);
  expect(await guest.getToken()).toBeUndefined();
  state.error = undefined;
  outages.count += 1;
  expect(await guest.getToken()).toBeUndefined();
});
