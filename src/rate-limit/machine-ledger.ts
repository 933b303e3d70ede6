/** The ledger of this machine: its folder, its processes, and the quotas that requests draw on. */
import { momentOf } from '../core/clock.js';
import { currentBoot } from './boot.js';
import { FileProcessRegistry } from './file-process-registry.js';
import { FileStore, type LedgerFileOptions } from './file-store.js';
import { clearState } from './ledger-state.js';
import { viewOf, type LedgerView } from './ledger-view.js';
import { quotasOf, type PeriodScale, type Quota } from './quotas.js';
import type { RateLedger, RequestInfo } from './rate-ledger.js';
import { hostKey, pathBelow, type ServiceAddresses } from './service-addresses.js';
import { SharedLedger } from './shared-ledger.js';

export interface MachineLedgerOptions extends LedgerFileOptions {
  readonly addresses: ServiceAddresses;
  /** For a practice service with shorter periods. */
  readonly periodScale?: PeriodScale;
}

export function openMachineLedger(options: MachineLedgerOptions): RateLedger {
  const { folder, clock, warn, addresses, periodScale, boot = currentBoot() } = options;
  return new SharedLedger({
    store: new FileStore({ folder, clock, warn, boot }),
    processes: new FileProcessRegistry(folder, clock, boot),
    clock,
    quotasFor: (request) => quotasFor(addresses, request, periodScale),
  });
}

/** The general limit applies to the API's host and, by itself, to the token endpoint's. Others have no known limit. */
export function quotasFor(
  { apiUrl, authUrl }: ServiceAddresses,
  { method, url }: RequestInfo,
  scale?: PeriodScale,
): readonly Quota[] {
  const host = hostKey(url);
  if (host === hostKey(apiUrl)) {
    return quotasOf(host, method, pathBelow(apiUrl, url) ?? '', scale);
  }
  return host === hostKey(authUrl) ? quotasOf(host, method, '', scale) : [];
}

/** The ledger at this moment, for display. Takes no lock and changes nothing. */
export function viewLedger(options: Omit<LedgerFileOptions, 'warn'>): LedgerView {
  const store = new FileStore({ ...options, warn: () => undefined });
  return viewOf(store.peek(), momentOf(options.clock));
}

/** Removes everything but the requests under way and the processes that wait. */
export async function resetLedger(options: LedgerFileOptions): Promise<void> {
  await new FileStore(options).transaction(clearState);
}
