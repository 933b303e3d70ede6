import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../../../src/core/clock.js';
import type { SendReport } from '../../../../src/service/reports/health-report.js';
import { clearReportsIn, reportStatusIn } from '../../../../src/service/reports.js';
import {
  MAX_IN_FLIGHT,
  MAX_WAITING,
  ReportSender,
} from '../../../../src/service/reports/sender.js';
import {
  MAX_AGE_MS,
  readWaiting,
  reportsFolder,
} from '../../../../src/service/reports/report-store.js';
import { leaveReports } from '../../../support/left-reports.js';
import {
  numberOf,
  reportNo,
  startListener,
  type ReportListener,
} from '../../../support/report-listener.js';
import { adjustableClock, skippingClock } from '../../../support/fake-clock.js';

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
/** On a busy machine, a delivery may take longer than a failed load waits for it. */
const patientClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms === 2_000 ? 60_000 : ms, signal),
};
const refusedConnection = () => Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
const takenNumbers = (): number[] => listener.taken.map(numberOf);
const status = () => reportStatusIn(folder, Date.now());
const inTurn = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

async function recordAll(sender: ReportSender, numbers: readonly number[]): Promise<void> {
  for (const number of numbers) await sender.record(reportNo(number));
}

describe('while the report host responds', () => {
  test('each report arrives once, with its five fields, as exactly application/json', async () => {
    const sender = open();
    await recordAll(sender, inTurn(1, 30));
    await sender.flush();
    expect(await sender.finish()).toEqual({ sent: 30, waiting: 0 });
    expect(takenNumbers().sort((a, b) => a - b)).toEqual(inTurn(1, 30));
    // They may arrive in another order, over several connections.
    const bodies = listener.arrivals.map(({ body }): unknown => JSON.parse(body));
    expect(bodies).toContainEqual(reportNo(1));
    expect(new Set(listener.arrivals.map(({ contentType }) => contentType))).toEqual(
      new Set(['application/json']),
    );
    expect(status()).toMatchObject({ sent: 30, waiting: 0, givenUp: 0, dropped: 0 });
  });

  test('a report is in the journal before it is sent', async () => {
    let waitingAtArrival = 0;
    listener.answer = () => {
      waitingAtArrival = status().waiting;
      return 200;
    };
    const sender = open();
    await sender.record(reportNo(1));
    await sender.flush();
    await sender.finish();
    expect(waitingAtArrival).toBe(1);
  });

  test('a kill at any moment would repeat at most as many reports as may be in flight', async () => {
    const counts: number[] = [];
    listener.answer = async (report) => {
      await systemClock.sleep(numberOf(report) % 3);
      return 200;
    };
    leaveReports(
      folder,
      inTurn(1, 40).map((number) => ({ number, atMs: Date.now() })),
    );
    const send: SendReport = (report, signal) => {
      const sent = listener.send(report, signal);
      counts.push((tried += 1) - status().sent);
      return sent;
    };
    let tried = 0;
    const sender = new ReportSender({ folder, clock: systemClock, send });
    for (const number of inTurn(101, 140)) {
      await sender.record(reportNo(number));
      if (number % 9 === 0) await systemClock.sleep(20);
    }
    await sender.flush();
    await sender.finish();
    expect(Math.max(...counts)).toBeLessThanOrEqual(MAX_IN_FLIGHT);
    expect(status()).toMatchObject({ sent: 80, waiting: 0 });
  });

  test('recordAndSend resolves after delivery, ahead of waiting reports', async () => {
    const held: (() => void)[] = [];
    listener.answer = (report) =>
      numberOf(report) === 99
        ? 200
        : new Promise((resolve) => {
            held.push(() => {
              resolve(200);
            });
          });
    const sender = open(patientClock);
    await recordAll(sender, inTurn(1, 60));
    while (held.length < MAX_IN_FLIGHT) await systemClock.sleep(1);
    const sent = sender.recordAndSend(reportNo(99, { success: false, bytes: 0 }));
    held.shift()?.();
    await sent;
    expect(takenNumbers().length).toBe(2);
    expect(takenNumbers()[1]).toBe(99);
    for (const answer of held) answer();
    await sender.finish(0);
  });

  test('concurrency is bounded, and the bound is used', async () => {
    let underWay = 0;
    let maxUnderWay = 0;
    let useBound: () => void = () => undefined;
    const isUsed = new Promise<void>((resolve) => (useBound = resolve));
    listener.answer = async () => {
      underWay += 1;
      maxUnderWay = Math.max(maxUnderWay, underWay);
      if (underWay === MAX_IN_FLIGHT) useBound();
      await isUsed;
      await systemClock.sleep(5);
      underWay -= 1;
      return 200;
    };
    const sender = open();
    await recordAll(sender, inTurn(1, 60));
    await sender.flush();
    await sender.finish();
    expect(maxUnderWay).toBe(MAX_IN_FLIGHT);
  });

  test('a rejected report is given up, counted with the reason, and not sent again', async () => {
    listener.answer = (report) => (numberOf(report) === 2 ? 400 : 200);
    const sender = open();
    await recordAll(sender, [1, 2, 3]);
    await sender.flush();
    expect(await sender.finish()).toEqual({ sent: 2, waiting: 0 });
    expect(status()).toMatchObject({ sent: 2, givenUp: 1, reasons: { 'status 400': 1 } });
    await open().finish();
    expect(listener.arrivals.length).toBe(3);
  });

  test('after a temporary failure a report is sent again in the same run', async () => {
    let failures = 1;
    listener.answer = () => (failures-- > 0 ? 503 : 200);
    const sender = open();
    await sender.record(reportNo(1));
    await sender.flush();
    expect(await sender.finish()).toEqual({ sent: 1, waiting: 0 });
    expect(status().host).toMatchObject({ lastError: { reason: 'status 503' } });
  });

  test('a report recorded after finish is stored and sent', async () => {
    const sender = open();
    await sender.record(reportNo(1));
    await sender.flush();
    await sender.finish();
    await sender.record(reportNo(2));
    await sender.flush();
    expect(await sender.finish()).toEqual({ sent: 1, waiting: 0 });
    expect(takenNumbers()).toEqual([1, 2]);
  });
});

