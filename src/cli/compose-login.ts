/** Wires the login's parts for the run of one command: where it is kept, and the session that keeps it fresh. */
import { join } from 'node:path';
import { openCredentials, type Credentials } from '../auth/credentials.js';
import { guestWhereNeeded } from '../auth/guest.js';
import { openSession, type Session } from '../auth/session.js';
import { waitingEvent } from '../download/events.js';
import type { TankobonError } from '../kernel/errors.js';
import { readAddresses } from '../service/addresses.js';
import type { Bearer } from '../service/client.js';
import { hasReports, openReports, openService, type Service } from './compose.js';
import { waitInWords } from './output/sentences.js';
import type { Run, Wiring } from './run.js';

/** What is stored for the service that the settings name. Opens nothing yet. */
export function credentialsOf(run: Wiring): Credentials {
  return openCredentials({
    folder: join(run.folders.state, 'credentials'),
    addresses: readAddresses(run.settings),
    clock: run.clock,
    onSecret: (secret) => {
      run.redactor.add(secret);
    },
  });
}

/** The session over this service's connections, which stay open until it is closed. */
export function sessionOf(
  run: Wiring,
  service: Service,
  credentials = credentialsOf(run),
): Session {
  const session = openSession({ credentials, endpoint: service.anonymous, clock: run.clock });
  service.beforeClose(() => session.close());
  return session;
}

/** The session for a command that works without one too: what is wrong with it is a warning. */
export function bearerOf(run: Wiring, service: Service, warn: (message: string) => void): Bearer {
  const onTrouble = (trouble: TankobonError): void => {
    warn(`Going on without a login. ${trouble.message} ${trouble.hint}`);
  };
  return guestWhereNeeded(sessionOf(run, service), run.clock, onTrouble, service.outages);
}

/**
 * The way to the service for a command that downloads nothing; closed when `work` is done. Health reports that an
 * earlier run had to leave go out beside it.
 */
export async function withService<T>(run: Run, work: (service: Service) => Promise<T>): Promise<T> {
  const warn = (message: string): void => {
    run.stderr.write(`tankobon: ${message}\n`);
  };
  const service = await openService(run, {
    onWait: (wait) => {
      run.stderr.write(`${waitInWords(waitingEvent(wait))}\n`);
    },
    warn,
  });
  const leftOver = run.settings.reports && (await hasReports(run, service));
  const reports = leftOver ? await openReports(run, service, { warn }) : undefined;
  try {
    return await work(service);
  } finally {
    await reports?.finish(LEFT_OVER_PATIENCE_MS);
    await service.close();
  }
}

/** What a command that is about something else waits for reports of earlier runs. */
const LEFT_OVER_PATIENCE_MS = 500;
