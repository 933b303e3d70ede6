/** A thousand pages, one load in five failing in a way drawn from the whole fault list. */
import { generateChapter } from '../../src/practice-server/library/library.js';
import type { LogEntry } from '../../src/practice-server/request-log.js';
import { DownloadHarness, type RunResult } from '../support/download-harness.js';
import { readArchive } from '../support/archive.js';

const CHAPTERS = 10;
const PAGES = 100;
const SEED = 20_26;
const chapters = Array.from({ length: CHAPTERS }, (_, index) =>
  generateChapter({
    id: `0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f01${String(index).padStart(2, '0')}`,
    pages: PAGES,
    bytesPerPage: 12_000,
    seed: index + 1,
  }),
);

let harness: DownloadHarness;
let ran: RunResult;
beforeAll(async () => {
  // Both sides live five times as fast, so that the quotas, which hold, cost seconds and not minutes.
  harness = await DownloadHarness.start({ chapters, specificationOnly: true });
  harness.service.injectPageFaults({ seed: SEED, share: 0.2 });
  // The faults that hang and stall end by these.
  const settings = { firstByteTimeoutMs: 1_000, idleTimeoutMs: 1_000, reportTimeoutMs: 30_000 };
  ran = await harness.download({ targets: chapters.map(({ id }) => id) }, { settings });
});
afterAll(() => harness.stop());

test('every page is present and right', async () => {
  expect(ran.events.at(-1)).toMatchObject({ type: 'summary', saved: CHAPTERS, failed: 0 });
  expect(ran.code).toBe(0);
  for (const file of harness.archives()) await readArchive(file);
  expect(ran.events.filter(({ type }) => type === 'page-loaded')).toHaveLength(CHAPTERS * PAGES);
});

test('one correct report for each load, the failed ones before the metadata is asked for again', async () => {
  const failures = ran.events.filter(({ type }) => type === 'page-failed').length;
  expect(failures).toBeGreaterThan(CHAPTERS * PAGES * 0.1);
  const reports = await harness.reports();
  const { log } = harness.service;
  expect(reports.filter(({ success }) => success)).toHaveLength(CHAPTERS * PAGES);
  expect(reports.filter(({ success }) => !success)).toHaveLength(failures);

  for (const chapter of chapters) {
    const isRenewal = ({ path }: LogEntry) => path === `/at-home/server/${chapter.id}`;
    const saysFailed = ({ host, body }: LogEntry) =>
      host === 'network' && body.includes(chapter.hash) && body.includes('"success":false');
    const failed = ran.events.filter(
      (event) => event.type === 'page-failed' && event.chapter === chapter.id,
    ).length;
    const [first, ...renewals] = log.filter(isRenewal);
    expect(first).toBeDefined();
    expect(renewals.length).toBeLessThanOrEqual(failed);
    for (const [index, renewal] of renewals.entries()) {
      const before = log.slice(0, log.indexOf(renewal)).filter(saysFailed);
      expect(before.length).toBeGreaterThan(index);
    }
  }
});

test('no rule of the service was broken', () => {
  expect(harness.service.violations()).toEqual([]);
});
