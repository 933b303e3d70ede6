/** The ledger at its configured location: a folder of this machine, or a server for several machines. */
import { displayAddress, type LedgerLocation } from '../config/ledger-location.js';
import type { Clock } from '../core/clock.js';
import { currentBoot, type Boot } from './permits/boot.js';
import { FileStore } from './permits/file-store.js';
import { clearDocument, MAX_REQUEST_MS } from './permits/ledger-rules.js';
import type { LedgerStore } from './permits/ledger-store.js';
import { viewOf, type LedgerView } from './permits/ledger-view.js';
import { quotaKeysOf, quotaOf, type PeriodScale } from './quotas.js';
import type { RateLedger } from './permits/rate-ledger.js';
import type { ScriptRunner } from './redis/redis-connection.js';
import type { ServiceAddresses } from '../config/service-addresses.js';
import { SharedLedger } from './permits/shared-ledger.js';

export type {
  ObservedResponse,
  Permit,
  RateLedger,
  ReserveOptions,
  Wait,
} from './permits/rate-ledger.js';
export type { LedgerView } from './permits/ledger-view.js';

interface StoreOptions {
  readonly location: LedgerLocation;
  readonly clock: Clock;
  /** Receives a sentence when the ledger was lost, and when another machine uses its folder. */
  readonly warn: (message: string) => void;
  /** Default: the boot of this machine. */
  readonly boot?: Boot;
  /** How long to wait while the server cannot be used. Default: not at all. */
  readonly maxOutageMs?: number;
  /** For a practice service with shorter periods. */
  readonly periodScale?: PeriodScale;
  /** The whole life of a request. Default: half a minute. */
  readonly maxRequestMs?: number;
  /** Default: a connection to the server. */
  readonly runner?: ScriptRunner;
}

interface LedgerOptions extends StoreOptions {
  readonly addresses: ServiceAddresses;
}

export async function openLedger(options: LedgerOptions): Promise<RateLedger> {
  const { addresses, clock } = options;
  return new SharedLedger({
    store: await openStore(options),
    clock,
    rules: rulesOf(options),
    quotaKeysOf: (request) => quotaKeysOf(addresses, request),
  });
}

/** The ledger at this moment, for display. Takes no lock and changes nothing. */
export async function viewLedgerAt(options: Omit<StoreOptions, 'warn'>): Promise<LedgerView> {
  const store = await openStore({ ...options, warn: () => undefined });
  try {
    return viewOf(await store.peek(), rulesOf(options), store.isOnServer);
  } finally {
    store.close();
  }
}

/** Removes everything but the requests under way and the processes that wait. */
export async function resetLedgerAt(options: StoreOptions): Promise<void> {
  const store = await openStore({ ...options, warn: () => undefined });
  try {
    await store.transaction(({ document, nowMs }) => {
      clearDocument(document, nowMs, rulesOf(options));
    });
  } finally {
    store.close();
  }
}

function rulesOf({ periodScale, maxRequestMs = MAX_REQUEST_MS }: Partial<StoreOptions>) {
  return { quotaOf: (key: string) => quotaOf(key, periodScale), maxRequestMs };
}

/** The code for a server is loaded only when one is configured. */
async function openStore(options: StoreOptions): Promise<LedgerStore> {
  const { location, clock, warn, boot = currentBoot(), maxOutageMs = 0 } = options;
  const rules = rulesOf(options);
  if (!('server' in location)) {
    return new FileStore({ folder: location.folder, clock, warn, boot, rules });
  }
  const { RedisStore } = await import('./redis/redis-store.js');
  const { RedisConnection } = await import('./redis/redis-connection.js');
  const { runner = new RedisConnection(location.server) } = options;
  const displayUrl = displayAddress(location.server);
  return new RedisStore({ runner, clock, warn, host: boot.host, displayUrl, maxOutageMs, rules });
}
