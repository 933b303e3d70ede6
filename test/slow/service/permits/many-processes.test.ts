/**
 * Real processes, a real ledger folder and real time, with shortened periods. The tests run side by side, since they
 * mostly wait; each has a service and a ledger of its own. How much of the limits is used is tested in simulated time.
 */
import { testConcurrently } from '../../../support/concurrent-tests.js';
import { IS_LONG_RUN } from '../../../support/long-run.js';
import { runPool } from '../../../support/process-pool-run.js';
import type { ProcessPool } from '../../../support/process-pool.js';
import { seeded } from '../../../support/seeded.js';
import { maxRequestsInWindow } from '../../../support/stub-server.js';

/** The general limit is 5 in 200 ms, an endpoint's 40 in 1.2 s. */
const PERIOD_SCALE = { general: 0.2, endpoint: 0.02 };

/** In a short run, the processes with wrong clocks hold it too. */
async function stayWithinQuota(): Promise<void> {
  const { times, failures, warnings } = await runPool({
    processes: 2,
    concurrency: 6,
    requests: 90,
    path: '/at-home/server/x',
    periodScale: { general: 0.02, endpoint: 0.02 },
  });
  expect([...failures, ...warnings]).toEqual([]);
  expect(times).toHaveLength(90);
  expect(maxRequestsInWindow(times, 1_200)).toBeLessThanOrEqual(40);
}

describe('processes that share a ledger', () => {
  testConcurrently({
    ...(IS_LONG_RUN && { 'stay within the quota of an endpoint': stayWithinQuota }),
    'stay within the limit when some are killed, and the rest go on': async () => {
      const random = seeded(4);
      let pool: ProcessPool | undefined;
      let kills = 0;
      const { times, failures, warnings } = await runPool({
        // Enough that the kills do not depend on how fast the new process starts.
        processes: 4,
        concurrency: 2,
        requests: 48,
        path: '/manga/x',
        periodScale: PERIOD_SCALE,
        // What a killed process held counts for so long.
        maxRequestMs: 3_000,
        during: (running) => {
          pool = running;
          return () => undefined;
        },
        behaviour: (_, number) => {
          if (number % 12 === 0 && pool?.killOne(random)) {
            kills += 1;
            if (kills === 1) void pool.startOne();
          }
          return { body: { result: 'ok' } };
        },
      });
      expect([...failures, ...warnings]).toEqual([]);
      expect(maxRequestsInWindow(times, 200)).toBeLessThanOrEqual(5);
      expect(kills).toBeGreaterThanOrEqual(2);
      // A killed process loses at most what it had under way.
      expect(times.length).toBeGreaterThanOrEqual(48 - kills * 2);
    },

    'stay within the limits, and each gets its turn, where wall clocks are two hours wrong either way, and stepped':
      async () => {
        const { times, shares, failures, warnings } = await runPool({
          processes: 3,
          concurrency: 2,
          requests: 60,
          path: '/at-home/server/x',
          periodScale: PERIOD_SCALE,
          wallOffsetsMs: [0, 7_200_000, -7_200_000],
          behaviour: (_, number) => ({
            body: { result: 'ok' },
            headers: {
              'x-ratelimit-limit': '40',
              'x-ratelimit-remaining': String(40 - Math.min(40, number)),
              'x-ratelimit-retry-after': String(Math.ceil(Date.now() / 1_000) + 1),
            },
          }),
        });
        expect([...failures, ...warnings]).toEqual([]);
        expect(times).toHaveLength(60);
        expect(maxRequestsInWindow(times, 1_200)).toBeLessThanOrEqual(40);
        expect(maxRequestsInWindow(times, 200)).toBeLessThanOrEqual(5);
        expect(Math.min(...shares)).toBeGreaterThan(0);
      },
  });
});
