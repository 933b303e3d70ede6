/** The ledger at its configured location: a folder of this machine, or a server for several machines. */
import { momentOf } from '../core/clock.js';
import { currentBoot } from './boot.js';
import { FileProcessRegistry } from './file-process-registry.js';
import { FileStore, type LedgerFileOptions } from './file-store.js';
import { clearState } from './ledger-state.js';
import { viewOf, type LedgerView } from './ledger-view.js';
import { quotasFor, type PeriodScale } from './quotas.js';
import type { RateLedger } from './rate-ledger.js';
import type { RedisAddress, ScriptRunner } from './redis/redis-connection.js';
import type { ServiceAddresses } from './service-addresses.js';
import { SharedLedger } from './shared-ledger.js';

export type LedgerLocation = { readonly folder: string } | { readonly server: RedisAddress };

interface StoreOptions extends Omit<LedgerFileOptions, 'folder'> {
  readonly location: LedgerLocation;
  /** How long to wait while the server cannot be used. Default: not at all. */
  readonly maxOutageMs?: number;
  /** For a practice service with shorter periods. */
  readonly periodScale?: PeriodScale;
  /** Default: a connection to the server. */
  readonly runner?: ScriptRunner;
}

export interface LedgerOptions extends StoreOptions {
  readonly addresses: ServiceAddresses;
}

export async function openLedger(options: LedgerOptions): Promise<RateLedger> {
  const { addresses, clock, periodScale } = options;
  return new SharedLedger({
    ...(await openStore(options)),
    clock,
    quotasFor: (request) => quotasFor(addresses, request, periodScale),
  });
}

/** The ledger at this moment, for display. Takes no lock and changes nothing. */
export async function viewLedgerAt(options: Omit<StoreOptions, 'warn'>): Promise<LedgerView> {
  const { store, processes } = await openStore({ ...options, warn: () => undefined });
  try {
    const { state, hosts } = await store.peek();
    return viewOf(state, momentOf(options.clock), hosts);
  } finally {
    await processes.unregister();
  }
}

/** Removes everything but the requests under way and the processes that wait. */
export async function resetLedgerAt(options: StoreOptions): Promise<void> {
  const { store, processes } = await openStore(options);
  try {
    await store.transaction(clearState);
  } finally {
    await processes.unregister();
  }
}

/** The code for a server is loaded only when one is configured. */
async function openStore({ location, ...options }: StoreOptions) {
  const { clock, warn, boot = currentBoot() } = options;
  if ('server' in location) {
    const { openRedisStore } = await import('./redis/redis-store.js');
    return openRedisStore({ ...options, address: location.server, host: boot.host });
  }
  const { folder } = location;
  return {
    store: new FileStore({ folder, clock, warn, boot }),
    processes: new FileProcessRegistry(folder, clock, boot),
  };
}
