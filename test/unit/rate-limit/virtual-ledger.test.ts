import { describe, expect, test } from '@jest/globals';
import { Simulation } from '../../support/ledger-simulation.js';
import { maxRequestsInWindow } from '../../support/stub-server.js';
import { IS_LONG_RUN } from '../../support/long-run.js';

const REQUESTS = IS_LONG_RUN ? 300 : 60;
const CHAPTERS = IS_LONG_RUN ? 900 : 120;
const SEEDS = IS_LONG_RUN ? [1, 2, 3, 4, 5, 6] : [1, 2];

const times = (arrivals: readonly { readonly atMs: number }[]): number[] =>
  arrivals.map(({ atMs }) => atMs).sort((a, b) => a - b);

const shares = (arrivals: readonly { readonly process: number }[]): number[] => {
  const counts = new Map<number, number>();
  for (const { process } of arrivals) counts.set(process, (counts.get(process) ?? 0) + 1);
  return [...counts.values()];
};

test('many chapters in 4 processes: at most 40 per minute, and at least 97 % of that', async () => {
  const simulation = new Simulation({
    processes: 4,
    concurrency: 2,
    requests: CHAPTERS,
    path: '/at-home/server/x',
    seed: 1,
    travelMs: (random) => 10 + random() * 60,
    serviceSkewMs: 2 * 3_600_000,
  });
  const arrived = times(await simulation.run());
  expect(arrived).toHaveLength(CHAPTERS);
  expect(maxRequestsInWindow(arrived, 60_000)).toBe(40);
  expect(maxRequestsInWindow(arrived, 1_000)).toBeLessThanOrEqual(5);
  // The first 40 go at once; the quota limits the rest.
  const minutes = ((arrived.at(-1) ?? 0) - (arrived[39] ?? 0)) / 60_000;
  expect((CHAPTERS - 40) / minutes).toBeGreaterThanOrEqual(0.97 * 40);
}, 60_000);

test.each(SEEDS)(
  'late timers, slow handshakes, suspended and killed processes and clock steps exceed no limit (seed %d)',
  async (seed) => {
    const simulation = new Simulation({
      processes: 6,
      concurrency: 3,
      requests: REQUESTS,
      path: seed % 2 === 0 ? '/manga/x' : '/at-home/server/x',
      seed,
      travelMs: (random) => (random() < 0.05 ? random() * 3_000 : 5 + random() * 40),
      lateMs: (random) => (random() < 0.02 ? random() * 5_000 : random() * 3),
      serviceSkewMs: -2 * 3_600_000,
      onRequest: ({ time, random, arrivals, living }) => {
        if (random() < 0.05) time.wallOffsetMs += (random() - 0.5) * 4 * 3_600_000;
        if (arrivals.length % (REQUESTS / 4) === 0 && living.size > 3) simulation.kill();
      },
    });
    const arrived = times(await simulation.run());
    expect(arrived.length).toBeGreaterThan(REQUESTS - 20);
    expect(maxRequestsInWindow(arrived, 1_000)).toBeLessThanOrEqual(5);
    expect(maxRequestsInWindow(arrived, 60_000)).toBeLessThanOrEqual(seed % 2 === 0 ? 300 : 40);
  },
  60_000,
);

