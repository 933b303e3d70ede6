import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../src/kernel/clock.js';
import { openOutbox, outboxFolder, type Outbox } from '../../src/reports/outbox.js';
import { clearOutbox, readReportStatus } from '../../src/reports/report-status.js';
import { MOST_IN_FLIGHT, MOST_WAITING, OLDEST_MS } from '../../src/reports/limits.js';
import { numberOf, reportNo, startListener, type ReportListener } from './report-listener.js';
import { shiftableClock } from './shiftable-clock.js';

let folder: string;
let listener: ReportListener;
beforeEach(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'tankobon-outbox-')), 'outbox');
  listener = await startListener();
});
afterEach(async () => {
  await listener.close();
  rmSync(join(folder, '..'), { recursive: true });
});

const open = (clock: Clock = systemClock): Outbox =>
  openOutbox({ folder, clock, send: listener.send });
const refusedConnection = () => Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
const takenNumbers = (): number[] => listener.taken.map(numberOf);
const status = () => readReportStatus(folder, Date.now());
const inTurn = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

async function recordAll(outbox: Outbox, numbers: readonly number[]): Promise<void> {
  for (const number of numbers) await outbox.record(reportNo(number));
}

describe('with a report host that is well', () => {
  test('each report arrives once, with its five fields, as exactly application/json', async () => {
    const outbox = open();
    await recordAll(outbox, inTurn(1, 30));
    expect(await outbox.finish()).toEqual({ sent: 30, waiting: 0 });
    expect(takenNumbers().sort((a, b) => a - b)).toEqual(inTurn(1, 30));
    expect(JSON.parse(listener.arrivals[0]?.body ?? '')).toEqual(reportNo(1));
    expect(new Set(listener.arrivals.map(({ contentType }) => contentType))).toEqual(
      new Set(['application/json']),
    );
    expect(await status()).toMatchObject({ sent: 30, waiting: 0, givenUp: 0, dropped: 0 });
  });

  test('a report is in the journal before it is sent', async () => {
    let waitingAtArrival = 0;
    listener.answer = async () => {
      waitingAtArrival = (await status()).waiting;
      return 200;
    };
    const outbox = open();
    await outbox.record(reportNo(1));
    await outbox.finish();
    expect(waitingAtArrival).toBe(1);
  });

  test('the report of a failed load has arrived when attempt returns, ahead of those that wait', async () => {
    listener.answer = async () => {
      await systemClock.sleep(100);
      return 200;
    };
    const outbox = open();
    await recordAll(outbox, inTurn(1, 60));
    await outbox.attempt(reportNo(99, { success: false, bytes: 0 }));
    expect(takenNumbers()).toContain(99);
    expect(takenNumbers().length).toBeLessThan(40);
    await outbox.finish();
  });

  test('no more than so many are under way at once, and as many where they wait', async () => {
    let underWay = 0;
    let most = 0;
    listener.answer = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await systemClock.sleep(50);
      underWay -= 1;
      return 200;
    };
    const outbox = open();
    await recordAll(outbox, inTurn(1, 60));
    await outbox.finish();
    expect(most).toBe(MOST_IN_FLIGHT);
  });

  test('a body that the host refuses is given up, counted with the reason, and not sent again', async () => {
    listener.answer = (report) => (numberOf(report) === 2 ? 400 : 200);
    const outbox = open();
    await recordAll(outbox, [1, 2, 3]);
    expect(await outbox.finish()).toEqual({ sent: 2, waiting: 0 });
    expect(await status()).toMatchObject({ sent: 2, givenUp: 1, reasons: { 'status 400': 1 } });
    await open().finish();
    expect(listener.arrivals.length).toBe(3);
  });

  test('what passes is tried again in the same run', async () => {
    let failures = 1;
    listener.answer = () => (failures-- > 0 ? 503 : 200);
    const outbox = open();
    await outbox.record(reportNo(1));
    expect(await outbox.finish()).toEqual({ sent: 1, waiting: 0 });
    expect((await status()).host).toMatchObject({ lastError: { reason: 'status 503' } });
  });

  test('after finish a further report opens the journal again', async () => {
    const outbox = open();
    await outbox.record(reportNo(1));
    await outbox.finish();
    await outbox.record(reportNo(2));
    expect(await outbox.finish()).toEqual({ sent: 1, waiting: 0 });
    expect(takenNumbers()).toEqual([1, 2]);
  });

  test('what is no report is refused before the journal', async () => {
    const outbox = open();
    await expect(outbox.record(reportNo(1, { bytes: -1 }))).rejects.toMatchObject({
      code: 'fault',
    });
    await outbox.finish();
    expect(await status()).toMatchObject({ sent: 0, waiting: 0 });
  });
});

