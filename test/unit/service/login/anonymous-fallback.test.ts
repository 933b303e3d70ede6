import { withAnonymousFallback } from '../../../../src/service/login/anonymous-fallback.js';
import { AuthError, ServiceError } from '../../../../src/core/errors.js';
import type { TokenProvider } from '../../../../src/service/requests/token-use.js';

function failingProvider(error: Error): {
  failing: TokenProvider;
  state: { error: Error | undefined };
} {
  const state: { error: Error | undefined } = { error };
  const token = () => (state.error ? Promise.reject(state.error) : Promise.resolve('token'));
  return { failing: { getToken: token, renew: token, isExpired: () => false }, state };
}
const clock = { monotonicMs: () => 0 };

test('after an outage the login is used again at once', async () => {
  const outages = { count: 0 };
  const { failing, state } = failingProvider(new ServiceError('unreachable', 'No network.'));
  const provider = withAnonymousFallback(failing, clock, () => undefined, outages);
  expect(await provider.getToken()).toBeUndefined();
  state.error = undefined;
  expect(await provider.getToken()).toBeUndefined();
  outages.count += 1;
  expect(await provider.getToken()).toBe('token');
});

test('a login that the service refused is not used again, even after an outage', async () => {
  const outages = { count: 0 };
  const { failing, state } = failingProvider(new AuthError('session-ended', 'It is over.'));
  const provider = withAnonymousFallback(failing, clock, () => undefined, outages);
  expect(await provider.getToken()).toBeUndefined();
  state.error = undefined;
  outages.count += 1;
  expect(await provider.getToken()).toBeUndefined();
});
