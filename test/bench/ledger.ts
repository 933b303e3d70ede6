/** What it costs to reserve a permit and to settle it, in a folder and on a server, and how much of the limits is used. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/core/clock.js';
import { openLedger, resetLedgerAt } from '../../src/service/ledger.js';
import { type LedgerLocation } from '../../src/config/ledger-location.js';
import { adjustableClock } from '../support/fake-clock.js';
import { runPool } from '../support/process-pool-run.js';
import { redisLedger } from '../support/redis-ledger-under-test.js';
import { startRedis } from '../support/redis-process.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { record, type Measurement } from './records.js';
import { median, rounded } from './statistics.js';

const TIMES = 300;
const WARM_UP = 20;
/** Between two requests so much time is made to pass: as many permits are in force as a long batch has. */
const STEP_MS = 1_505;
/** In each direction. */
const LINE_MS = 1;
const POOL_REQUESTS = 200;

interface Store {
  readonly name: string;
  readonly location: LedgerLocation;
  /** For processes: the URL of the server. */
  readonly url?: string;
}

export const ledger: Measurement = {
  name: 'ledger',
  about: 'reserving and settling a permit in the rate ledger, in a folder and on a server',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'tankobon-ledger-'));
    const redis = await startRedis();
    const line = await startTcpProxy(redis.port, LINE_MS);
    const onServer = (name: string, url: string): Store => ({
      name,
      url,
      location: { server: { url: new URL(url) } },
    });
    const stores: readonly Store[] = [
      { name: 'folder', location: { folder } },
      onServer('server', redis.url),
      onServer(`server, ${LINE_MS} ms away`, `redis://127.0.0.1:${line.port}/0`),
    ];
    const rows = [];
    try {
      for (const store of stores) {
        const cost = await costOf(store.location);
        rows.push({ ledger: store.name, ...cost, usedOfLimit: await useOf(store) });
      }
    } finally {
      await line.stop();
      await redis.stop();
      rmSync(folder, { recursive: true, force: true });
    }
    record('ledger', {
      what: `one process, ${TIMES} times, with about 40 permits in force, in milliseconds; and the part of the general limit that 4 processes use`,
      rows,
    });
  },
};

/** The cost for one process alone. */
async function costOf(location: LedgerLocation) {
  const clock = adjustableClock();
  const url = new URL('https://api.example.org/at-home/server/1');
  const addresses = { apiUrl: url, authUrl: url, networkUrl: url, realm: 'realm' };
  const warn = (): void => undefined;
  const permits =
    'folder' in location
      ? await openLedger({ location, addresses, clock, warn })
      : await (await redisLedger(clock, { url: location.server.url.href })).open(addresses);
  const reserveMs: number[] = [];
  const settleMs: number[] = [];
  for (let time = 0; time < TIMES + WARM_UP; time += 1) {
    clock.advance(STEP_MS);
    const startedMs = performance.now();
    const permit = await permits.reserve({ method: 'GET', url });
    const reservedMs = performance.now();
    await permit.settle({ status: 200, headers: {} });
    if (time < WARM_UP) continue;
    reserveMs.push(reservedMs - startedMs);
    settleMs.push(performance.now() - reservedMs);
  }
  await permits.close();
  return { ...summary('reserve', reserveMs), ...summary('settle', settleMs) };
}

/** The requests that arrive, as a part of those that the general limit allows, after the first ones. */
async function useOf({ location, url }: Store): Promise<number> {
  await resetLedgerAt({ location, clock: systemClock, warn: () => undefined });
  const { times } = await runPool({
    processes: 4,
    concurrency: 3,
    requests: POOL_REQUESTS,
    path: '/manga/x',
    ...(url !== undefined && { servers: [url] }),
  });
  const lastMs = times.at(-1) ?? 0;
  const afterMs = times[POOL_REQUESTS / 4] ?? 0;
  const perSecond = (POOL_REQUESTS * 3) / 4 / ((lastMs - afterMs) / 1_000);
  return rounded(perSecond / 5);
}

function summary(step: string, ms: readonly number[]) {
  const sorted = [...ms].sort((a, b) => a - b);
  const worst = sorted[Math.floor(sorted.length * 0.95)] ?? NaN;
  return { [`${step}MedianMs`]: rounded(median(ms)), [`${step}In95of100Ms`]: rounded(worst) };
}
