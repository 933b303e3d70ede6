import fc from 'fast-check';
import { appendFileSync, mkdtempSync, rmSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  MAX_LOADS,
  readStatistics,
  StatisticsLog,
} from '../../../src/health-reports/statistics-log.js';
import type { RecordedLoad } from '../../../src/health-reports/statistics.js';
import { posixTest } from '../../support/platform.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-statistics-'));
  file = join(folder, 'statistics.jsonl');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const load = (atMs: number): RecordedLoad => ({
  atMs,
  node: 'node.example.net',
  success: true,
  bytes: 1_000,
  durationMs: 10,
  cached: false,
});

test('is empty if missing', async () => {
  expect(await readStatistics(folder)).toEqual({
    statistics: { sent: 0, givenUp: 0, dropped: 0, reasons: {}, lastSentAtMs: 0, loads: [] },
    damagedLines: 0,
  });
});

posixTest('adds up the batches of concurrent writers', async () => {
  const logs = Array.from({ length: 4 }, () => new StatisticsLog(folder));
  await Promise.all(
    logs.map(async (log, index) => {
      for (let number = 0; number < 120; number += 1) {
        log.add({ loads: [load(number)] });
        log.add({ sent: 1, lastSentAtMs: 1_000 * index + number });
      }
      log.add({ givenUp: 1, reasons: { 'status 400': 1 } });
      log.add({ dropped: 2, reasons: { 'too old': 2 } });
      await log.flush();
    }),
  );
  const { statistics, damagedLines } = await readStatistics(folder);
  expect(statistics).toMatchObject({
    sent: 480,
    givenUp: 4,
    dropped: 8,
    reasons: { 'status 400': 4, 'too old': 8 },
    lastSentAtMs: 3_119,
  });
  expect(statistics.loads).toHaveLength(480);
  expect(damagedLines).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('with a line cut off by a kill loses only that batch', async () => {
  for (const number of [1, 2, 3]) {
    const log = new StatisticsLog(folder);
    log.add({ sent: number, loads: [load(number)] });
    await log.flush();
    if (number === 2) truncateSync(file, statSync(file).size - 5);
  }
  const { statistics, damagedLines } = await readStatistics(folder);
  expect(statistics.sent).toBe(4);
  expect(statistics.loads.map(({ atMs }) => atMs)).toEqual([1, 3]);
  expect(damagedLines).toBe(1);
});

test('is read without an exception, whatever it contains', async () => {
  const line = fc.oneof(fc.string(), fc.json(), fc.constant('{"sent":-1}'));
  await fc.assert(
    fc.asyncProperty(fc.array(line), async (lines) => {
      rmSync(file, { force: true });
      appendFileSync(file, lines.join('\n'));
      expect((await readStatistics(folder)).statistics.sent).toBe(0);
    }),
    { numRuns: 100 },
  );
});

test('stays small, and keeps the counts and the last loads', async () => {
  const batch = JSON.stringify({
    sent: 100,
    givenUp: 0,
    dropped: 0,
    reasons: { other: 1 },
    lastSentAtMs: 5,
    loads: Array.from({ length: 100 }, (_, number) => load(number)),
  });
  for (let number = 0; number < 300; number += 1) appendFileSync(file, `\n${batch}`);
  const sizeBefore = statSync(file).size;
  const log = new StatisticsLog(folder);
  log.add({ sent: 1, loads: [load(7_777)] });
  await log.flush();
  expect(statSync(file).size).toBeLessThan(sizeBefore / 4);
  const { statistics } = await readStatistics(folder);
  expect(statistics).toMatchObject({ sent: 30_001, reasons: { other: 300 }, lastSentAtMs: 5 });
  expect(statistics.loads).toHaveLength(MAX_LOADS + 1);
  expect(statistics.loads.at(-1)?.atMs).toBe(7_777);
});

posixTest('is not written through a link', async () => {
  symlinkSync('elsewhere', file);
  const log = new StatisticsLog(folder);
  log.add({ sent: 1 });
  await log.flush();
  expect(statSync(join(folder, 'elsewhere'), { throwIfNoEntry: false })).toBeUndefined();
});
