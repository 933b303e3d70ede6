/**
 * Real processes, a real ledger folder and real time. The tests run side by side, since they mostly wait; each
 * has a service and a ledger of its own.
 */
import { describe, expect, test } from '@jest/globals';
import { carriedOut } from '../../support/process-pool-run.js';
import { seeded } from '../../support/ledger-simulation.js';
import { maxRequestsInWindow } from '../../support/stub-server.js';

const secondsOf = (times: readonly number[]): number =>
  ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;

/** What is measured goes to the reader of the test's output; the rules stand in the expectations. */
const tell = (what: string): void => {
  process.stderr.write(`    ${what}\n`);
};

describe('processes that share a ledger', () => {
  test.concurrent(
    '8 of them, 300 requests: never over 5 a second, over 90 % of it in sum, shared fairly',
    async () => {
      const { times, shares, failures, warnings } = await carriedOut({
        processes: 8,
        atOnce: 2,
        requests: 300,
        path: '/manga/x',
      });
      const perSecond = times.length / secondsOf(times);
      tell(`8 processes: ${perSecond.toFixed(2)} requests a second, shares ${shares.join(' ')}`);
      expect([...failures, ...warnings]).toEqual([]);
      expect(times).toHaveLength(300);
      expect(maxRequestsInWindow(times, 1_000)).toBeLessThanOrEqual(5);
      expect(perSecond).toBeGreaterThanOrEqual(0.9 * 5);
      expect(Math.max(...shares) / Math.min(...shares)).toBeLessThanOrEqual(1.5);
    },
    120_000,
  );

  test.concurrent(
    '4 of them, 100 chapters, the minute shortened to 6 seconds: never over 40, and 95 % of it',
    async () => {
      const { times, failures, warnings } = await carriedOut({
        processes: 4,
        atOnce: 6,
        requests: 100,
        path: '/at-home/server/x',
        periodScale: { general: 0.1, endpoint: 0.1 },
      });
      expect([...failures, ...warnings]).toEqual([]);
      expect(times).toHaveLength(100);
      expect(maxRequestsInWindow(times, 6_000)).toBe(40);
      // Each place after the first 40 follows its forerunner by one period, and hardly more.
      const gaps = times.slice(40).map((atMs, at) => atMs - (times[at] ?? 0));
      const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
      tell(
        `100 chapters in ${secondsOf(times).toFixed(2)} s, a place again after ${mean.toFixed(0)} ms`,
      );
      expect(mean).toBeLessThanOrEqual(6_000 / 0.95);
    },
    120_000,
  );

  test.concurrent(
    'killed at random: no limit broken, and the rest go on within a second',
    async () => {
      const random = seeded(4);
      const kills: number[] = [];
      const { times, failures, warnings } = await carriedOut({
        processes: 8,
        atOnce: 2,
        requests: 130,
        path: '/manga/x',
        meanwhile: (crew) => {
          const killing = setInterval(() => {
            if (kills.length < 12 && crew.killOne(random)) {
              kills.push(performance.now());
              void crew.join();
            }
          }, 1_700);
          return () => {
            clearInterval(killing);
          };
        },
      });
      const pauses = kills.map((killedMs) => (times.find((ms) => ms > killedMs) ?? 0) - killedMs);
      tell(`after each kill the next request in ${pauses.map((ms) => ms.toFixed(0)).join(' ')} ms`);
      expect([...failures, ...warnings]).toEqual([]);
      expect(maxRequestsInWindow(times, 1_000)).toBeLessThanOrEqual(5);
      expect(kills.length).toBeGreaterThanOrEqual(8);
      // What the dead had under way may have arrived with their last breath, and counts for a second from then.
      expect(Math.max(...pauses)).toBeLessThan(1_500);
    },
    120_000,
  );

  test.concurrent(
    'with wall clocks two hours wrong either way, and stepped: no limit broken, no long wait',
    async () => {
      const { times, failures, warnings } = await carriedOut({
        processes: 4,
        atOnce: 3,
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
