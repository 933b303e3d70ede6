/** Each fault of a page load: the reason, the report, the retries and the result. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { FAULT_NAMES, FAULTS, type FaultName } from '../../../src/practice-server/page-faults.js';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import type { LoadReason } from '../../../src/image/load-reason.js';
import type { PracticeService } from '../../../src/practice-server/practice-service.js';
import { DownloadHarness, timeLimitsFor } from '../../support/download-harness.js';
import { readPages } from '../../support/archive.js';

const PAGES = 6;
const BAD_PAGE = 3;
const chapter = generateChapter({
  id: '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0001',
  pages: PAGES,
  bytesPerPage: 20_000,
});

/** The reasons in the events for each fault. */
const REASONS: Readonly<Partial<Record<FaultName, readonly LoadReason[]>>> = {
  'connection-reset': ['connection-broken'],
  'closed-without-answer': ['connection-broken'],
  'switching-protocols': ['bad-status'],
  'connect-refused': ['connect-failed'],
  'silent-node': ['first-byte-timeout', 'idle-timeout'],
  'bad-certificate': ['bad-certificate'],
  'tls-refused': ['bad-certificate'],
  hang: ['first-byte-timeout', 'idle-timeout'],
  stall: ['idle-timeout'],
  trickle: ['page-timeout'],
  'cut-with-length': ['bad-length'],
  'cut-without-length': ['bad-length'],
  'cut-chunked': ['bad-length'],
  'truncated-copy': ['bad-length'],
  'truncated-copy-with-length': ['bad-length'],
  'status-403': ['base-url-expired'],
  'status-404': ['bad-status'],
  'status-410': ['base-url-expired'],
  'status-429': ['bad-status'],
  'status-500': ['bad-status'],
  'status-503': ['bad-status'],
  'html-page': ['not-a-picture'],
  'another-image': ['bad-digest'],
  'forged-image': ['bad-digest'],
  'flipped-byte': ['bad-digest'],
  'same-flipped-byte': ['bad-digest'],
  'empty-body': ['bad-length'],
  'endless-body': ['too-large'],
  redirect: ['redirected'],
};

const FAILING = FAULT_NAMES.filter((name) => FAULTS[name].fails);
let harness: DownloadHarness;
afterEach(() => harness.stop());

function logIndex(
  service: PracticeService,
  find: (entry: PracticeService['log'][number]) => boolean,
  nth = 0,
): number {
  const found = service.log.flatMap((entry, index) => (find(entry) ? [index] : []));
  return found[nth] ?? -1;
}

const isAtHome = ({ path }: { path: string }) => path.startsWith('/at-home/server/');
const isFailureReport = (entry: PracticeService['log'][number]) =>
  entry.host === 'network' && entry.body.includes('"success":false');

describe('a fault of one page that occurs once', () => {
  test.each(FAILING)(
    '%s: the chapter is whole, and every load is reported as it went',
    async (fault) => {
      harness = await DownloadHarness.start({ chapters: [chapter] });
      harness.service.injectPageFaults({ fault, chapter: chapter.id, page: BAD_PAGE, attempts: 1 });
      const { code, events } = await harness.download(
        { targets: [chapter.id] },
        { settings: timeLimitsFor(fault) },
      );

      expect(code).toBe(0);
      const [archive = ''] = harness.archives();
      expect(await readPages(archive)).toHaveLength(PAGES);
      expect(events.filter(({ type }) => type === 'page-loaded')).toHaveLength(PAGES);

      const reasons = events.flatMap((event) =>
        event.type === 'page-failed' ? [event.reason] : [],
      );
      expect(REASONS[fault]).toEqual(expect.arrayContaining([...new Set(reasons)]));
      const failures = reasons.length;
      expect(failures).toBeGreaterThanOrEqual(1);
      const reports = harness.service.reports;
      expect(reports.filter(({ success }) => success)).toHaveLength(PAGES);
      expect(reports.filter(({ success }) => !success)).toHaveLength(failures);
      expect(harness.service.violations()).toEqual([]);

      // Spec 4.3: the failed load is reported before the metadata is requested again.
      const secondCall = logIndex(harness.service, isAtHome, 1);
      const failureReport = logIndex(harness.service, isFailureReport);
      expect(secondCall).toBeGreaterThan(-1);
      expect(failureReport).toBeGreaterThan(-1);
      expect(failureReport).toBeLessThan(secondCall);
      // Several failures at once share a request; never more than one request for each.
      const calls = harness.service.log.filter(isAtHome).length;
      expect(calls).toBeGreaterThanOrEqual(2);
      expect(calls).toBeLessThanOrEqual(1 + failures);
    },
  );
});

test('a truncated body without a length is detected although the names have no digest', async () => {
  const plain = generateChapter({
    id: '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0003',
    pages: 3,
    bytesPerPage: 20_000,
    pageNames: 'plain',
  });
  harness = await DownloadHarness.start({ chapters: [plain] });
  harness.service.injectPageFaults({
    fault: 'cut-without-length',
    chapter: plain.id,
    page: 2,
    attempts: 1,
  });
  const { code, events } = await harness.download({ targets: [plain.id] });
  expect(code).toBe(0);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'page-failed', page: 2, reason: 'bad-length' }),
  );
});

test('without X-Cache, the load counts as not cached', async () => {
  harness = await DownloadHarness.start({ chapters: [chapter] });
  harness.service.injectPageFaults({
    fault: 'no-x-cache',
    chapter: chapter.id,
    page: BAD_PAGE,
    attempts: 'always',
  });
  const { code, events } = await harness.download({ targets: [chapter.id] });
  expect(code).toBe(0);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'page-loaded', page: BAD_PAGE, cached: false }),
  );
  expect(harness.service.log.filter(isAtHome)).toHaveLength(1);
});