test.each([
  ['with visible locks', true, 1],
  ['with visible locks', true, 2],
  ['with invisible locks', false, 3],
  ['with invisible locks', false, 4],
])(
  'three kernels %s share a folder: no limit is exceeded, and most of it is used (%s, seed %d)',
  async (_, seesLocksOfOtherKernels, seed) => {
    const simulation = new Simulation({
      processes: 6,
      concurrency: 3,
      requests: REQUESTS,
      path: seed % 2 === 0 ? '/manga/x' : '/at-home/server/x',
      seed,
      kernels: 3,
      seesLocksOfOtherKernels,
      travelMs: (random) => (random() < 0.05 ? random() * 3_000 : 5 + random() * 40),
      lateMs: (random) => (random() < 0.02 ? random() * 5_000 : random() * 3),
      onRequest: ({ time, random, arrivals, living }) => {
        if (random() < 0.05) time.wallOffsetMs += (random() - 0.5) * 4 * 3_600_000;
        if (arrivals.length % (REQUESTS / 4) === 0 && living.size > 3) simulation.kill();
      },
    });
    const arrived = times(await simulation.run());
    const [limit, periodMs] = seed % 2 === 0 ? [5, 1_000] : [40, 60_000];
    expect(arrived.length).toBeGreaterThan(REQUESTS - 20);
    expect(maxRequestsInWindow(arrived, 1_000)).toBeLessThanOrEqual(5);
    expect(maxRequestsInWindow(arrived, periodMs)).toBeLessThanOrEqual(limit);
    const periods = ((arrived.at(-1) ?? 0) - (arrived[0] ?? 0)) / periodMs;
    expect(arrived.length / periods).toBeGreaterThan(0.5 * limit);
  },
  60_000,
);

test('processes take turns, regardless of the number of their requests', async () => {
  const simulation = new Simulation({
    processes: 8,
    concurrency: 5,
    requests: 2 * REQUESTS,
    path: '/manga/x',
    seed: 7,
    travelMs: () => 10,
  });
  const counts = shares(await simulation.run());
  expect(Math.max(...counts) / Math.min(...counts)).toBeLessThanOrEqual(1.5);
});

describe('on a server', () => {
  test('many chapters in 8 processes of 4 machines: at least 97 % of 40 per minute is used', async () => {
    const simulation = new Simulation({
      processes: 8,
      concurrency: 2,
      requests: CHAPTERS,
      path: '/at-home/server/x',
      seed: 1,
      kernels: 4,
      serverTravelMs: () => 0.5,
      travelMs: (random) => 10 + random() * 60,
    });
    const arrived = times(await simulation.run());
    expect(arrived).toHaveLength(CHAPTERS);
    expect(maxRequestsInWindow(arrived, 60_000)).toBe(40);
    expect(maxRequestsInWindow(arrived, 1_000)).toBeLessThanOrEqual(5);
    // The first 40 go at once; the quota limits the rest.
    const minutes = ((arrived.at(-1) ?? 0) - (arrived[39] ?? 0)) / 60_000;
    expect((CHAPTERS - 40) / minutes).toBeGreaterThanOrEqual(0.97 * 40);
  }, 60_000);

  test.each([1, 2, 3, 4])(
    'slow lines, killed processes, lost replies and a restart without data exceed no limit (seed %d)',
    async (seed) => {
      const simulation = new Simulation({
        processes: 6,
        concurrency: 3,
        requests: REQUESTS,
        path: seed % 2 === 0 ? '/manga/x' : '/at-home/server/x',
        seed,
        kernels: 3,
        serverTravelMs: (random) => (random() < 0.02 ? random() * 2_000 : random() * 5),
        travelMs: (random) => (random() < 0.05 ? random() * 3_000 : 5 + random() * 40),
        lateMs: (random) => (random() < 0.02 ? random() * 5_000 : random() * 3),
        onRequest: ({ time, random, arrivals, living, server }) => {
          if (random() < 0.05) time.wallOffsetMs += (random() - 0.5) * 4 * 3_600_000;
          if (arrivals.length % (REQUESTS / 4) === 0 && living.size > 3) simulation.kill();
          if (arrivals.length % (REQUESTS / 3) === 0) server.restart();
          if (random() < 0.05 && !simulation.isServerDown) {
            simulation.isServerDown = true;
            time.after(random() * 3_000, () => {
              simulation.isServerDown = false;
            });
          }
        },
      });
      const arrived = times(await simulation.run());
      expect(arrived.length).toBeGreaterThan(REQUESTS - 20);
      expect(maxRequestsInWindow(arrived, 1_000)).toBeLessThanOrEqual(5);
      expect(maxRequestsInWindow(arrived, 60_000)).toBeLessThanOrEqual(seed % 2 === 0 ? 300 : 40);
    },
    60_000,
  );
});
