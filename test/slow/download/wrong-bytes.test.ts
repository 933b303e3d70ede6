/** Pages that are incomplete or do not match the digest in their name: what is kept and what is reported. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { download } from '../../../src/cli/commands/download.js';
import type { FaultName } from '../../../src/practice-server/page-faults.js';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import type { LoadReason } from '../../../src/events/reasons.js';
import { readPages } from '../../support/archive.js';
import { testConcurrently } from '../../support/concurrent-tests.js';
import { DownloadHarness, timeLimitsFor, type RunResult } from '../../support/download-harness.js';

const PAGES = 6;
const BAD_PAGE = 2;
const ONE_HOST = { nodes: 3 };
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

/** The sha256 of each page in the archive. */
async function digestsIn(archive: string): Promise<string[]> {
  const pages = await readPages(archive);
  return pages.map((bytes) => createHash('sha256').update(bytes).digest('hex'));
}

const failures = ({ events }: RunResult) =>
  events.flatMap((event) => (event.type === 'page-failed' ? [event] : []));

/** The faults of the pages from the second on, and the reasons for which their loads fail. */
type Faults = readonly (readonly [FaultName, LoadReason])[];

/** No bad page is kept, each of its loads is reported as a failure, and no part of it is left. */
async function loses(
  nodes: { readonly nodes: number; readonly nodeHostNames?: readonly string[] },
  bad: typeof chapter,
  faults: Faults,
): Promise<void> {
  await DownloadHarness.use({ chapters: [bad], ...nodes }, async (harness) => {
    for (const [index, [fault]] of faults.entries())
      harness.service.injectPageFaults({ fault, page: BAD_PAGE + index, attempts: 'always' });
    const settings = Object.assign({}, ...faults.map(([fault]) => timeLimitsFor(fault))) as object;
    const ran = await harness.download({ targets: [bad.id] }, { settings });
    expect(ran.code).toBe(3);
    expect(harness.archives()).toEqual([]);
    expect(ran.events).toContainEqual(
      expect.objectContaining({ type: 'chapter-failed', chapter: bad.id, reason: 'page-lost' }),
    );
    const failed = failures(ran);
    for (const [index, [, reason]] of faults.entries()) {
      const own = failed.filter(({ page }) => page === BAD_PAGE + index);
      expect(new Set(own.map((event) => event.reason))).toEqual(new Set([reason]));
    }
    // The first page without attempts left ends the chapter.
    expect(Math.max(...failed.map(({ attempt }) => attempt))).toBe(5);
    const reports = await harness.reports();
    expect(reports.filter(({ success }) => !success)).toHaveLength(failed.length);
    expect(reports.filter(({ success }) => success)).toHaveLength(PAGES - faults.length);
    const [workspace = ''] = readdirSync(harness.output);
    const kept = readdirSync(join(harness.output, workspace));
    expect(kept.filter((name) => name.endsWith('.part'))).toEqual([]);
    expect(kept.filter((name) => /^\d+\./.test(name))).toHaveLength(PAGES - faults.length);
  });
}

