/** The sender and its spool: files of other runs, a host that is down, clocks that step, disks that refuse. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../../src/core/clock.js';
import { CircuitBreaker } from '../../../src/health-reports/circuit-breaker.js';
import { readReportStatus } from '../../../src/health-reports/status.js';
import type { HealthReport } from '../../../src/health-reports/health-report.js';
import { MAX_IN_FLIGHT, ReportSender } from '../../../src/health-reports/sender.js';
import { MAX_AGE_MS, spoolFolder } from '../../../src/health-reports/spool.js';
import {
  numberOf,
  reportNo,
  startListener,
  type ReportListener,
} from '../../support/report-listener.js';
import { adjustableClock } from '../../support/fake-clock.js';

let folder: string;
let listener: ReportListener;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-sender-'));
  mkdirSync(spoolFolder(folder), { mode: 0o700 });
  listener = await startListener();
});
afterEach(async () => {
  await listener.close();
  rmSync(folder, { recursive: true });
});

const open = (clock: Clock = systemClock): ReportSender =>
  new ReportSender({ folder, clock, send: listener.send });
const accepted = (): number[] => listener.taken.map(numberOf);
const files = (): string[] => readdirSync(spoolFolder(folder));

function put(number: number, content: string, atMs = Date.now() - 60_000): string {
  const name = `${String(atMs).padStart(15, '0')}-0123456789ab-${String(number).padStart(8, '0')}.json`;
  writeFileSync(join(spoolFolder(folder), name), content, { mode: 0o600 });
  return name;
}

test('damaged files of earlier runs are dropped and counted, and the others are sent', async () => {
  for (const number of [1, 2, 3, 4, 5, 6]) {
    put(number, number % 2 === 0 ? '{"url":' : JSON.stringify(reportNo(number)));
  }
  const sender = open();
  await sender.flush();
  await sender.finish();
  expect(accepted().sort()).toEqual([1, 3, 5]);
  expect(files()).toEqual([]);
  expect(await readReportStatus(folder, Date.now())).toMatchObject({
    sent: 3,
    dropped: 3,
    reasons: { damaged: 3 },
    waiting: 0,
  });
});

test('reports of earlier runs are sent oldest first, with bounded concurrency', async () => {
  const atMs = Date.now() - 9_000;
  for (let number = 20; number > 0; number -= 1)
    put(number, JSON.stringify(reportNo(number)), atMs + number);
  listener.answer = () => 'silence';
  const sender = open();
  while (listener.arrivals.length < MAX_IN_FLIGHT) await systemClock.sleep(5);
  await systemClock.sleep(100);
  const arrived = listener.arrivals.map(({ body }) => numberOf(JSON.parse(body) as HealthReport));
  expect(arrived.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  await sender.finish(0);
  expect(files()).toHaveLength(20);
});

test('while the host is down the spool is not listed, however many reports are recorded', async () => {
  await new CircuitBreaker(folder, systemClock).recordFailure('ECONNREFUSED', true);
  // Listing the spool would remove it.
  const old = put(1, JSON.stringify(reportNo(1)), Date.now() - 2 * MAX_AGE_MS);
  const sender = open();
  for (let number = 10; number < 110; number += 1) await sender.record(reportNo(number));
  expect(await sender.finish()).toEqual({ sent: 0, waiting: 100 });
  expect(files()).toContain(old);
  expect(files()).toHaveLength(101);
  expect(listener.arrivals).toEqual([]);
});

test('postponed reports are sent by the same run when the host is back', async () => {
  const clock = adjustableClock();
  listener.answer = () => 429;
  const sender = open(clock);
  await sender.recordAndSend(reportNo(1));
  for (let number = 2; number <= 20; number += 1) await sender.record(reportNo(number));
  listener.answer = () => 200;
  clock.advance(61_000);
  await sender.record(reportNo(21));
  while (listener.taken.length < 21) await systemClock.sleep(20);
  expect(await sender.finish()).toEqual({ sent: 21, waiting: 0 });
  expect(accepted().sort((a, b) => a - b)).toEqual(Array.from({ length: 21 }, (_, at) => at + 1));
});

test('more reports than are kept open are all sent, each once', async () => {
  listener.answer = async () => {
    await systemClock.sleep(5);
    return 200;
  };
  const sender = open();
  await Promise.all(
    Array.from({ length: 300 }, (_, number) => sender.record(reportNo(number + 1))),
  );
  await sender.flush();
  expect(await sender.finish()).toEqual({ sent: 300, waiting: 0 });
  expect(new Set(accepted()).size).toBe(300);
  expect(accepted()).toHaveLength(300);
});

test('a clock that steps back by a year between two runs costs no report', async () => {
  const clock = adjustableClock();
  listener.answer = () => 500;
  const before = open(clock);
  await before.record(reportNo(1));
  await before.finish(0);
  listener.answer = () => 200;
  const back: Clock = { ...clock, wallMs: () => clock.wallMs() - 365 * MAX_AGE_MS };
  const after = open(back);
  await after.record(reportNo(2));
  await after.flush();
  await after.finish();
  expect(accepted().sort()).toEqual([1, 2]);
});

test('deleting the spool of a running sender loses no report that can be sent now', async () => {
  const errors: unknown[] = [];
  const onStorageError = (error: unknown): void => void errors.push(error);
  const sender = new ReportSender({
    folder,
    clock: systemClock,
    send: listener.send,
    onStorageError,
  });
  await sender.record(reportNo(1));
  rmSync(spoolFolder(folder), { recursive: true });
  for (const number of [2, 3]) await sender.record(reportNo(number));
  await sender.flush();
  expect(await sender.finish()).toEqual({ sent: 3, waiting: 0 });
  expect(accepted().sort()).toEqual([1, 2, 3]);
  expect(errors.length).toBeLessThanOrEqual(1);
});

test('a report that can neither be stored nor sent is counted as dropped', async () => {
  rmSync(spoolFolder(folder), { recursive: true });
  writeFileSync(spoolFolder(folder), 'not a folder');
  listener.answer = () => 429;
  const sender = open();
  await sender.recordAndSend(reportNo(1));
  expect(await sender.finish()).toEqual({ sent: 0, waiting: 0 });
  expect(await readReportStatus(folder, Date.now())).toMatchObject({
    dropped: 1,
    reasons: { 'not stored': 1 },
  });
});

test('many damaged files do not delay the exit', async () => {
  for (let number = 1; number <= 1_000; number += 1) put(number, '');
  const sender = open();
  await sender.finish(0);
  const left = files().length;
  await systemClock.sleep(50);
  // Nothing goes on after it.
  expect(files().length).toBe(left);
});
