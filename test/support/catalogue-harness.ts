/**
 * A practice service and a client of it, as the catalogue's tests want them: without waits, and with the API's
 * calls written down.
 */
import { Redactor } from '../../src/core/redactor.js';
import {
  startPracticeService,
  type PracticeOptions,
} from '../../src/practice-server/practice-service.js';
import { systemClock } from '../../src/core/clock.js';
import { readAddresses } from '../../src/config/service-addresses.js';
import { createServiceClient } from '../../src/service/client.js';
import type { TokenProvider } from '../../src/service/requests/token-use.js';
import { openConnections } from '../../src/service/requests/connections.js';
import { firstPartyDomain } from '../../src/service/requests/first-party-domain.js';
import type { RateLedger } from '../../src/service/permits/rate-ledger.js';
import { LIMITS } from './test-client.js';

/** Other tests hold the limits: here nothing waits, and the service allows it. */
const AT_ONCE: RateLedger = {
  reserve: () =>
    Promise.resolve({
      isValid: () => true,
      remainingMs: () => Infinity,
      settle: () => Promise.resolve(),
    }),
  close: () => Promise.resolve(),
};
const PATIENT = { general: { requests: 1_000_000, periodMs: 1_000 } };

export async function startPractice(options: PracticeOptions = {}, bearer?: TokenProvider) {
  const service = await startPracticeService({ limits: PATIENT, ...options });
  const addresses = readAddresses(service.addresses);
  const connections = await openConnections(LIMITS, process.env, addresses);
  const client = createServiceClient({
    addresses,
    isFirstParty: firstPartyDomain(addresses.apiUrl),
    connections,
    ledger: AT_ONCE,
    clock: systemClock,
    redactor: new Redactor(),
    random: () => 0,
    ...(bearer && { tokenProvider: bearer }),
  });
  let seen = 0;
  return {
    service,
    client,
    /** The calls of the API since the last time this was asked, as `GET /path`, each with its query. */
    calls() {
      const all = service.log.filter(({ host }) => host === 'api');
      const fresh = all.slice(seen);
      seen = all.length;
      return fresh.map(({ method, path, query }) => ({ line: `${method} ${path}`, query }));
    },
    async stop() {
      connections.close();
      await service.stop();
    },
  };
}

export type Practice = Awaited<ReturnType<typeof startPractice>>;