describe('while the report host is down', () => {
  test('no report is lost, and the next run delivers each once, its own first', async () => {
    // A host of its own: what the run leaves in flight may arrive after its end.
    const down = await startListener();
    down.answer = () => 500;
    const dead = new ReportSender({ folder, clock: systemClock, send: down.send });
    await recordAll(dead, inTurn(1, 12));
    while (status().host.state === 'up') await systemClock.sleep(5);
    expect(await dead.finish()).toEqual({ sent: 0, waiting: 12 });
    await down.close();
    expect(down.arrivals.length).toBeLessThanOrEqual(3 + MAX_IN_FLIGHT);

    const alive = open();
    await alive.record(reportNo(50));
    const flushed = await alive.flush();
    expect(flushed).toEqual({ sent: 13, givenUp: 0 });
    expect(await alive.finish()).toEqual({ sent: 1, waiting: 0 });
    expect(takenNumbers().sort((a, b) => a - b)).toEqual([...inTurn(1, 12), 50]);
    expect(takenNumbers()[0]).toBe(50);
    expect(status()).toMatchObject({ sent: 13, waiting: 0, host: { state: 'up' } });
  });

  test('a run without own reports delivers those of earlier runs', async () => {
    const dead = new ReportSender({
      folder,
      clock: systemClock,
      send: () => Promise.reject(new Error()),
    });
    await recordAll(dead, [1, 2, 3]);
    await dead.finish(0);
    const next = open();
    await next.flush();
    expect((await next.finish()).waiting).toBe(0);
    expect(takenNumbers().sort((a, b) => a - b)).toEqual([1, 2, 3]);
  });

  test('a refused connection opens the breaker at the first report, and nothing more is sent', async () => {
    let tries = 0;
    const sender = new ReportSender({
      folder,
      clock: systemClock,
      send: () => {
        tries += 1;
        return Promise.reject(refusedConnection());
      },
    });
    // Twenty full waits would outlast the test's time limit.
    for (const number of inTurn(1, 20)) await sender.recordAndSend(reportNo(number));
    expect(await sender.finish()).toEqual({ sent: 0, waiting: 20 });
    expect(tries).toBe(1);
  });

  test('all processes together send at most one report a minute', async () => {
    const clock = adjustableClock();
    const triedAtMs: number[] = [];
    const send = () => {
      triedAtMs.push(clock.monotonicMs());
      return Promise.reject(refusedConnection());
    };
    const first = new ReportSender({ folder, clock, send });
    await first.recordAndSend(reportNo(1));
    const senders = [first, ...[2, 3].map(() => new ReportSender({ folder, clock, send }))];
    for (const number of inTurn(2, 120)) {
      clock.advance(5_000);
      await senders[number % 3]?.record(reportNo(number));
      await systemClock.sleep(5);
    }
    for (const sender of senders) await sender.finish();
    const pauses = triedAtMs.slice(1).map((at, index) => at - (triedAtMs[index] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(60_000);
    expect(triedAtMs.length).toBeGreaterThanOrEqual(5);
    expect(reportStatusIn(folder, clock.wallMs()).waiting).toBe(120);
  });

  test('a host that accepts connections and never responds delays a failed load and the exit briefly', async () => {
    listener.answer = () => 'silence';
    const clock = skippingClock();
    const startedMs = clock.monotonicMs();
    const sender = open(clock);
    await sender.recordAndSend(reportNo(1));
    const recordedMs = clock.monotonicMs();
    expect(recordedMs - startedMs).toBeGreaterThanOrEqual(2_000);
    expect(await sender.finish()).toEqual({ sent: 0, waiting: 1 });
    expect(clock.monotonicMs() - recordedMs).toBeLessThan(1_500);
    expect(status().waiting).toBe(1);
  });

  test('a 429 stops sending at once', async () => {
    listener.answer = () => 429;
    const sender = open(patientClock);
    await sender.recordAndSend(reportNo(1));
    await recordAll(sender, inTurn(2, 10));
    await sender.finish();
    expect(listener.arrivals.length).toBe(1);
    expect(status()).toMatchObject({
      waiting: 10,
      host: { state: 'down', lastError: { reason: 'status 429' } },
    });
  });
});

describe('the sender is bounded', () => {
  const never = () => Promise.reject(refusedConnection());

  test('beyond 10,000 reports the oldest are dropped and counted', async () => {
    const fromMs = Date.now() - 3_600_000;
    const left = inTurn(1, MAX_WAITING + 400);
    leaveReports(
      folder,
      left.map((number) => ({ number, atMs: fromMs + number })),
    );
    const sender = new ReportSender({ folder, clock: systemClock, send: never });
    for (const number of inTurn(20_001, 20_500)) await sender.record(reportNo(number));
    await sender.finish(0);
    expect(status()).toMatchObject({ waiting: MAX_WAITING, dropped: 900 });
    expect(status().reasons).toEqual({ 'too many': 900 });
    const oldest = readWaiting(folder)
      .map(({ report }) => numberOf(report))
      .sort((a, b) => a - b);
    expect([oldest[0], oldest.at(-1)]).toEqual([901, 20_500]);
  });

  test('after 24 hours a report is dropped and counted', async () => {
    const clock = adjustableClock();
    const early = new ReportSender({ folder, clock, send: never });
    await early.record(reportNo(1));
    clock.advance(MAX_AGE_MS - 1_000);
    await early.record(reportNo(2));
    await early.finish(0);
    clock.advance(2_000);
    const late = new ReportSender({ folder, clock, send: listener.send });
    await late.flush();
    await late.finish();
    expect(takenNumbers()).toEqual([2]);
    expect(status()).toMatchObject({ dropped: 1, reasons: { 'too old': 1 }, waiting: 0 });
  });
});

describe('concurrent senders', () => {
  test('never send the same report, nor one that another holds', async () => {
    listener.answer = async () => {
      await systemClock.sleep(3);
      return 200;
    };
    const senders = [open(), open(), open()];
    await Promise.all(
      senders.map((sender, index) => recordAll(sender, inTurn(index * 100 + 1, index * 100 + 40))),
    );
    const extra = open();
    await extra.flush();
    // The end of a run does not wait for a host that is slow to respond, as on a busy machine.
    while (takenNumbers().length < 120) await systemClock.sleep(5);
    await Promise.all([extra, ...senders].map((sender) => sender.finish(20_000)));
    expect(takenNumbers().length).toBe(120);
    expect(new Set(takenNumbers()).size).toBe(120);
  });

  test('clearing keeps reports that another process is sending', async () => {
    let answer: (status: number) => void = () => undefined;
    listener.answer = () => new Promise((resolve) => (answer = resolve));
    const running = open();
    const gone = new ReportSender({
      folder,
      clock: systemClock,
      send: () => Promise.reject(new Error()),
    });
    await running.record(reportNo(1));
    while (listener.arrivals.length === 0) await systemClock.sleep(5);
    await gone.record(reportNo(2));
    await gone.finish(0);
    expect(await clearReportsIn(folder)).toEqual({ isInUse: true, inUse: 1 });
    expect(status().waiting).toBe(1);
    answer(200);
    await running.flush();
    expect(await running.finish()).toEqual({ sent: 1, waiting: 0 });
    expect(status().waiting).toBe(0);
    expect(await clearReportsIn(folder)).toEqual({ isInUse: false, inUse: 0 });
    expect(status()).toMatchObject({ waiting: 0, nodes: [], host: { state: 'up' } });
  });

  test('without a usable folder reports are sent from memory, with one error', async () => {
    const errors: unknown[] = [];
    const sender = new ReportSender({
      folder: '/dev/null/reports',
      clock: systemClock,
      send: listener.send,
      onStorageError: (error) => errors.push(error),
    });
    await recordAll(sender, [1, 2, 3]);
    await sender.flush();
    expect(await sender.finish()).toEqual({ sent: 3, waiting: 0 });
    expect(errors.length).toBe(1);
  });
});

test('each report host has its own folder', () => {
  const folders = [
    'https://api.mangadex.network',
    'http://127.0.0.1:4001',
    'http://127.0.0.1:4002/x/',
  ].map((url) => reportsFolder('/state', new URL(url)));
  expect(folders).toEqual([
    '/state/health-reports/api.mangadex.network',
    '/state/health-reports/127.0.0.1_4001',
    '/state/health-reports/127.0.0.1_4002_x',
  ]);
});
