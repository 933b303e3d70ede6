/** A fault that every load of one page meets: the chapter fails, and no other. */
import { beforeAll, expect, test } from '@jest/globals';
import { FAULT_NAMES, FAULTS, type FaultName } from '../../../src/practice-server/page-faults.js';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import type { PracticeService } from '../../../src/practice-server/practice-service.js';
import { DownloadHarness, timeLimitsFor, type RunResult } from '../../support/download-harness.js';

const BAD_PAGE = 3;
const chapter = generateChapter({
  id: '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0001',
  pages: 6,
  bytesPerPage: 20_000,
});
const neighbour = generateChapter({
  id: '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0002',
  pages: 2,
  bytesPerPage: 20_000,
  seed: 2,
});
const FAILING = FAULT_NAMES.filter((name) => FAULTS[name].fails);
/** The runs mostly wait, so this many go on at a time. */
const CONCURRENT_RUNS = 5;

interface Outcome extends RunResult {
  readonly archives: readonly string[];
  readonly reports: PracticeService['reports'];
  readonly violations: ReturnType<PracticeService['violations']>;
}

async function downloadWith(fault: FaultName): Promise<Outcome> {
  const harness = await DownloadHarness.start({ chapters: [chapter, neighbour] });
  try {
    const { service } = harness;
    service.injectPageFaults({ fault, chapter: chapter.id, page: BAD_PAGE, attempts: 'always' });
    const result = await harness.download(
      { targets: [chapter.id, neighbour.id] },
      { settings: timeLimitsFor(fault) },
    );
    const { reports } = service;
    return { ...result, archives: harness.archives(), reports, violations: service.violations() };
  } finally {
    await harness.stop();
  }
}

const outcomes = new Map<FaultName, Outcome>();
beforeAll(async () => {
  const left = [...FAILING];
  const runAll = async (): Promise<void> => {
    for (let fault = left.shift(); fault !== undefined; fault = left.shift()) {
      outcomes.set(fault, await downloadWith(fault));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_RUNS }, runAll));
}, 120_000);

test.each(FAILING)(
  '%s: exit 3, nothing under the final name, at most 5 attempts, and the other chapter is saved',
  (fault) => {
    const outcome = outcomes.get(fault);
    if (!outcome) throw new Error('The download did not end.');
    const { code, events, archives, reports, violations } = outcome;
    expect(code).toBe(3);
    expect(archives).toHaveLength(1);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'chapter-saved', chapter: neighbour.id }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'chapter-failed',
        chapter: chapter.id,
        reason: 'page-lost',
      }),
    );
    const attempts = events.flatMap((event) =>
      event.type === 'page-failed' ? [event.attempt] : [],
    );
    // A dead base URL is not tried five times by each page.
    if (FAULTS[fault].of === 'page') expect(Math.max(...attempts)).toBe(5);
    else expect(attempts.length).toBeLessThanOrEqual(30);
    const failed = reports.filter(({ success }) => !success);
    expect(failed).toHaveLength(attempts.length);
    expect(violations).toEqual([]);
  },
);
