/**
 * A token provider for commands that work without a login too: an error of the login is reported once for each code,
 * and the requests are anonymous; those that only an account can send fail with the error. After a temporary error the login is used again in a minute, or after an outage.
 */
import type { TokenProvider, TokenUse } from '../requests/token-use.js';
import type { Clock } from '../../core/clock.js';
import { AuthError, hasCode, type TankobonError } from '../../core/errors.js';

const RETRY_AFTER_MS = 60_000;

/** `outages` counts the outages of this run. */
export function withAnonymousFallback(
  provider: TokenProvider,
  clock: Pick<Clock, 'monotonicMs'>,
  onError: (error: TankobonError) => void,
  outages: { readonly count: number },
): TokenProvider {
  let retryAtMs = -Infinity;
  let outagesAtError = 0;
  const reported = new Set<string>();
  let lastError: TankobonError | undefined;
  const withFallback = async (
    getToken: () => Promise<string | undefined>,
    use: TokenUse = 'optional',
  ) => {
    const isSameOutage = outages.count === outagesAtError || retryAtMs === Infinity;
    if (clock.monotonicMs() < retryAtMs && isSameOutage) {
      if (use === 'required' && lastError) throw lastError;
      return undefined;
    }
    try {
      return await getToken();
    } catch (error) {
      if (!concernsLogin(error)) throw error;
      lastError = error;
      outagesAtError = outages.count;
      retryAtMs = error instanceof AuthError ? Infinity : clock.monotonicMs() + RETRY_AFTER_MS;
      // The caller reports what is thrown.
      if (use === 'optional' && !reported.has(error.code)) onError(error);
      reported.add(error.code);
      if (use === 'required') throw error;
      return undefined;
    }
  };
  return {
    getToken: (signal, use) => withFallback(() => provider.getToken(signal), use),
    renew: (rejected, signal, use) => withFallback(() => provider.renew(rejected, signal), use),
    isExpired: (token) => provider.isExpired(token),
  };
}

/** Cooldowns (spec 7) and interruptions concern anonymous requests as well. */
function concernsLogin(error: unknown): error is TankobonError {
  return (
    error instanceof AuthError ||
    hasCode(error, 'unreachable', 'service-failed', 'bad-response', 'request-refused')
  );
}
