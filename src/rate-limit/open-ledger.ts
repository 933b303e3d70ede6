/** Opens the ledger at its configured location: a folder of this machine, or a server for several machines. */
import type { RateLedger } from './rate-ledger.js';
import type { LedgerView } from './ledger-view.js';
import {
  openMachineLedger,
  resetLedger,
  viewLedger,
  type MachineLedgerOptions,
} from './machine-ledger.js';
import type { RedisAddress } from './redis/redis-connection.js';

export type LedgerLocation = { readonly folder: string } | { readonly server: RedisAddress };

export interface LedgerOptions extends Omit<MachineLedgerOptions, 'folder'> {
  readonly location: LedgerLocation;
  /** How long to wait while the server cannot be used. */
  readonly maxOutageMs: number;
}

/** The code for a server is loaded only when one is configured. */
export async function openLedger({ location, ...options }: LedgerOptions): Promise<RateLedger> {
  if ('folder' in location) return openMachineLedger({ ...options, folder: location.folder });
  const { openRedisLedger } = await import('./redis/redis-ledger.js');
  return openRedisLedger({ ...options, server: location.server });
}

/** The ledger at this moment, for display. Changes nothing. */
export async function viewLedgerAt({
  location,
  ...options
}: Pick<LedgerOptions, 'location' | 'clock'>): Promise<LedgerView> {
  if ('folder' in location) return viewLedger({ ...options, folder: location.folder });
  const { viewRedisLedger } = await import('./redis/redis-ledger.js');
  return viewRedisLedger({ ...options, server: location.server });
}

/** Removes everything but the requests under way and the processes that wait. */
export async function resetLedgerAt({
  location,
  ...options
}: Pick<LedgerOptions, 'location' | 'clock' | 'warn'>): Promise<void> {
  if ('folder' in location) {
    await resetLedger({ ...options, folder: location.folder });
    return;
  }
  const { resetRedisLedger } = await import('./redis/redis-ledger.js');
  await resetRedisLedger({ ...options, server: location.server });
}
