/** The ledger of several machines, on a Redis or Valkey server. */
import { momentOf } from '../../core/clock.js';
import { currentBoot } from '../boot.js';
import { clearState, MAX_REQUEST_MS } from '../ledger-state.js';
import { viewOf, type LedgerView } from '../ledger-view.js';
import { quotasFor, type MachineLedgerOptions } from '../machine-ledger.js';
import type { RateLedger } from '../rate-ledger.js';
import { SharedLedger } from '../shared-ledger.js';
import { LedgerServer } from './ledger-server.js';
import {
  RedisConnection,
  displayAddress,
  type RedisAddress,
  type ScriptRunner,
} from './redis-connection.js';
import { RedisStore } from './redis-store.js';

export interface RedisLedgerOptions extends Omit<MachineLedgerOptions, 'folder'> {
  readonly server: RedisAddress;
  /** How long to wait while the server cannot be used. */
  readonly maxOutageMs: number;
  /** Default: a connection to `server`. */
  readonly runner?: ScriptRunner;
}

export function openRedisLedger(options: RedisLedgerOptions): RateLedger {
  const { addresses, clock, periodScale } = options;
  const { store, server } = openStore(options);
  return new SharedLedger({
    store,
    processes: server,
    clock,
    quotasFor: (request) => quotasFor(addresses, request, periodScale),
  });
}

type ViewOptions = Pick<RedisLedgerOptions, 'server' | 'clock' | 'runner'>;

/** The ledger at this moment with the machines that use it, for display. Changes nothing. */
export async function viewRedisLedger(options: ViewOptions): Promise<LedgerView> {
  const { store, server } = openStore({ ...options, warn: () => undefined, maxOutageMs: 0 });
  try {
    const { state, processes } = await store.peek();
    const hosts = new Map([...processes].map(([id, { host }]) => [id, host]));
    return viewOf(state, momentOf(options.clock), hosts);
  } finally {
    await server.unregister();
  }
}

export async function resetRedisLedger(
  options: ViewOptions & { readonly warn: (message: string) => void },
): Promise<void> {
  const { store, server } = openStore({ ...options, maxOutageMs: 0 });
  try {
    await store.transaction(clearState);
  } finally {
    await server.unregister();
  }
}

function openStore(options: Omit<RedisLedgerOptions, 'addresses'>) {
  const { server: address, clock, warn, maxOutageMs, boot, periodScale } = options;
  const { host } = boot ?? currentBoot();
  const server = new LedgerServer(options.runner ?? new RedisConnection(address), clock, host);
  const displayUrl = displayAddress(address);
  const maxRequestMs = MAX_REQUEST_MS * (periodScale?.general ?? 1);
  const store = new RedisStore({
    server,
    clock,
    host,
    displayUrl,
    maxOutageMs,
    maxRequestMs,
    warn,
  });
  return { store, server };
}
