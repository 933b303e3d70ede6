/** The ledger of several machines, on a Redis or Valkey server. */
import type { Clock } from '../../core/clock.js';
import { thisBoot, type Boot } from '../boot.js';
import { clearState } from '../ledger-state.js';
import { viewOf, type LedgerView } from '../ledger-view.js';
import { quotasFor, type MachineLedgerOptions } from '../machine-ledger.js';
import type { RateLedger } from '../rate-ledger.js';
import { SharedLedger } from '../shared-ledger.js';
import { LedgerServer } from './ledger-server.js';
import { RedisConnection, type RedisAddress, type ScriptRunner } from './redis-connection.js';
import { RedisStore } from './redis-store.js';

export interface RedisLedgerOptions extends Omit<MachineLedgerOptions, 'folder'> {
  readonly server: RedisAddress;
  /** How long to wait while the server cannot be used. */
  readonly maxOutageMs: number;
  /** Default: a connection to `server`. */
  readonly runner?: ScriptRunner & { close(): void; shortenWaits(ms: number): void };
}

/** The longest wait for a reply when the process ends. */
const MAX_LAST_REPLY_MS = 1_000;

export function openRedisLedger(options: RedisLedgerOptions): RateLedger {
  const { addresses, clock, periodScale } = options;
  const { store, server, runner } = openStore(options);
  return new SharedLedger({
    store: {
      transaction: (change, onWait) => store.transaction(change, onWait),
      shortenWaits: () => {
        store.shortenWaits();
        runner.shortenWaits(MAX_LAST_REPLY_MS);
      },
    },
    processes: {
      ownId: server.ownId,
      enter: () => server.enter(),
      livenessOf: (id) => server.livenessOf(id),
      sweep: () => server.sweep(),
      isConfirmed: () => server.isConfirmed(),
      leave: async () => {
        await server.leave();
        runner.close();
      },
    },
    clock,
    quotasFor: (request) => quotasFor(addresses, request, periodScale),
  });
}

type ViewOptions = Pick<RedisLedgerOptions, 'server' | 'clock' | 'runner'>;

/** The ledger at this moment with the machines that use it, for display. Changes nothing. */
export async function viewRedisLedger(options: ViewOptions): Promise<LedgerView> {
  const { clock } = options;
  const warn = (): void => undefined;
  const { store, runner } = openStore({ ...options, warn, maxOutageMs: 0 });
  try {
    const { state, processes } = await store.peek();
    const moment = { nowMs: clock.monotonicMs(), wallMs: clock.wallMs() };
    const hosts = new Map([...processes].map(([id, { host }]) => [id, host]));
    return viewOf(state, moment, hosts);
  } finally {
    runner.close();
  }
}

export async function resetRedisLedger(
  options: ViewOptions & { readonly warn: (message: string) => void },
): Promise<void> {
  const { store, server, runner } = openStore({ ...options, maxOutageMs: 0 });
  try {
    await store.transaction((state) => {
      clearState(state);
      return Promise.resolve();
    });
  } finally {
    await server.leave();
    runner.close();
  }
}

interface StoreOptions extends ViewOptions {
  readonly clock: Clock;
  readonly warn: (message: string) => void;
  readonly maxOutageMs: number;
  readonly boot?: Boot;
}

function openStore(options: StoreOptions) {
  const { server: address, clock, warn, maxOutageMs, boot } = options;
  const { host } = boot ?? thisBoot();
  const runner = options.runner ?? new RedisConnection(address);
  const server = new LedgerServer(runner, clock, host);
  const shownUrl = shownAddress(address);
  const store = new RedisStore({ server, clock, host, shownUrl, maxOutageMs, warn });
  return { store, server, runner };
}

/** Without user name and password. */
function shownAddress({ url }: RedisAddress): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}
