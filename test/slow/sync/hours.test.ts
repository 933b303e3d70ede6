/** `sync --every --hours`: chapters are downloaded in these hours alone, and a run that they cut goes on in the next ones. */
import { createLibrary } from '../../../src/practice-server/library/library.js';
import { interruptedError } from '../../../src/core/errors.js';
import {
  DAY_MS,
  syncChapter,
  SyncHarness,
  syncTitle,
  titleId,
} from '../../support/sync-harness.js';

/** More than the limit of the service for a minute. */
const CHAPTERS = 42;
const MINUTE_MS = 60_000;

let harness: SyncHarness;
/** When chapters were asked for. */
let loads: number[];
beforeEach(async () => {
  loads = [];
  harness = await SyncHarness.start(
    (nowMs) =>
      createLibrary({
        titles: [syncTitle('Tea')],
        chapters: Array.from({ length: CHAPTERS }, (_, index) =>
          syncChapter('Tea', String(index + 1), nowMs - 9 * DAY_MS, {}, 1),
        ),
      }),
    {
      onRequest: ({ path }) => {
        if (path.startsWith('/at-home/')) loads.push(harness.clock.wallMs());
      },
    },
  );
  harness.write(`series: [{ target: 'title:${titleId('Tea')}', language: [en] }]\n`);
});
afterEach(() => harness.stop());

const clockTime = (ms: number) => {
  const at = new Date(ms);
  return `${at.getHours()}:${String(at.getMinutes()).padStart(2, '0')}`;
};

test('a run that does not fit into them is cut without an error, and goes on the next day', async () => {
  const { clock } = harness;
  const fromMs = clock.wallMs() + 3 * MINUTE_MS;
  const from = clockTime(fromMs);
  const stop = new AbortController();
  const passTime = async () => {
    await clock.sleep(10 * MINUTE_MS);
    // The machine sleeps until shortly before the hours of the next day.
    clock.advance(DAY_MS - 10 * MINUTE_MS);
    await clock.sleep(10 * MINUTE_MS);
    stop.abort(interruptedError());
  };
  const passing = passTime();
  const hours = `${from}-${clockTime(fromMs + MINUTE_MS)}`;
  const flags = { every: '30d', hours } as const;
  const { code, stderr } = await harness.text(flags, { signal: stop.signal });
  await passing;
  expect(code).toBe(0);
  expect(stderr).toContain('The hours are over: the next ones continue the run.\n');
  expect(stderr).not.toContain('error:');
  expect(new Set(loads.map(clockTime))).toEqual(new Set([from]));
  expect(new Set(loads.map((ms) => new Date(ms).getDate())).size).toBe(2);
  expect(harness.base.archives()).toHaveLength(CHAPTERS);
  expect(harness.service.violations()).toEqual([]);
});

test('they need an interval', async () => {
  await expect(harness.text({ hours: '1-7' })).rejects.toMatchObject({ code: 'bad-option' });
  expect(harness.service.log).toEqual([]);
});
