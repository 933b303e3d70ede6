/** The limits, in simulated time: many processes, late timers, clock steps, kills, and stores that fail. */
import {
  LEDGER_FAULTS,
  PROCESS_FAULTS,
  SERVER_FAULTS as FAULTS_OF_SERVERS,
} from '../../../support/ledger-faults/fault-kinds.js';
import { World } from '../../../support/ledger-faults/world.js';
import { Simulation, type SimulationOptions } from '../../../support/ledger-simulation.js';
import { IS_LONG_RUN, longRunRows } from '../../../support/long-run.js';
import { maxRequestsInWindow } from '../../../support/stub-server.js';

const REQUESTS = IS_LONG_RUN ? 300 : 48;
const MACHINES = IS_LONG_RUN ? 4 : 2;
const CHAPTERS = IS_LONG_RUN ? 400 : 80;

const times = (arrivals: readonly { readonly atMs: number }[]): number[] =>
  arrivals.map(({ atMs }) => atMs).sort((a, b) => a - b);

const shares = (arrivals: readonly { readonly process: number }[]): number[] => {
  const counts = new Map<number, number>();
  for (const { process } of arrivals) counts.set(process, (counts.get(process) ?? 0) + 1);
  return [...counts.values()];
};

type Faults = Required<Pick<SimulationOptions, 'travelMs' | 'lateMs' | 'onRequest'>>;

/** Slow handshakes, late timers, steps of the clock and killed processes. */
const FAULTS: Faults = {
  travelMs: (random) => (random() < 0.05 ? random() * 3_000 : 5 + random() * 40),
  lateMs: (random) => (random() < 0.02 ? random() * 5_000 : random() * 3),
  onRequest: (simulation) => {
    const { time, random, arrivals, living } = simulation;
    if (random() < 0.05) time.wallOffsetMs += (random() - 0.5) * 4 * 3_600_000;
    if (arrivals.length % (REQUESTS / 4) === 0 && living.size > 3) simulation.kill();
  },
};

/** Faults of the server as well: restarts without its data, outages, and replies that are late or lost. */
const SERVER_FAULTS: Partial<SimulationOptions> = {
  kernels: 3,
  serverTravelMs: (random) => (random() < 0.02 ? random() * 2_000 : random() * 5),
  onRequest: (simulation) => {
    FAULTS.onRequest(simulation);
    const { time, random, arrivals, server } = simulation;
    if (arrivals.length % (REQUESTS / 3) === 0) server.restart();
    if (random() < 0.05 && !simulation.isServerDown) {
      simulation.isServerDown = true;
      time.after(random() * 3_000, () => {
        simulation.isServerDown = false;
      });
    }
  },
};

describe.each<[string, Partial<SimulationOptions>]>([
  ['processes share a file', { serviceSkewMs: 2 * 3_600_000 }],
  [
    'two processes of each machine share a server',
    { kernels: MACHINES, serverTravelMs: () => 0.5 },
  ],
])('many chapters: %s', (_, options) => {
  test('at most 40 per minute, and at least 94 % of that', async () => {
    const simulation = new Simulation({
      processes: 2 * MACHINES,
      concurrency: 2,
      requests: CHAPTERS,
      path: '/at-home/server/x',
      seed: 1,
      travelMs: (random) => 10 + random() * 60,
      ...options,
    });
    const arrived = times(await simulation.run());
    expect(arrived).toHaveLength(CHAPTERS);
    expect(maxRequestsInWindow(arrived, 60_000)).toBe(40);
    expect(maxRequestsInWindow(arrived, 1_000)).toBeLessThanOrEqual(5);
    // The first 40 go at once; the quota limits the rest. The service names the ends of periods in whole seconds.
    const minutes = ((arrived.at(-1) ?? 0) - (arrived[39] ?? 0)) / 60_000;
    expect((CHAPTERS - 40) / minutes).toBeGreaterThanOrEqual(0.94 * 40);
  }, 300_000);
});

