/**
 * A token provider for commands that work without a login too: an error of the login is reported once for each code,
 * and the requests are anonymous. After a temporary error the login is used again in a minute, or after an outage.
 */
import type { TokenProvider } from '../api/token-use.js';
import type { Clock } from '../core/clock.js';
import { AuthError, hasCode, type TankobonError } from '../core/errors.js';

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
  const withFallback = async (getToken: () => Promise<string | undefined>) => {
    const isSameOutage = outages.count === outagesAtError || retryAtMs === Infinity;
    if (clock.monotonicMs() < retryAtMs && isSameOutage) return undefined;
    try {
      return await getToken();
    } catch (error) {
      if (!concernsLogin(error)) throw error;
      outagesAtError = outages.count;
      retryAtMs = error instanceof AuthError ? Infinity : clock.monotonicMs() + RETRY_AFTER_MS;
      if (!reported.has(error.code)) onError(error);
      reported.add(error.code);
      return undefined;
    }
  };
  return {
    getToken: (signal) => withFallback(() => provider.getToken(signal)),
    renew: (rejected, signal) => withFallback(() => provider.renew(rejected, signal)),
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
