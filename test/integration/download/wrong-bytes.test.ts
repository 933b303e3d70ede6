/** Pages that are incomplete or do not match the digest in their name: what is kept and what is reported. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { download } from '../../../src/cli/commands/download.js';
import type { FaultName } from '../../../src/practice-server/page-faults.js';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import { DownloadHarness, timeLimitsFor, type RunResult } from '../../support/download-harness.js';
import { readPages } from '../../support/archive.js';

const PAGES = 4;
const BAD_PAGE = 2;
const TWO_HOSTS = { nodes: 2, nodeHostNames: ['127.0.0.1', 'localhost'] };
const chapter = generateChapter({
  id: '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0301',
  pages: PAGES,
  bytesPerPage: 8_000,
});
const plainlyNamed = generateChapter({
  id: '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0302',
  pages: PAGES,
  bytesPerPage: 8_000,
  pageNames: 'plain',
});

let harness: DownloadHarness;
afterEach(() => harness.stop());

function reasons({ events }: RunResult): string[] {
  return events.flatMap((event) => (event.type === 'page-failed' ? [event.reason] : []));
}

/** The sha256 of each page in the archive. */
async function digestsIn(archive: string): Promise<string[]> {
  const pages = await readPages(archive);
  return pages.map((bytes) => createHash('sha256').update(bytes).digest('hex'));
}

/** Nothing was saved, each load of the page was reported as a failure, and no partial page is left. */
function expectLost(ran: RunResult, id: string): void {
  expect(ran.code).toBe(3);
  expect(harness.archives()).toEqual([]);
  expect(ran.events).toContainEqual(
    expect.objectContaining({ type: 'chapter-failed', chapter: id, reason: 'page-lost' }),
  );
  const { reports } = harness.service;
  expect(reports.filter(({ success }) => !success)).toHaveLength(reasons(ran).length);
  expect(reports.filter(({ success }) => success)).toHaveLength(PAGES - 1);
  expect(harness.files().filter((file) => file.endsWith('.part'))).toEqual([]);
}

describe('one host, with a fresh path token each time', () => {
  test.each<[FaultName, string]>([
    ['forged-image', 'bad-digest'],
    ['same-flipped-byte', 'bad-digest'],
    ['truncated-copy', 'bad-length'],
    ['truncated-copy-with-length', 'bad-length'],
  ])('%s under a name with another digest: the page fails', async (fault, reason) => {
    harness = await DownloadHarness.start({ chapters: [chapter], nodes: 3 });
    harness.service.injectPageFaults({ fault, page: BAD_PAGE, attempts: 'always' });
    const ran = await harness.download({ targets: [chapter.id] });
    expect(reasons(ran)).toEqual(Array.from({ length: 5 }, () => reason));
    expectLost(ran, chapter.id);
  });

  test.each<FaultName>(['truncated-copy', 'truncated-copy-with-length'])(
    '%s under a name without a digest: the page fails',
    async (fault) => {
      harness = await DownloadHarness.start({ chapters: [plainlyNamed], nodes: 1 });
      harness.service.injectPageFaults({ fault, page: BAD_PAGE, attempts: 'always' });
      const ran = await harness.download({ targets: [plainlyNamed.id] });
      expect(new Set(reasons(ran))).toEqual(new Set(['bad-length']));
      expectLost(ran, plainlyNamed.id);
    },
  );
});

describe('two hosts', () => {
  test('that serve the same complete image: it is kept with a warning, and every load is reported as failed', async () => {
    harness = await DownloadHarness.start({ chapters: [chapter], ...TWO_HOSTS });
    harness.service.injectPageFaults({ fault: 'forged-image', page: BAD_PAGE, attempts: 'always' });
    const ran = await harness.download({ targets: [chapter.id] });

    expect(ran.code).toBe(0);
    const [archive = ''] = harness.archives();
    expect(await digestsIn(archive)).toHaveLength(PAGES);
    expect(ran.events).toContainEqual(
      expect.objectContaining({ type: 'page-loaded', page: BAD_PAGE, warning: 'bad-digest' }),
    );
    const loads = harness.service.log.flatMap(({ load }) =>
      load?.page === BAD_PAGE ? [load] : [],
    );
    expect(loads.length).toBeGreaterThanOrEqual(2);
    const name = chapter.pages('data')[BAD_PAGE - 1]?.fileName ?? '';
    const reports = harness.service.reports.filter(({ url }) => url.endsWith(name));
    expect(reports.map(({ success }) => success)).toEqual(loads.map(() => false));
  });

  test('that serve the same complete image: the warning names the page', async () => {
    harness = await DownloadHarness.start({ chapters: [chapter], ...TWO_HOSTS });
    harness.service.injectPageFaults({ fault: 'forged-image', page: BAD_PAGE, attempts: 'always' });
    const { code, stderr } = await harness.command((run) =>
      download({ output: harness.output, targets: [chapter.id] }, run),
    );
    expect(code).toBe(0);
    expect(stderr).toContain(`page ${BAD_PAGE} does not match the digest in its name; kept`);
  });

  test.each<FaultName>(['truncated-copy', 'truncated-copy-with-length', 'flipped-byte'])(
    'that give %s: the page fails',
    async (fault) => {
      harness = await DownloadHarness.start({ chapters: [chapter], ...TWO_HOSTS });
      harness.service.injectPageFaults({ fault, page: BAD_PAGE, attempts: 'always' });
      expectLost(await harness.download({ targets: [chapter.id] }), chapter.id);
    },
  );

  test('of which one serves the right image: that one is kept', async () => {
    harness = await DownloadHarness.start({ chapters: [chapter], ...TWO_HOSTS });
    const [hostile = ''] = harness.service.nodes;
    harness.service.injectPageFaults({ fault: 'forged-image', node: hostile, attempts: 'always' });
    const ran = await harness.download({ targets: [chapter.id] });
    expect(ran.code).toBe(0);
    const [archive = ''] = harness.archives();
    const promised = chapter
      .pages('data')
      .map(({ fileName }) => /[0-9a-f]{64}/.exec(fileName)?.[0]);
    expect(await digestsIn(archive)).toEqual(promised);
    expect(harness.service.reports.filter(({ success }) => success)).toHaveLength(PAGES);
  });
});

describe('no part of a rejected body stays in the workspace', () => {
  test.each<FaultName>(['status-404', 'endless-body', 'html-page', 'cut-with-length', 'stall'])(
    '%s',
    async (fault) => {
      harness = await DownloadHarness.start({ chapters: [chapter], nodes: 1 });
      // An image under a wrong digest comes first: it must not stay either.
      harness.service.injectPageFaults({ fault: 'flipped-byte', page: BAD_PAGE, attempts: 1 });
      harness.service.injectPageFaults({ fault, page: BAD_PAGE, attempts: 'always' });
      const settings = timeLimitsFor(fault);
      const ran = await harness.download({ targets: [chapter.id] }, { settings });
      expectLost(ran, chapter.id);
      const [workspace = ''] = readdirSync(harness.output);
      expect(existsSync(join(harness.output, workspace))).toBe(true);
      const kept = readdirSync(join(harness.output, workspace)).filter((name) =>
        /^\d+\./.test(name),
      );
      expect(kept).toHaveLength(PAGES - 1);
    },
  );
});
