/** The ledger of this machine, put together: its folder, its processes, and what the service's requests draw on. */
import type { Clock } from '../core/clock.js';
import { hostKey, pathBelow, type ServiceAddresses } from './service-addresses.js';
import { thisBoot, type Boot } from './boot.js';
import { ProcessRegistry } from './process-registry.js';
import { FileStore } from './file-store.js';
import { viewOf, type LedgerView } from './ledger-view.js';
import { quotasOf, type PeriodScale, type Quota } from './quotas.js';
import type { RequestInfo, RateLedger } from './rate-ledger.js';
import { SharedLedger } from './shared-ledger.js';

export interface MachineLedgerOptions {
  /** `TANKOBON_LEDGER`, or the ledger's own folder in the state folder. Made where it is missing. */
  readonly folder: string;
  readonly addresses: ServiceAddresses;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
  /** Which boot of which machine this is; found out where not given. */
  readonly boot?: Boot;
  /** For a practice service whose periods are shortened. */
  readonly periodScale?: PeriodScale;
}

export function openMachineLedger(options: MachineLedgerOptions): RateLedger {
  const { folder, clock, warn, addresses, periodScale, boot = thisBoot() } = options;
  return new SharedLedger({
    store: new FileStore({ folder, clock, warn, boot }),
    company: new ProcessRegistry(folder, clock, boot),
    clock,
    quotasFor: (line) => quotasFor(addresses, line, periodScale),
  });
}

/** The general limit counts per API host; the token endpoint's host is spared alike. Others have no known limit. */
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

/** What stands in the ledger now, for showing. Waits for nobody, and changes nothing. */
export function viewLedger(options: Omit<MachineLedgerOptions, 'addresses' | 'warn'>): LedgerView {
  const { clock } = options;
  const file = new FileStore({ ...options, warn: () => undefined });
  return viewOf(file.peek(), { nowMs: clock.monotonicMs(), wallMs: clock.wallMs() });
}

/** Forgets all but the requests that are under way, and those who wait. */
export async function resetLedger(options: Omit<MachineLedgerOptions, 'addresses'>): Promise<void> {
  await new FileStore(options).exchange((state) => {
    state.places = state.places.filter(({ settledMs }) => settledMs === undefined);
    state.foreign = [];
    state.limits = [];
    state.cooldown = {};
    delete state.full;
    return Promise.resolve();
  });
}
