/** Processes that share a ledger at the full limits, for about a minute. */
import { testConcurrently } from '../support/concurrent-tests.js';
import { runPool } from '../support/process-pool-run.js';
import { seeded } from '../support/seeded.js';
import { maxRequestsInWindow } from '../support/stub-server.js';

/** Measurements are for the reader of the output; the rules are in the expectations. */
const report = (text: string): void => {
  process.stderr.write(`    ${text}\n`);
};

const durationS = (times: readonly number[]): number =>
  ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;

describe('processes that share a ledger', () => {
  testConcurrently({
    '8 of them, 300 requests: never over 5 a second, shared fairly': async () => {
      const { times, shares, failures, warnings } = await runPool({
        processes: 8,
        concurrency: 2,
        requests: 300,
        path: '/manga/x',
      });
      const perSecond = times.length / durationS(times);
      report(`8 processes: ${perSecond.toFixed(2)} requests a second, shares ${shares.join(' ')}`);
      expect([...failures, ...warnings]).toEqual([]);
      expect(times).toHaveLength(300);
      expect(maxRequestsInWindow(times, 1_000)).toBeLessThanOrEqual(5);
      expect(Math.max(...shares) / Math.min(...shares)).toBeLessThanOrEqual(1.5);
    },

    '4 of them, 100 chapters in minutes of 6 seconds: never over 40': async () => {
      const { times, failures, warnings } = await runPool({
        processes: 4,
        concurrency: 6,
        requests: 100,
        path: '/at-home/server/x',
        periodScale: { general: 0.1, endpoint: 0.1 },
      });
      report(`100 chapters in ${durationS(times).toFixed(2)} s`);
      expect([...failures, ...warnings]).toEqual([]);
      expect(times).toHaveLength(100);
      expect(maxRequestsInWindow(times, 6_000)).toBe(40);
    },

    'killed at random: no limit is broken, and the rest go on': async () => {
      const random = seeded(4);
      const kills: number[] = [];
      const { times, failures, warnings } = await runPool({
        processes: 8,
        concurrency: 2,
        requests: 130,
        path: '/manga/x',
        maxRequestMs: 6_000,
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
      report(
        `after each kill the next request in ${pauses.map((ms) => ms.toFixed(0)).join(' ')} ms`,
      );
      expect([...failures, ...warnings]).toEqual([]);
      expect(maxRequestsInWindow(times, 1_000)).toBeLessThanOrEqual(5);
      expect(kills.length).toBeGreaterThanOrEqual(8);
    },
  });
});