describe('with a report host that is dead', () => {
  test('nothing is lost, nobody waits, and the next run delivers each once, its own first', async () => {
    listener.answer = () => 500;
    const dead = open();
    await recordAll(dead, inTurn(1, 12));
    expect(await dead.finish()).toEqual({ sent: 0, waiting: 12 });
    const tried = listener.arrivals.length;
    expect(tried).toBeLessThanOrEqual(3 + MOST_IN_FLIGHT);

    listener.answer = () => 200;
    const alive = open();
    await alive.record(reportNo(50));
    const flushed = await alive.flush();
    expect(flushed).toEqual({ sent: 13, givenUp: 0, waiting: 0 });
    expect(await alive.finish()).toEqual({ sent: 1, waiting: 0 });
    expect(takenNumbers().sort((a, b) => a - b)).toEqual([...inTurn(1, 12), 50]);
    expect(takenNumbers()[0]).toBe(50);
    expect(await status()).toMatchObject({ sent: 13, waiting: 0, host: { state: 'well' } });
  });

  test('a run without reports of its own delivers what was left', async () => {
    const dead = openOutbox({
      folder,
      clock: systemClock,
      send: () => Promise.reject(new Error()),
    });
    await recordAll(dead, [1, 2, 3]);
    await dead.finish(0);
    expect((await open().finish()).waiting).toBe(0);
    expect(takenNumbers().sort((a, b) => a - b)).toEqual([1, 2, 3]);
  });

  test('a refused connection opens the breaker at the first report, and then nothing is tried', async () => {
    let tries = 0;
    const outbox = openOutbox({
      folder,
      clock: systemClock,
      send: () => {
        tries += 1;
        return Promise.reject(refusedConnection());
      },
    });
    const startedMs = systemClock.monotonicMs();
    for (const number of inTurn(1, 20)) await outbox.attempt(reportNo(number));
    expect(await outbox.finish()).toEqual({ sent: 0, waiting: 20 });
    expect(tries).toBe(1);
    expect(systemClock.monotonicMs() - startedMs).toBeLessThan(1_500);
  });

  test('at most one report a minute is tried, by whichever process', async () => {
    const clock = shiftableClock();
    const triedAtMs: number[] = [];
    const send = () => {
      triedAtMs.push(clock.monotonicMs());
      return Promise.reject(refusedConnection());
    };
    const outboxes = [1, 2, 3].map(() => openOutbox({ folder, clock, send }));
    await outboxes[0]?.attempt(reportNo(1));
    for (const number of inTurn(2, 120)) {
      clock.advance(5_000);
      await outboxes[number % 3]?.record(reportNo(number));
      await systemClock.sleep(5);
    }
    for (const outbox of outboxes) await outbox.finish();
    const pauses = triedAtMs.slice(1).map((at, place) => at - (triedAtMs[place] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(60_000);
    expect(triedAtMs.length).toBeGreaterThanOrEqual(8);
    expect((await readReportStatus(folder, clock.wallMs())).waiting).toBe(120);
  });

  test('one that takes connections and never answers holds a failed load and the exit up for a moment', async () => {
    listener.answer = () => 'silence';
    const outbox = open();
    const startedMs = systemClock.monotonicMs();
    await outbox.attempt(reportNo(1), 150);
    expect(systemClock.monotonicMs() - startedMs).toBeGreaterThanOrEqual(140);
    expect(await outbox.finish()).toEqual({ sent: 0, waiting: 1 });
    expect(systemClock.monotonicMs() - startedMs).toBeLessThan(2_500);
    expect((await status()).waiting).toBe(1);
  });

  test('a 429 stops the sending at once', async () => {
    listener.answer = () => 429;
    const outbox = open();
    await outbox.attempt(reportNo(1));
    await recordAll(outbox, inTurn(2, 10));
    await outbox.finish();
    expect(listener.arrivals.length).toBe(1);
    expect(await status()).toMatchObject({
      waiting: 10,
      host: { state: 'down', lastError: { reason: 'status 429' } },
    });
  });
});

describe('the outbox is bounded', () => {
  const never = () => Promise.reject(refusedConnection());

  test('beyond 10,000 the oldest is dropped, and counted', async () => {
    const outbox = openOutbox({ folder, clock: shiftableClock(), send: never });
    for (let from = 1; from <= MOST_WAITING + 500; from += 500) {
      await Promise.all(inTurn(from, from + 499).map((number) => outbox.record(reportNo(number))));
    }
    await outbox.finish(0);
    expect(await status()).toMatchObject({ waiting: MOST_WAITING, dropped: 500 });
    expect((await status()).reasons).toEqual({ 'too many': 500 });
  });

  test('after 24 hours a report is dropped, and counted', async () => {
    const clock = shiftableClock();
    const early = openOutbox({ folder, clock, send: never });
    await early.record(reportNo(1));
    clock.advance(OLDEST_MS - 1_000);
    await early.record(reportNo(2));
    await early.finish(0);
    clock.advance(2_000);
    const late = openOutbox({ folder, clock, send: listener.send });
    await late.flush();
    await late.finish();
    expect(takenNumbers()).toEqual([2]);
    expect(await status()).toMatchObject({ dropped: 1, reasons: { 'too old': 1 }, waiting: 0 });
  });
});

describe('several at once', () => {
  test('never send the same report, and one does not take what another still holds', async () => {
    listener.answer = async () => {
      await systemClock.sleep(3);
      return 200;
    };
    const outboxes = [open(), open(), open()];
    await Promise.all(
      outboxes.map((outbox, place) => recordAll(outbox, inTurn(place * 100 + 1, place * 100 + 40))),
    );
    const extra = open();
    await extra.flush();
    await extra.finish();
    await Promise.all(outboxes.map((outbox) => outbox.finish()));
    expect(takenNumbers().length).toBe(120);
    expect(new Set(takenNumbers()).size).toBe(120);
  });

  test('clearing leaves what a running one holds', async () => {
    listener.answer = () => 500;
    const gone = open();
    const running = open();
    await gone.record(reportNo(1));
    await running.record(reportNo(2));
    await gone.finish(0);
    expect(await clearOutbox(folder)).toEqual({ inUse: 1 });
    expect((await status()).waiting).toBe(1);
    await running.finish(0);
    expect(await clearOutbox(folder)).toEqual({ inUse: 0 });
    expect(await status()).toMatchObject({ waiting: 0, nodes: [], host: { state: 'well' } });
  });

  test('where the folder cannot be used, memory has to do, and it is told once', async () => {
    const troubles: unknown[] = [];
    const outbox = openOutbox({
      folder: '/dev/null/outbox',
      clock: systemClock,
      send: listener.send,
      onTrouble: (error) => troubles.push(error),
    });
    await recordAll(outbox, [1, 2, 3]);
    expect(await outbox.finish()).toEqual({ sent: 3, waiting: 0 });
    expect(troubles.length).toBe(1);
  });
});

test('each report host has an outbox of its own, so that practice is never reported to the live one', () => {
  const folders = [
    'https://api.mangadex.network',
    'http://127.0.0.1:4001',
    'http://127.0.0.1:4002/x/',
  ].map((url) => outboxFolder('/state', new URL(url)));
  expect(folders).toEqual([
    '/state/outbox/api.mangadex.network',
    '/state/outbox/127.0.0.1_4001',
    '/state/outbox/127.0.0.1_4002_x',
  ]);
});