testConcurrently({
  'one host, with a fresh path token each time: pages with another digest or incomplete fail': () =>
    loses(ONE_HOST, chapter, [
      ['forged-image', 'bad-digest'],
      ['same-flipped-byte', 'bad-digest'],
      ['truncated-copy', 'bad-length'],
      ['truncated-copy-with-length', 'bad-length'],
    ]),

  'incomplete pages under names without a digest fail': () =>
    loses(ONE_HOST, plainlyNamed, [
      ['truncated-copy', 'bad-length'],
      ['truncated-copy-with-length', 'bad-length'],
    ]),

  'two hosts that give incomplete or different wrong images: the pages fail': () =>
    loses(TWO_HOSTS, chapter, [
      ['truncated-copy', 'bad-length'],
      ['truncated-copy-with-length', 'bad-length'],
      ['flipped-byte', 'bad-digest'],
    ]),

  'no part of a rejected body stays in the workspace': () =>
    loses(ONE_HOST, chapter, [
      ['status-404', 'bad-status'],
      ['endless-body', 'too-large'],
      ['html-page', 'not-an-image'],
      ['cut-with-length', 'bad-length'],
    ]),

  'nor of a body that stalls': () => loses(ONE_HOST, chapter, [['stall', 'idle-timeout']]),

  'nor does an image under a wrong digest that came first': () =>
    DownloadHarness.use({ chapters: [chapter], nodes: 1 }, async (harness) => {
      const { service } = harness;
      service.injectPageFaults({ fault: 'flipped-byte', page: BAD_PAGE, attempts: 1 });
      service.injectPageFaults({ fault: 'status-404', page: BAD_PAGE, attempts: 'always' });
      const ran = await harness.download({ targets: [chapter.id] });
      expect(ran.code).toBe(3);
      expect(failures(ran).map(({ reason }) => reason)).toEqual([
        'bad-digest',
        ...Array.from({ length: 4 }, () => 'bad-status'),
      ]);
      const [workspace = ''] = readdirSync(harness.output);
      const kept = readdirSync(join(harness.output, workspace));
      expect(kept.filter((name) => name.endsWith('.part'))).toEqual([]);
      expect(kept.filter((name) => /^\d+\./.test(name))).toHaveLength(PAGES - 1);
    }),

  'two hosts that serve the same complete image: it is kept with a warning, and every load is reported as failed':
    () =>
      DownloadHarness.use({ chapters: [chapter], ...TWO_HOSTS }, async (harness) => {
        const { service } = harness;
        service.injectPageFaults({ fault: 'forged-image', page: BAD_PAGE, attempts: 'always' });
        const ran = await harness.download({ targets: [chapter.id] });

        expect(ran.code).toBe(0);
        const [archive = ''] = harness.archives();
        expect(await digestsIn(archive)).toHaveLength(PAGES);
        expect(ran.events).toContainEqual(
          expect.objectContaining({ type: 'page-loaded', page: BAD_PAGE, warning: 'bad-digest' }),
        );
        const loads = service.log.flatMap(({ load }) => (load?.page === BAD_PAGE ? [load] : []));
        expect(loads.length).toBeGreaterThanOrEqual(2);
        const name = chapter.pages('data')[BAD_PAGE - 1]?.fileName ?? '';
        const reports = (await harness.reports()).filter(({ url }) => url.endsWith(name));
        expect(reports.map(({ success }) => success)).toEqual(loads.map(() => false));
      }),

  'the warning of a page that was kept names the page': () =>
    DownloadHarness.use({ chapters: [chapter], ...TWO_HOSTS }, async (harness) => {
      const plan = { fault: 'forged-image', page: BAD_PAGE, attempts: 'always' } as const;
      harness.service.injectPageFaults(plan);
      const { code, stderr } = await harness.command((run) =>
        download([chapter.id], { output: harness.output }, run),
      );
      expect(code).toBe(0);
      expect(stderr).toContain(`page ${BAD_PAGE} does not match the digest in its name; kept`);
    }),

  'two hosts, of which one serves the right image: that one is kept': () =>
    DownloadHarness.use({ chapters: [chapter], ...TWO_HOSTS }, async (harness) => {
      const { service } = harness;
      const [hostile = ''] = service.nodes;
      service.injectPageFaults({ fault: 'forged-image', node: hostile, attempts: 'always' });
      const ran = await harness.download({ targets: [chapter.id] });
      expect(ran.code).toBe(0);
      const [archive = ''] = harness.archives();
      const promised = chapter
        .pages('data')
        .map(({ fileName }) => /[0-9a-f]{64}/.exec(fileName)?.[0]);
      expect(await digestsIn(archive)).toEqual(promised);
      const reports = await harness.reports();
      expect(reports.filter(({ success }) => success)).toHaveLength(PAGES);
    }),
});
