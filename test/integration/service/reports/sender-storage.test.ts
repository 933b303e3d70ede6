/** The sender and its journal: journals of other runs, a host that is down, clocks that step, disks that refuse. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../../../src/core/clock.js';
import { CircuitBreaker } from '../../../../src/service/reports/circuit-breaker.js';
import { reportStatusIn } from '../../../../src/service/reports.js';
import type { HealthReport } from '../../../../src/service/reports/health-report.js';
import { MAX_IN_FLIGHT, ReportSender } from '../../../../src/service/reports/sender.js';
import { MAX_AGE_MS, readWaiting } from '../../../../src/service/reports/report-store.js';
import { leaveReports, LEFT_JOURNAL } from '../../../support/left-reports.js';
import {
  numberOf,
  reportNo,
  startListener,
  type ReportListener,
} from '../../../support/report-listener.js';
import { adjustableClock } from '../../../support/fake-clock.js';

let folder: string;
let listener: ReportListener;
beforeEach(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'tankobon-sender-')), 'reports');
  listener = await startListener();
});
afterEach(async () => {
  await listener.close();
  rmSync(join(folder, '..'), { recursive: true });
});

const open = (clock: Clock = systemClock): ReportSender =>
  new ReportSender({ folder, clock, send: listener.send });
const accepted = (): number[] => listener.taken.map(numberOf).sort((a, b) => a - b);
const waiting = (): number[] =>
  readWaiting(folder)
    .map(({ report }) => numberOf(report))
    .sort((a, b) => a - b);
const inTurn = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

test('damaged lines are skipped and counted, and the reports beside them are sent', async () => {
  const atMs = Date.now() - 60_000;
  const odd = ['{"load":8,"url":3}', 'null', '{"done":-1}', '{"sums":{}}', '\u0000{'].join('\n');
  leaveReports(
    folder,
    [1, 3].map((number) => ({ number, atMs })),
    `${odd}\n{"load":9,"url":"htt`,
  );
  const sender = open();
  await sender.flush();
  await sender.finish();
  expect(accepted()).toEqual([1, 3]);
  expect(reportStatusIn(folder, Date.now())).toMatchObject({
    sent: 2,
    dropped: 0,
    waiting: 0,
    damagedLines: 5,
  });
});

test('a report that is sent twice by killed processes counts once', () => {
  leaveReports(
    folder,
    [{ number: 1, atMs: Date.now() }],
    '{"done":1,"outcome":"sent","atMs":1}\n'.repeat(2),
  );
  expect(reportStatusIn(folder, Date.now())).toMatchObject({ sent: 1, waiting: 0 });
});

test('reports of earlier runs are sent oldest first, with bounded concurrency', async () => {
  const atMs = Date.now() - 9_000;
  leaveReports(
    folder,
    inTurn(1, 20)
      .reverse()
      .map((number) => ({ number, atMs: atMs + number })),
  );
  listener.answer = () => 'silence';
  const sender = open();
  while (listener.arrivals.length < MAX_IN_FLIGHT) await systemClock.sleep(5);
  await systemClock.sleep(100);
  const arrived = listener.arrivals.map(({ body }) => numberOf(JSON.parse(body) as HealthReport));
  expect(arrived.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  await sender.finish(0);
  expect(waiting()).toEqual(inTurn(1, 20));
});

test('runs one after the other share one journal', async () => {
  listener.answer = () => 500;
  for (const number of [1, 2, 3]) {
    const sender = open();
    await sender.record(reportNo(number));
    await sender.finish(0);
  }
  expect(readdirSync(folder).filter((name) => name.endsWith('.journal'))).toHaveLength(1);
  expect(waiting()).toEqual([1, 2, 3]);
});

test('while the host is down nothing is sent, however many reports are recorded', async () => {
  new CircuitBreaker(folder, systemClock).recordFailure('ECONNREFUSED', true);
  const sender = open();
  for (const number of inTurn(10, 109)) await sender.record(reportNo(number));
  expect(await sender.finish()).toEqual({ sent: 0, waiting: 100 });
  expect(waiting()).toEqual(inTurn(10, 109));
  expect(listener.arrivals).toEqual([]);
});

test('postponed reports are sent by the same run when the host is back', async () => {
  const clock = adjustableClock();
  listener.answer = () => 429;
  const sender = open(clock);
  await sender.recordAndSend(reportNo(1));
  for (const number of inTurn(2, 20)) await sender.record(reportNo(number));
  listener.answer = () => 200;
  clock.advance(61_000);
  await sender.record(reportNo(21));
  while (listener.taken.length < 21) await systemClock.sleep(20);
  await sender.flush();
  expect(await sender.finish()).toEqual({ sent: 21, waiting: 0 });
  expect(accepted()).toEqual(inTurn(1, 21));
});

test('many reports at once are all sent, each once', async () => {
  listener.answer = async () => {
    await systemClock.sleep(5);
    return 200;
  };
  const sender = open();
  await Promise.all(inTurn(1, 300).map((number) => sender.record(reportNo(number))));
  await sender.flush();
  expect(await sender.finish()).toEqual({ sent: 300, waiting: 0 });
  expect(accepted()).toEqual(inTurn(1, 300));
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
  expect(accepted()).toEqual([1, 2]);
});

test('deleting the folder of a running sender loses no report that can be sent now', async () => {
  const errors: unknown[] = [];
  const onStorageError = (error: unknown): void => void errors.push(error);
  const sender = new ReportSender({
    folder,
    clock: systemClock,
    send: listener.send,
    onStorageError,
  });
  await sender.record(reportNo(1));
  rmSync(folder, { recursive: true });
  for (const number of [2, 3]) await sender.record(reportNo(number));
  await sender.flush();
  expect(await sender.finish()).toEqual({ sent: 3, waiting: 0 });
  expect(accepted()).toEqual([1, 2, 3]);
  expect(errors.length).toBeLessThanOrEqual(1);
});

test('a report that can be neither stored nor sent is not said to wait', async () => {
  writeFileSync(folder, 'not a folder');
  listener.answer = () => 429;
  const sender = open();
  await sender.recordAndSend(reportNo(1));
  expect(await sender.finish()).toEqual({ sent: 0, waiting: 0 });
});

test('what version 0.1.0 left before it had journals is neither read nor removed', async () => {
  mkdirSync(join(folder, 'spool'), { recursive: true });
  const old = {
    'statistics.jsonl': '\n{"sent":3}',
    'statistics.lock': '',
    'circuit-breaker.json': '{"lastTryMs":1}',
    'spool/000001790000000-0123456789ab-00000001.json': JSON.stringify(reportNo(9)),
  };
  for (const [name, text] of Object.entries(old)) writeFileSync(join(folder, name), text);
  const sender = open();
  await sender.record(reportNo(1));
  await sender.flush();
  await sender.finish();
  expect(reportStatusIn(folder, Date.now())).toMatchObject({ sent: 1, damagedLines: 0 });
  expect(accepted()).toEqual([1]);
  for (const [name, text] of Object.entries(old))
    expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
});

test('a journal of a thousand damaged lines does not delay the exit', async () => {
  leaveReports(folder, [], '{\n'.repeat(1_000));
  const sender = open();
  await sender.finish(0);
  expect(readFileSync(join(folder, LEFT_JOURNAL), 'utf8')).toBe('{\n'.repeat(1_000));
});
