/** The stored login and the session of one command. */
import { join } from 'node:path';
import type { ServiceClient } from './client.js';
import { withAnonymousFallback } from './login/anonymous-fallback.js';
import { Credentials } from './login/credentials.js';
import type { SlowKeychainListener, AppContext } from '../config/context.js';
import { grantInEnvironment, type PasswordGrant } from '../config/login-fields.js';
import { Session } from './login/session.js';
import { AuthError, type TankobonError } from '../core/errors.js';
import { readAddresses } from '../config/service-addresses.js';
import { retryAfterCaptcha, type SolveCaptcha } from './requests/captcha.js';
import type { Service } from './service.js';

export { grantByPassword } from './login/token-endpoint.js';
export { notLoggedIn, type Credentials } from './login/credentials.js';
export { openHookKeys } from './login/hook-keys.js';
export { tokenExpiry } from './login/login-record.js';
export type { SolveCaptcha } from './requests/captcha.js';
export type { Session } from './login/session.js';

/** The credentials of the configured service. Accesses nothing yet. */
export function credentialsOf(
  { paths, settings, clock, redactor, openKeychain }: AppContext,
  onSlowKeychain?: SlowKeychainListener,
): Credentials {
  return new Credentials({
    openKeychain,
    onSlowKeychain,
    folder: join(paths.state, 'credentials'),
    addresses: readAddresses(settings),
    clock,
    redactor,
  });
}

/** The session over the connections of `service`; closed before them. */
export function sessionOf(
  context: AppContext,
  service: Service,
  onSlowKeychain?: SlowKeychainListener,
): Session {
  const session = new Session({
    credentials: credentialsOf(context, onSlowKeychain),
    endpoint: service.anonymous,
    clock: context.clock,
    readGrant: () => grantOf(context),
  });
  service.beforeClose(() => session.close());
  return session;
}

/** The values of a login in the environment, for a session that has ended. */
async function grantOf({ env, redactor }: AppContext): Promise<PasswordGrant | undefined> {
  const grant = await grantInEnvironment(env);
  if (grant) for (const secret of [grant.password, grant.clientSecret]) redactor.add(secret);
  return grant;
}

/** A client that sends the stored login where a request needs it, and continues without it where that fails. */
export function loggedInClient(
  context: AppContext,
  service: Service,
  warn: (message: string, hint?: string) => void,
  solveCaptcha?: SolveCaptcha,
): { readonly login: Session; readonly client: ServiceClient } {
  const login = sessionOf(context, service, warn);
  const onError = ({ message, hint }: TankobonError): void => {
    warn(`Continuing without a login: ${message}`, hint);
  };
  const provider = withAnonymousFallback(login, context.clock, onError, service.outages);
  const client = service.createClient(provider);
  return { login, client: solveCaptcha ? retryAfterCaptcha(client, solveCaptcha) : client };
}

/** For a command that needs a login. Throws `not-logged-in`, `session-ended`, and the errors of a renewal. */
export async function requireLogin(
  session: Session,
  purpose: string,
  signal: AbortSignal,
): Promise<void> {
  if ((await session.getToken(signal)) === undefined)
    throw new AuthError('not-logged-in', `Not logged in: ${purpose} needs a login.`);
}
