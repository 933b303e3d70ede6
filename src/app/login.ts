/** Wires the login's parts for the run of one command: where it is kept, and the session that keeps it fresh. */
import { join } from 'node:path';
import { openCredentials, type Credentials } from '../auth/credentials.js';
import { withAnonymousFallback } from '../auth/anonymous-fallback.js';
import { openSession, type Session } from '../auth/session.js';
import type { TankobonError } from '../core/errors.js';
import { readAddresses } from '../rate-limit/service-addresses.js';
import type { TokenProvider } from '../api/client.js';
import type { Service } from './service.js';
import type { AppContext } from './context.js';

/** What is stored for the service that the settings name. Opens nothing yet. */
export function credentialsOf(run: AppContext): Credentials {
  return openCredentials({
    folder: join(run.paths.state, 'credentials'),
    addresses: readAddresses(run.settings),
    clock: run.clock,
    onSecret: (secret) => {
      run.redactor.add(secret);
    },
  });
}

/** The session over this service's connections, which stay open until it is closed. */
export function sessionOf(
  run: AppContext,
  service: Service,
  credentials = credentialsOf(run),
): Session {
  const session = openSession({ credentials, endpoint: service.anonymous, clock: run.clock });
  service.beforeClose(() => session.close());
  return session;
}

/** The session for a command that works without one too: what is wrong with it is a warning. */
export function bearerOf(
  run: AppContext,
  service: Service,
  warn: (message: string) => void,
): TokenProvider {
  const onTrouble = (trouble: TankobonError): void => {
    warn(`Going on without a login. ${trouble.message} ${trouble.hint}`);
  };
  return withAnonymousFallback(sessionOf(run, service), run.clock, onTrouble, service.outages);
}
