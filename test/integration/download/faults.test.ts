/** Each fault of a page load: the reason, the report, the retries and the result. */
import { FAULT_NAMES, FAULTS, type FaultName } from '../../../src/practice-server/page-faults.js';
import {
  generateChapter,
  type LibraryChapter,
} from '../../../src/practice-server/library/library.js';
import type { LoadReason } from '../../../src/events/reasons.js';
import type { PracticeService } from '../../../src/practice-server/practice-service.js';
import type { LogEntry } from '../../../src/practice-server/request-log.js';
import { DownloadHarness, timeLimitsFor, type RunResult } from '../../support/download-harness.js';
import { readPages } from '../../support/archive.js';

const PAGES = 3;
const BAD_PAGE = 2;
/** One page of the first meets the fault once, one of the second at every load. */
const [recovering, failing] = [1, 2].map((seed) =>
  generateChapter({
    id: `0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f000${seed}`,
    pages: PAGES,
    bytesPerPage: 8_000,
    seed,
  }),
) as [LibraryChapter, LibraryChapter];

/** The reasons in the events for each fault. */
const REASONS: Readonly<Partial<Record<FaultName, readonly LoadReason[]>>> = {
  'connection-reset': ['connection-broken'],
  'closed-without-answer': ['connection-broken'],
  'switching-protocols': ['bad-status'],
  'connect-refused': ['connect-failed'],
  'silent-node': ['first-byte-timeout'],
  'bad-certificate': ['bad-certificate'],
  'tls-refused': ['bad-certificate'],
  hang: ['first-byte-timeout'],
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
  'html-page': ['not-an-image'],
  'another-image': ['bad-digest'],
  'forged-image': ['bad-digest'],
  'flipped-byte': ['bad-digest'],
  'same-flipped-byte': ['bad-digest'],
  'empty-body': ['bad-length'],
  'endless-body': ['too-large'],
  redirect: ['redirected'],
};

const FAILING = FAULT_NAMES.filter((name) => FAULTS[name].fails);
/** The runs mostly wait, so this many go on at a time. */
const CONCURRENT_RUNS = 4;

interface Outcome extends RunResult {
  readonly archives: readonly string[];
  /** The pages of the first archive. */
  readonly packed: number;
  readonly log: PracticeService['log'];
  readonly reports: PracticeService['reports'];
  readonly violations: ReturnType<PracticeService['violations']>;
}

async function downloadWith(fault: FaultName): Promise<Outcome> {
  const harness = await DownloadHarness.start({ chapters: [recovering, failing] });
  try {
    const { service } = harness;
    const [once, always] = [recovering.id, failing.id];
    service.injectPageFaults({ fault, chapter: once, page: BAD_PAGE, attempts: 1 });
    service.injectPageFaults({ fault, chapter: always, page: BAD_PAGE, attempts: 'always' });
    const settings = timeLimitsFor(fault);
    const result = await harness.download({ targets: [once, always] }, { settings });
    const archives = harness.archives();
    const packed = (await readPages(archives[0] ?? '')).length;
    const { log } = service;
    const reports = await harness.reports();
    return { ...result, archives, packed, log, reports, violations: service.violations() };
  } finally {
    await harness.stop();
  }
}

/** What concerns one of the chapters. */
function partOf(chapter: LibraryChapter, { events, log, reports }: Outcome) {
  const names = chapter.pages('data').map(({ fileName }) => fileName);
  const concerns = (text: string) => names.some((name) => text.includes(name));
  const own = reports.filter(({ url }) => concerns(url));
  const indexOf = (isMatch: (entry: LogEntry) => boolean) =>
    log.flatMap((entry, index) => (isMatch(entry) ? [index] : []));
  return {
    events: events.filter((event) => 'chapter' in event && event.chapter === chapter.id),
    failures: events.flatMap((event) =>
      event.type === 'page-failed' && event.chapter === chapter.id ? [event] : [],
    ),
    succeeded: own.filter(({ success }) => success),
    failed: own.filter(({ success }) => !success),
    metadataCalls: indexOf(({ path }) => path === `/at-home/server/${chapter.id}`),
    failureReports: indexOf(
      ({ host, body }) => host === 'network' && body.includes('"success":false') && concerns(body),
    ),
  };
}

describe('a fault of a page', () => {
  const outcomes = new Map<FaultName, Outcome>();
  beforeAll(async () => {
    const left = [...FAILING];
    const runAll = async (): Promise<void> => {
      for (let fault = left.shift(); fault !== undefined; fault = left.shift()) {
        outcomes.set(fault, await downloadWith(fault));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_RUNS }, runAll));
  });
  const outcomeOf = (fault: FaultName): Outcome => {
    const outcome = outcomes.get(fault);
    if (!outcome) throw new Error('The download did not end.');
    return outcome;
  };

  test.each(FAILING)(
    '%s, once: the chapter is whole, and every load is reported as it went',
    (fault) => {
      const outcome = outcomeOf(fault);
      const part = partOf(recovering, outcome);
      const { failures, succeeded, failed, metadataCalls, failureReports } = part;
      expect(outcome.packed).toBe(PAGES);
      expect(part.events.filter(({ type }) => type === 'page-loaded')).toHaveLength(PAGES);

      expect(failures.length).toBeGreaterThanOrEqual(1);
      expect(REASONS[fault]).toEqual(expect.arrayContaining(failures.map(({ reason }) => reason)));
      expect(succeeded).toHaveLength(PAGES);
      expect(failed).toHaveLength(failures.length);
      expect(outcome.violations).toEqual([]);

      // Spec 4.3: the failed load is reported before the metadata is requested again.
      expect(failureReports[0]).toBeLessThan(metadataCalls[1] ?? -1);
      // Several failures at once share a request; never more than one request for each.
      expect(metadataCalls.length).toBeLessThanOrEqual(1 + failures.length);
    },
  );

  test.each(FAILING)(
    '%s, at every load: exit 3, nothing under the final name, at most 5 attempts, and the other chapter is saved',
    (fault) => {
      const outcome = outcomeOf(fault);
      const { events, failures, failed } = partOf(failing, outcome);
      expect(outcome.code).toBe(3);
      expect(outcome.archives).toHaveLength(1);
      expect(outcome.events).toContainEqual(
        expect.objectContaining({ type: 'chapter-saved', chapter: recovering.id }),
      );
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'chapter-failed', reason: 'page-lost' }),
      );
      // A dead base URL is not tried five times by each page.
      if (FAULTS[fault].of === 'page')
        expect(Math.max(...failures.map(({ attempt }) => attempt))).toBe(5);
      else expect(failures.length).toBeLessThanOrEqual(30);
      expect(failed).toHaveLength(failures.length);
    },
  );
});

describe('a load', () => {
  let harness: DownloadHarness;
  afterEach(() => harness.stop());

  test('whose body is truncated, without a length, is detected although the names have no digest', async () => {
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

  test('without X-Cache counts as not cached', async () => {
    harness = await DownloadHarness.start({ chapters: [recovering] });
    harness.service.injectPageFaults({
      fault: 'no-x-cache',
      chapter: recovering.id,
      page: BAD_PAGE,
      attempts: 'always',
    });
    const { code, events } = await harness.download({ targets: [recovering.id] });
    expect(code).toBe(0);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'page-loaded', page: BAD_PAGE, cached: false }),
    );
    expect(harness.service.log.filter(({ path }) => path.startsWith('/at-home/'))).toHaveLength(1);
  });
});
