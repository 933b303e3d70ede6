/**
 * Real processes, a real ledger folder and real time. The tests run concurrently, since they mostly wait; each has its
 * own service and ledger.
 */
import { describe, expect, test } from '@jest/globals';
import { runPool } from '../../support/process-pool-run.js';
import { seeded } from '../../support/ledger-simulation.js';
import { maxRequestsInWindow } from '../../support/stub-server.js';

const secondsOf = (times: readonly number[]): number =>
  ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;

/** Measurements for the reader of the test's output. */
const log = (message: string): void => {
  process.stderr.write(`    ${message}\n`);
};

describe('processes that share a ledger', () => {
  test.concurrent(
    '8 processes, 300 requests: at most 5 per second, at least 90 % of that, shared fairly',
    async () => {
      const { times, shares, failures, warnings } = await runPool({
        processes: 8,
        concurrency: 2,
        requests: 300,
        path: '/manga/x',
      });
      const perSecond = times.length / secondsOf(times);
      log(`8 processes: ${perSecond.toFixed(2)} requests a second, shares ${shares.join(' ')}`);
      expect([...failures, ...warnings]).toEqual([]);
      expect(times).toHaveLength(300);
      expect(maxRequestsInWindow(times, 1_000)).toBeLessThanOrEqual(5);
      expect(perSecond).toBeGreaterThanOrEqual(0.9 * 5);
      expect(Math.max(...shares) / Math.min(...shares)).toBeLessThanOrEqual(1.5);
    },
    120_000,
  );

  test.concurrent(
    '4 processes, 100 chapters, with a minute of 6 seconds: at most 40, and 95 % of that',
    async () => {
      const { times, failures, warnings } = await runPool({
        processes: 4,
        concurrency: 6,
        requests: 100,
        path: '/at-home/server/x',
        periodScale: { general: 0.1, endpoint: 0.1 },
      });
      expect([...failures, ...warnings]).toEqual([]);
      expect(times).toHaveLength(100);
      expect(maxRequestsInWindow(times, 6_000)).toBe(40);
      // Each request after the first 40 follows the 40th before it by hardly more than one period.
      const gaps = times.slice(40).map((atMs, at) => atMs - (times[at] ?? 0));
      const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
      log(
        `100 chapters in ${secondsOf(times).toFixed(2)} s, ${mean.toFixed(0)} ms until a permit is free again`,
      );
      expect(mean).toBeLessThanOrEqual(6_000 / 0.95);
    },
    120_000,
  );

  test.concurrent(
    'processes are killed: no limit is exceeded, and the others continue within a second',
    async () => {
      const random = seeded(4);
      const kills: number[] = [];
      const { times, failures, warnings } = await runPool({
        processes: 8,
        concurrency: 2,
        requests: 130,
        path: '/manga/x',
        during: (pool) => {
          const killing = setInterval(() => {
            if (kills.length < 12 && pool.killOne(random)) {
              kills.push(performance.now());
              void pool.startOne();
            }
          }, 1_700);
          return () => {
            clearInterval(killing);
          };
        },
      });
      const pauses = kills.map((killedMs) => (times.find((ms) => ms > killedMs) ?? 0) - killedMs);
      log(`after each kill the next request in ${pauses.map((ms) => ms.toFixed(0)).join(' ')} ms`);
      expect([...failures, ...warnings]).toEqual([]);
      expect(maxRequestsInWindow(times, 1_000)).toBeLessThanOrEqual(5);
      expect(kills.length).toBeGreaterThanOrEqual(8);
      // A request under way may arrive just after its process was killed, and counts for a second from then.
      expect(Math.max(...pauses)).toBeLessThan(1_500);
    },
    120_000,
  );

  test.concurrent(
    'wall clocks two hours fast and slow, and stepped: no limit is exceeded, and no wait is long',
    async () => {
      const { times, failures, warnings } = await runPool({
        processes: 4,
        concurrency: 3,
        requests: 80,
        path: '/at-home/server/x',
        periodScale: { general: 0.2, endpoint: 0.1 },
        wallOffsetsMs: [7_200_000, -7_200_000],
        behaviour: (_, number) => ({
          body: { result: 'ok' },
          headers: {
            'x-ratelimit-limit': '40',
            'x-ratelimit-remaining': String(40 - Math.min(40, number)),
            'x-ratelimit-retry-after': String(Math.ceil(Date.now() / 1_000) + 3),
          },
        }),
      });
      expect([...failures, ...warnings]).toEqual([]);
      expect(maxRequestsInWindow(times, 6_000)).toBeLessThanOrEqual(40);
      expect(maxRequestsInWindow(times, 200)).toBeLessThanOrEqual(5);
      expect(secondsOf(times)).toBeLessThan(15);
    },
    120_000,
  );
});
