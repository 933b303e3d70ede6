/** Report journals under kills at every call to the system, full disks, suspensions, compactions and adoptions. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sumReports, waitingReports } from '../../../../src/service/reports/report-journal.js';
import { readJournals } from '../../../../src/core/journal.js';
import {
  JournalSimulation,
  MAX_IN_FLIGHT,
  type Faults,
} from '../../../support/journal-simulation.js';
import { IS_LONG_RUN } from '../../../support/long-run.js';

const SEEDS = Number(process.env['TANKOBON_JOURNAL_SEEDS'] ?? (IS_LONG_RUN ? 400 : 6));
const PROCESSES = 3;

let simulation: JournalSimulation;
beforeAll(async () => {
  // One more delivers what the others left.
  simulation = await JournalSimulation.open(PROCESSES + 1);
});
afterAll(() => simulation.close());

/** Runs one seed, and returns the number of calls to the system. */
async function simulate(seed: number, faults: Faults, of = simulation): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-journals-'));
  try {
    const result = await of.run(folder, seed, faults, ({ calls, done, sent }) => {
      if (calls % 10 > 0) return;
      // A reader without locks.
      const contents = readJournals(folder);
      const waiting = contents.flatMap(({ entries }) => waitingReports(entries));
      const numbers = waiting.map(({ report }) => report.bytes);
      expect(numbers.filter((number) => done.has(number))).toEqual([]);
      expect(sumReports(contents).sent).toBeLessThanOrEqual(sent.size);
    });
    expect({ seed, lost: result.lost(), repeated: result.repeated }).toEqual({
      seed,
      lost: [],
      repeated: [],
    });
    expect(result.maxInFlight).toBeLessThanOrEqual(MAX_IN_FLIGHT);
    const contents = readJournals(folder);
    const waiting = contents.flatMap(({ entries }) => waitingReports(entries));
    const counts = sumReports(contents);
    const { damagedLines } = counts;
    expect({ waiting, damagedLines }).toEqual({ waiting: [], damagedLines: 0 });
    // A kill may follow the write of some of the lines.
    expect(counts.sent).toBeGreaterThanOrEqual(result.done.size);
    expect(counts.sent).toBeLessThanOrEqual(result.sent.size);
    return result.calls;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a kill at every call loses no report, and repeats only those in flight', async () => {
  const calls = await simulate(1, {});
  expect(calls).toBeGreaterThan(100);
  for (let killAt = 1; killAt <= calls; killAt += IS_LONG_RUN ? 1 : 11)
    await simulate(1, { killAt, kills: 0 });
}, 300_000);

test('neither do kills, suspensions and full disks of several processes', async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1)
    await simulate(seed, { kills: 5, fullDisks: seed % 2 === 0, suspensions: true });
}, 600_000);
