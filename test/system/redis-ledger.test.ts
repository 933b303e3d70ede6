/** One ledger on a real server, used by the processes of several machines. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { runPool } from '../support/process-pool-run.js';
import { startRedis, type RedisProcess } from '../support/redis-process.js';
import { describeWith } from '../support/requirements.js';
import { maxRequestsInWindow } from '../support/stub-server.js';

/** The general limit is 5 in 200 ms, an endpoint's 40 in 1.2 s. */
const PERIOD_SCALE = { general: 0.2, endpoint: 0.02 };
/** Two processes on each of four machines, whose clocks started at different times. */
const MACHINES = [0, 500_000_000, 50_000, 7_000_000].map((clockOffsetMs, machine) => ({
  boot: { id: `machine${machine}xxxx`, host: `machine-${machine}` },
  clockOffsetMs,
}));

describeWith('a ledger on a server', { programs: ['redis-server'] }, () => {
  let redis: RedisProcess;
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(() => redis.stop());

  test('four machines with two processes each exceed no limit, and each process gets its turn', async () => {
    const { times, shares, failures } = await runPool({
      processes: 8,
      concurrency: 2,
      requests: 120,
      path: '/manga/x',
      periodScale: PERIOD_SCALE,
      variants: MACHINES,
      servers: [redis.url],
    });
    expect(failures).toEqual([]);
    expect(times).toHaveLength(120);
    expect(maxRequestsInWindow(times, 200)).toBeLessThanOrEqual(5);
    expect(Math.min(...shares)).toBeGreaterThan(0);
  }, 60_000);
});
