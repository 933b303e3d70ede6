/** Dead base URLs: few loads, a report before each metadata request, and a chapter that fails soon. */
import type { FaultName } from '../../../src/practice-server/page-faults.js';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import type { PracticeOptions } from '../../../src/practice-server/practice-service.js';
import type { LogEntry } from '../../../src/practice-server/request-log.js';
import type { LoadReason } from '../../../src/events/reasons.js';
import { testConcurrently } from '../../support/concurrent-tests.js';
import { DownloadHarness, timeLimitsFor, type RunResult } from '../../support/download-harness.js';

const PAGES = 60;
/** Pages in flight at once by default. */
const SLOTS = 6;
const chapter = generateChapter({
  id: '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0201',
  pages: PAGES,
  bytesPerPage: 4_000,
});

const isMetadataCall = ({ path }: LogEntry) => path.startsWith('/at-home/server/');
const isPageLoad = ({ host }: LogEntry) => host === 'node';
const failures = ({ events }: RunResult) => events.filter(({ type }) => type === 'page-failed');

/** There are as many reports as failed loads, and the first one before the second metadata call (spec 4.3). */
async function expectTruthfulReports(harness: DownloadHarness, ran: RunResult): Promise<void> {
  const { service } = harness;
  const { log } = service;
  const reports = await harness.reports();
  expect(reports.filter(({ success }) => !success)).toHaveLength(failures(ran).length);
  const firstReport = log.findIndex(
    ({ host, body }) => host === 'network' && body.includes('"success":false'),
  );
  const secondCall = log.flatMap((entry, index) => (isMetadataCall(entry) ? [index] : []))[1];
  expect(firstReport).toBeGreaterThan(-1);
  expect(firstReport).toBeLessThan(secondCall ?? -1);
  expect(service.violations()).toEqual([]);
}

const DEAD: readonly [FaultName, LoadReason][] = [
  ['connect-refused', 'connect-failed'],
  ['bad-certificate', 'bad-certificate'],
  ['connection-reset', 'connection-broken'],
  ['status-403', 'base-url-expired'],
  ['hang', 'first-byte-timeout'],
];

async function failsSoon(fault: FaultName, reason: LoadReason): Promise<void> {
  await DownloadHarness.use({ chapters: [chapter], nodes: 1 }, async (harness) => {
    const { service } = harness;
    service.injectPageFaults({ fault, attempts: 'always' });
    const settings = timeLimitsFor(fault);
    const ran = await harness.download({ targets: [chapter.id] }, { settings });

    expect(ran.code).toBe(3);
    expect(ran.events).toContainEqual(
      expect.objectContaining({ type: 'chapter-failed', reason: 'page-lost' }),
    );
    expect(harness.files()).toEqual([]);
    expect(service.log.filter(isPageLoad).length).toBeLessThanOrEqual(SLOTS + 4);
    expect(failures(ran).length).toBeLessThanOrEqual(SLOTS + 4);
    expect(new Set(failures(ran).map((event) => 'reason' in event && event.reason))).toEqual(
      new Set([reason]),
    );
    // On a busy machine, not all loads in flight fail before the first renewal.
    const calls = service.log.filter(isMetadataCall).length;
    expect(calls).toBeGreaterThanOrEqual(5);
    expect(calls).toBeLessThanOrEqual(1 + failures(ran).length);
    await expectTruthfulReports(harness, ran);
  });
}

describe('if all nodes are dead, a chapter of 60 pages fails after few loads', () => {
  testConcurrently({
    ...Object.fromEntries(DEAD.map(([fault, reason]) => [fault, () => failsSoon(fault, reason)])),

    'status-410, with the maximum concurrency': () =>
      DownloadHarness.use({ chapters: [chapter], nodes: 1 }, async (harness) => {
        harness.service.injectPageFaults({ fault: 'status-410', attempts: 'always' });
        const ran = await harness.download({ targets: [chapter.id], concurrency: 16 });
        expect(ran.code).toBe(3);
        expect(harness.service.log.filter(isPageLoad).length).toBeLessThanOrEqual(30);
        await expectTruthfulReports(harness, ran);
      }),
  });
});

testConcurrently({
  'after a base URL expires, no page but those in flight is requested from it': () => {
    let loads = 0;
    let expire: () => void;
    const service: PracticeOptions = {
      chapters: [chapter],
      nodes: 1,
      onRequest: ({ host }) => {
        if (host !== 'node') return;
        loads += 1;
        if (loads === 20) expire();
      },
    };
    return DownloadHarness.use(service, async (harness) => {
      const { log } = harness.service;
      expire = () => {
        harness.service.expireBaseUrls();
      };
      const ran = await harness.download({ targets: [chapter.id] });
      expect(ran.code).toBe(0);
      const expired = log.filter(({ findings }) => findings.includes('base-url-expired'));
      expect(expired.length).toBeGreaterThan(0);
      expect(expired.length).toBeLessThanOrEqual(SLOTS);
      expect(failures(ran)).toHaveLength(expired.length);
      expect(log.filter(isMetadataCall)).toHaveLength(2);
      await expectTruthfulReports(harness, ran);
    });
  },

  'one dead node costs only the loads in flight, and the chapter is saved': () =>
    DownloadHarness.use({ chapters: [chapter], nodes: 3 }, async (harness) => {
      const { service } = harness;
      const [dead = ''] = service.nodes;
      service.injectPageFaults({ fault: 'connection-reset', node: dead, attempts: 'always' });
      const ran = await harness.download({ targets: [chapter.id] });
      expect(ran.code).toBe(0);
      expect(harness.archives()).toHaveLength(1);
      const loads = service.log.filter(isPageLoad);
      expect(loads.filter(({ origin }) => origin === dead).length).toBeLessThanOrEqual(SLOTS);
      expect(loads.length).toBeLessThanOrEqual(PAGES + SLOTS);
      expect(service.log.filter(isMetadataCall)).toHaveLength(2);
      await expectTruthfulReports(harness, ran);
    }),
});
