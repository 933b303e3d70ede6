/**
 * A bearer for runs that want a login but do not need one: whatever is wrong with the login is said once, and
 * the run goes on as a guest. What is wrong with the network for a moment is tried again a little later, and as soon
 * as an outage is over: a run that waited for its end must not go on as a guest.
 */
import type { Clock } from '../core/clock.js';
import { AuthError, hasCode, type TankobonError } from '../core/errors.js';
import type { TokenProvider } from '../api/client.js';

/** How long a run goes on as a guest before it tries again what failed in passing. */
const PAUSE_MS = 60_000;

/**
 * @param onTrouble is told what is wrong with the login, once for each kind.
 * @param outages counts the outages of the run.
 */
export function withAnonymousFallback(
  bearer: TokenProvider,
  clock: Pick<Clock, 'monotonicMs'>,
  onTrouble: (trouble: TankobonError) => void,
  outages: { readonly count: number } = { count: 0 },
): TokenProvider {
  let guestUntilMs = -Infinity;
  let outagesBefore = 0;
  const told = new Set<string>();
  const asGuest = async (ask: () => Promise<string | undefined>) => {
    const isSameOutage = outages.count === outagesBefore || guestUntilMs === Infinity;
    if (clock.monotonicMs() < guestUntilMs && isSameOutage) return undefined;
    try {
      return await ask();
    } catch (error) {
      if (!isTrouble(error)) throw error;
      outagesBefore = outages.count;
      guestUntilMs = error instanceof AuthError ? Infinity : clock.monotonicMs() + PAUSE_MS;
      if (!told.has(error.code)) onTrouble(error);
      told.add(error.code);
      return undefined;
    }
  };
  return {
    getToken: (signal) => asGuest(() => bearer.getToken(signal)),
    renew: (rejected, signal) => asGuest(() => bearer.renew(rejected, signal)),
    isExpired: (token) => bearer.isExpired(token),
  };
}

/** A cooldown holds for guests too (spec 7), and an interruption for everybody. */
function isTrouble(error: unknown): error is TankobonError {
  return (
    error instanceof AuthError ||
    hasCode(error, 'unreachable', 'service-failed', 'bad-answer', 'request-refused')
  );
}