/** The seeds that always run, and those of the long run. Even ones request titles, odd ones chapters. */
const FAULTY: readonly [string, number[], number[], Partial<SimulationOptions>][] = [
  ['processes and clocks', [1], [2, 3, 4, 5, 6], { serviceSkewMs: -2 * 3_600_000 }],
  ['a server that restarts without data, fails and loses replies', [3, 4], [1, 2], SERVER_FAULTS],
];

test.each(
  FAULTY.flatMap(([name, seeds, more, options]) =>
    [...seeds, ...(IS_LONG_RUN ? more : [])].map((seed) => ({ name, seed, options })),
  ),
)(
  'faults of $name exceed no limit (seed $seed)',
  async ({ seed, options }) => {
    const isTitle = seed % 2 === 0;
    // Titles wait seconds, not minutes: in more requests one late timer weighs less.
    const requests = isTitle ? 2 * REQUESTS : REQUESTS;
    const simulation = new Simulation({
      processes: 6,
      concurrency: 3,
      requests,
      path: isTitle ? '/manga/x' : '/at-home/server/x',
      seed,
      ...FAULTS,
      ...options,
    });
    const arrived = times(await simulation.run());
    expect(arrived.length).toBeGreaterThan(requests - 20);
    expect(maxRequestsInWindow(arrived, 1_000)).toBeLessThanOrEqual(5);
    expect(maxRequestsInWindow(arrived, 60_000)).toBeLessThanOrEqual(isTitle ? 300 : 40);
  },
  300_000,
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

/** What no ledger can help: it is seen only afterwards, or happens after the last check. */
const EXPECTED_CAUSES: readonly string[] = [
  'other programs',
  'held by the network',
  'stopped before the write',
];
/** Runs of each kind; a kind that takes seconds runs once. */
const SEEDS = Number(process.env['TANKOBON_LEDGER_SEEDS'] ?? (IS_LONG_RUN ? 4 : 1));
const SLOW_KINDS = /hour|bans|40/;
/** In a short run, ledger-kernels.test.ts has only the general limit. */
const ALWAYS = 'two kernels';
const eighth = Math.floor(Math.random() * 8);
const ALL_KINDS = Object.entries({ ...PROCESS_FAULTS, ...LEDGER_FAULTS, ...FAULTS_OF_SERVERS });
/** Long ones have their turn in the long run. Each short run takes another eighth of the rest. */
const KINDS = IS_LONG_RUN
  ? ALL_KINDS
  : ALL_KINDS.filter(([name]) => !SLOW_KINDS.test(name)).filter(
      ([name], kind) => kind % 8 === eighth || name === ALWAYS,
    );

test.each(KINDS)(
  'the fault “%s” makes no request exceed a limit',
  (name, kind) => {
    const seeds = SLOW_KINDS.test(name) ? Math.ceil(SEEDS / 12) : SEEDS;
    for (let seed = 1; seed <= seeds; seed += 1) {
      const report = new World(kind, seed * 7_919 + name.length).run();
      const causes = Object.keys(report.violations);
      expect({ seed, causes: causes.filter((cause) => !EXPECTED_CAUSES.includes(cause)) }).toEqual({
        seed,
        causes: [],
      });
      // A ledger that takes itself for lost again and again sends next to nothing. After each reboot, one window is full.
      if (!name.startsWith('reboots')) expect(report.sent).toBeGreaterThan(30);
    }
  },
  3_600_000,
);

test.each(['none, chapters', 'none, titles', ...longRunRows('40 processes')])(
  'with “%s” the limits are used, and processes take turns',
  (name) => {
    const kind = PROCESS_FAULTS[name];
    if (!kind) throw new Error(`Unknown kind of fault: ${name}`);
    const { use = 0, fairness = 0 } = new World({ ...kind, untilMs: 180_000 }, 7).run();
    expect(use).toBeGreaterThan(0.93);
    expect(fairness).toBeGreaterThan(0.7);
  },
  60_000,
);
