/** The chapters that a stopped run did not start. */
import { generateChapter } from '../../../src/practice-server/library/library.js';
import type { DownloadEvent } from '../../../src/events/download-events.js';
import { interruptedError } from '../../../src/core/errors.js';
import { DownloadHarness, type RunResult } from '../../support/download-harness.js';

const MANY = 1_500;
const idOf = (index: number) => `0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f${String(index).padStart(4, '0')}`;
const chapters = Array.from({ length: MANY }, (_, index) =>
  generateChapter({ id: idOf(index), pages: 2, bytesPerPage: 2_000, seed: index + 1 }),
);
const ids = chapters.map(({ id }) => id);
const FEW = 100;

let harness: DownloadHarness;
afterEach(() => harness.stop());

const counts = (events: readonly DownloadEvent[]) => ({
  saved: events.filter(({ type }) => type === 'chapter-saved').length,
  failed: events.filter(({ type }) => type === 'chapter-failed').length,
  notStarted: events.filter(
    (event) => event.type === 'chapter-skipped' && event.reason === 'not-started',
  ).length,
});

/** Downloads so many chapters, and acts after a number of page requests. */
async function downloadUntil(
  loads: number,
  act: () => void,
  options: { readonly json: boolean; readonly count?: number; readonly signal?: AbortSignal },
): Promise<RunResult> {
  let asked = 0;
  harness = await DownloadHarness.start({
    chapters,
    onRequest({ host }) {
      if (host === 'node') asked += 1;
      if (asked === loads) act();
    },
  });
  const { json, count = FEW, signal } = options;
  const command = { targets: ids.slice(0, count), metadata: false, json, concurrency: 1 };
  return harness.download(command, signal ? { signal } : {});
}

test('after a ban, started chapters fail and the rest are not started: exit 6', async () => {
  // Banned during the first chapter: later, chapters whose archives are still being written would fail too.
  const { code, events, stderr } = await downloadUntil(
    1,
    () => {
      harness.service.ban();
    },
    { json: true },
  );
  expect(code).toBe(6);
  const { saved, failed, notStarted } = counts(events);
  expect(saved + failed + notStarted).toBe(FEW);
  expect(failed).toBeLessThanOrEqual(2);
  for (const event of events) {
    if (event.type === 'chapter-failed') expect(event.unfinished).toBe(true);
  }
  expect(events.at(-1)).toMatchObject({
    type: 'summary',
    saved,
    skipped: 0,
    failed,
    notStarted,
    stopped: 'banned',
  });
  expect(stderr.length).toBeLessThan(1_000);
});

test('an interruption is exit 130 and one line with the count', async () => {
  const stopping = new AbortController();
  const act = (): void => {
    stopping.abort(interruptedError());
  };
  const { code, stderr } = await downloadUntil(6, act, {
    json: false,
    count: MANY,
    signal: stopping.signal,
  });
  expect(code).toBe(130);
  const lines = stderr.trim().split('\n');
  expect(lines.length).toBeLessThan(6);
  expect(lines.filter((line) => line.includes('not started'))).toEqual([
    expect.stringMatching(/^Interrupted: \d+ saved(?:, \d unfinished)?, 1,49\d not started/),
  ]);
});

test('a ban is one line with the reason and one with the counts', async () => {
  const { code, stderr } = await downloadUntil(
    6,
    () => {
      harness.service.ban();
    },
    { json: false },
  );
  expect(code).toBe(6);
  expect(stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/^\d saved(?:, \d unfinished)?, 9\d not started; \d+ pages, /),
    expect.stringMatching(/^error: .* banned this address, until [-\d: ]+ \S+\.$/),
    expect.stringMatching(/^hint: /),
  ]);
});

test('an error while planning is reported for one target', async () => {
  harness = await DownloadHarness.start({ chapters: chapters.slice(0, 1) });
  harness.service.ban();
  const { code, events } = await harness.download({ targets: ids });
  expect(code).toBe(6);
  expect(counts(events)).toEqual({ saved: 0, failed: 1, notStarted: MANY - 1 });
  expect(events.at(-1)).toMatchObject({ failed: 1, notStarted: MANY - 1, stopped: 'banned' });
});
