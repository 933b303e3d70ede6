import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../../src/core/clock.js';
import { reportStatusIn } from '../../../../src/service/reports.js';
import { MAX_IN_FLIGHT } from '../../../../src/service/reports/sender.js';
import { numberOf, startListener, type ReportListener } from '../../../support/report-listener.js';
import { startWorker, type Worker } from '../../../support/report-workers.js';
import { IS_LONG_RUN } from '../../../support/long-run.js';

let folder: string;
let listener: ReportListener;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-kill-'));
  listener = await startListener();
});
afterEach(async () => {
  await listener.close();
  rmSync(folder, { recursive: true });
});

const KILLS = IS_LONG_RUN ? 25 : 3;
const AT_ONCE = IS_LONG_RUN ? 4 : 3;
const REPORTS_EACH = 150;

/** Kills it a random while after its first report, or when it has ended by itself not at all. */
async function killSomewhere(worker: Worker): Promise<boolean> {
  while (worker.recorded.length === 0 && worker.process.exitCode === null) {
    await systemClock.sleep(2);
  }
  await systemClock.sleep(Math.random() * 250);
  const killed = worker.process.kill('SIGKILL');
  await worker.ended;
  return killed && worker.process.signalCode === 'SIGKILL';
}

test('kills at random moments lose no recorded report and repeat at most those in flight', async () => {
  listener.answer = async () => {
    await systemClock.sleep(Math.random() * 12);
    return 200;
  };
  const due: number[] = [];
  let kills = 0;
  let started = 0;
  while (kills < KILLS) {
    const workers = Array.from({ length: AT_ONCE }, () => {
      started += 1;
      return startWorker(folder, listener.url, { from: started * 1_000, reports: REPORTS_EACH });
    });
    const ends = await Promise.all(workers.map(killSomewhere));
    kills += ends.filter(Boolean).length;
    due.push(...workers.flatMap(({ recorded }) => recorded));
  }
  // One more, which is left alone: it delivers what the others left behind.
  const last = startWorker(folder, listener.url, { from: 0, reports: 1 });
  await last.ended;
  due.push(...last.recorded);

  const times = new Map<number, number>();
  for (const report of listener.taken) {
    times.set(numberOf(report), (times.get(numberOf(report)) ?? 0) + 1);
  }
  expect(due.filter((number) => !times.has(number))).toEqual([]);
  const again = [...times.values()].reduce((sum, count) => sum + count - 1, 0);
  expect(again).toBeLessThanOrEqual(MAX_IN_FLIGHT * kills);
  // A report is repeated only if its holder is killed; no report had that many killed holders.
  expect(Math.max(...times.values())).toBeLessThanOrEqual(3);
  const status = reportStatusIn(folder, systemClock.wallMs());
  expect(status).toMatchObject({ waiting: 0, givenUp: 0, dropped: 0 });
  // Each report is counted once, however often it was sent.
  expect(status.sent).toBe(times.size);
  expect(due.length).toBeGreaterThan(KILLS);
}, 300_000);

test('concurrent processes deliver each report exactly once', async () => {
  const reports = IS_LONG_RUN ? 120 : 40;
  const workers = Array.from({ length: IS_LONG_RUN ? 3 : 2 }, (_, index) =>
    startWorker(folder, listener.url, { from: (index + 1) * 1_000, reports }),
  );
  await Promise.all(workers.map(({ ended }) => ended));
  const numbers = listener.taken.map(numberOf);
  expect(new Set(numbers).size).toBe(numbers.length);
  // This one sends what a busy machine did not send before the end of a run.
  await startWorker(folder, listener.url, { from: 9_000, reports: 1 }).ended;
  expect(new Set(listener.taken.map(numberOf)).size).toBe(workers.length * reports + 1);
});
