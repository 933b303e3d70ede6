/** Two processes on each of four machines, whose clocks started at different times, with one ledger on a server. */
import { runPool } from './process-pool-run.js';
import type { ProcessPool } from './process-pool.js';
import { resetLedgerOf, type RedisProcess } from './redis-process.js';
import { maxRequestsInWindow } from './stub-server.js';
import type { TcpProxy } from './tcp-proxy.js';

const MACHINES = [0, 500_000_000, 50_000, 7_000_000].map((clockOffsetMs, machine) => ({
  boot: { id: `machine${machine}xxxx`, host: `machine-${machine}` },
  clockOffsetMs,
}));

export interface Incident {
  /** After this many requests have arrived. */
  readonly at: number;
  readonly act: (pool: ProcessPool) => void;
}

/**
 * Sends the requests, and expects that no 200 ms hold more than 5 of them (a fifth of the real periods), that none
 * failed, and that those of all processes but the killed ones arrived. Returns their number.
 */
export async function expectLimitsKept(
  redis: RedisProcess,
  options: {
    readonly requests: number;
    readonly kills?: number;
    readonly incidents: readonly Incident[];
    /** The line of the last machine to the server. */
    readonly proxy?: TcpProxy;
  },
): Promise<readonly number[]> {
  const { requests, incidents, proxy, kills = 0 } = options;
  const concurrency = 2;
  let pool: ProcessPool | undefined;
  await resetLedgerOf(redis);
  const last = proxy ? `redis://127.0.0.1:${proxy.port}/0` : redis.url;
  const { times, failures } = await runPool({
    processes: 2 * MACHINES.length,
    concurrency,
    requests,
    path: '/manga/x',
    periodScale: { general: 0.2, endpoint: 0.2 },
    maxRequestMs: 6_000,
    variants: MACHINES,
    servers: [redis.url, redis.url, redis.url, last],
    maxOutageMs: 120_000,
    during: (running) => {
      pool = running;
      return () => undefined;
    },
    behaviour: (_, number) => {
      for (const { at, act } of incidents) if (at === number && pool) act(pool);
      return { body: { result: 'ok' } };
    },
  });
  expect(failures).toEqual([]);
  expect(maxRequestsInWindow(times, 200)).toBeLessThanOrEqual(5);
  expect(times.length).toBeGreaterThanOrEqual(requests - kills * concurrency);
  return times;
}
