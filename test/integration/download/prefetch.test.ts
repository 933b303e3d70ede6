/** Prefetching: a chapter's delivery metadata before its catalogue metadata, its title's people during the download. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EXAMPLE_CHAPTERS, EXAMPLE_TITLES } from '../../../src/practice-server/library/library.js';
import { interruptedError } from '../../../src/core/errors.js';
import { start } from '../../support/command.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { readEntry } from '../../support/archive.js';
import { posixTest } from '../../support/platform.js';
import { shortChapters } from '../../support/short-chapters.js';

const ID = EXAMPLE_CHAPTERS.first;
const ADDRESS = `https://mangadex.org/chapter/${ID}`;
const AT_HOME = `/at-home/server/${ID}`;

let harness: DownloadHarness;
beforeEach(async () => {
  harness = await DownloadHarness.start({ chapters: shortChapters() });
});
afterEach(() => harness.stop());

const apiCalls = () =>
  harness.service.log.filter(({ host }) => host === 'api').map(({ path }) => path);
const atHomeCalls = () => apiCalls().filter((path) => path.startsWith('/at-home/'));

describe('the delivery metadata of a single chapter is requested', () => {
  test('beside the catalogue metadata of a target that is given as a chapter', async () => {
    // The catalogue never responds, so the request cannot depend on its response.
    harness.service.injectApiFault({ fault: 'hang', pathStart: '/chapter/', times: 'always' });
    const stop = new AbortController();
    const running = harness.download({ targets: [ADDRESS] }, { signal: stop.signal });
    while (atHomeCalls().length === 0) await delay(10);
    stop.abort(interruptedError());
    await running;
    expect(atHomeCalls()).toEqual([AT_HOME]);
  });

  test('of an id after its catalogue metadata and before its title’s people are known, once', async () => {
    harness.service.injectApiFault({ fault: 'hang', pathStart: '/manga/', times: 'always' });
    const stop = new AbortController();
    const running = harness.download({ targets: [ID] }, { signal: stop.signal });
    while (atHomeCalls().length === 0) await delay(10);
    expect(apiCalls()[0]).toBe(`/chapter/${ID}`);
    stop.abort(interruptedError());
    await running;
    expect(atHomeCalls()).toEqual([AT_HOME]);
  });

  test('of an id before its title, so that the open connection is not taken by a request that nothing waits for', async () => {
    await harness.download({ targets: [ID] });
    const paths = apiCalls().map((path) => path.replace(/\?.*/, ''));
    expect(paths.slice(0, 2)).toEqual([`/chapter/${ID}`, AT_HOME]);
    expect(paths[2]).toMatch(/^\/manga\//);
  });

  test('not for an existing chapter, except with --force', async () => {
    await harness.download({ targets: [ADDRESS] });
    await harness.download({ targets: [ADDRESS] });
    await harness.download({ targets: [ID] });
    expect(atHomeCalls()).toHaveLength(1);
    await harness.download({ targets: [ADDRESS], force: true });
    expect(atHomeCalls()).toHaveLength(2);
  });

  test('not for a chapter of the download archive whose file is gone', async () => {
    const downloadArchive = join(harness.folder, 'history.txt');
    writeFileSync(downloadArchive, `mangadex ${ID}\n`);
    const { events } = await harness.download({ targets: [ID], downloadArchive });
    expect(events).toContainEqual(expect.objectContaining({ reason: 'in-download-archive' }));
    expect(atHomeCalls()).toEqual([]);
  });

  test('not for a title’s id, and not by a dry run', async () => {
    await harness.dryRun({ targets: [EXAMPLE_TITLES.lighthouse] });
    await harness.dryRun({ targets: [ADDRESS] });
    expect(atHomeCalls()).toEqual([]);
  });

  test.each([
    ['external', 3, 'chapter-failed', 'chapter-external'],
    ['unavailable', 0, 'chapter-skipped', 'chapter-unavailable'],
  ] as const)(
    'for a chapter that is %s only if it is given as a chapter',
    async (name, exit, type, reason) => {
      const id = EXAMPLE_CHAPTERS[name];
      for (const [target, requests] of [
        [id, 0],
        [`https://mangadex.org/chapter/${id}`, 1],
      ] as const) {
        const { code, events } = await harness.download({ targets: [target] });
        expect(code).toBe(exit);
        expect(events).toContainEqual(expect.objectContaining({ type, reason, chapter: id }));
        // The catalogue metadata may come before it is sent.
        expect(atHomeCalls().length).toBeLessThanOrEqual(requests);
      }
    },
  );

  test('not at once if groups are excluded: one of them may have made the chapter', async () => {
    harness.service.injectApiFault({ fault: 'hang', pathStart: '/chapter/', times: 'always' });
    const stop = new AbortController();
    const request = { targets: [ADDRESS], excludeGroup: ['Scans'] };
    const running = harness.download(request, { signal: stop.signal });
    while (apiCalls().length === 0) await delay(10);
    await delay(100);
    stop.abort(interruptedError());
    await running;
    expect(atHomeCalls()).toEqual([]);
  });
});

describe('the people of a title', () => {
  const comicInfo = (events: readonly { type: string }[]) => {
    const saved = events.find(({ type }) => type === 'chapter-saved') as
      { file: string } | undefined;
    return readEntry(saved?.file ?? '', 'ComicInfo.xml');
  };

  test('are in ComicInfo.xml although the pages did not wait for them', async () => {
    const { events } = await harness.download({ targets: [ID] });
    expect(await comicInfo(events)).toContain('<Writer>');
  });

  test('are missing with a warning if the service fails to send them', async () => {
    harness.service.injectApiFault({
      fault: 'server-error',
      pathStart: '/manga/',
      times: 'always',
    });
    const { code, events, stderr } = await harness.download({ targets: [ID] });
    expect(code).toBe(0);
    expect(await comicInfo(events)).toContain(
      '<Series>The Lighthouse Cat of Minami Island</Series>',
    );
    expect(await comicInfo(events)).not.toContain('<Writer>');
    expect(stderr.match(/No metadata of the titles is available/g)).toHaveLength(1);
  });

  test('are missing after a ban: the chapter is saved, and the ban decides the exit code', async () => {
    harness.service.injectApiFault({
      fault: 'generic-403',
      pathStart: '/manga/',
      times: 'always',
    });
    const { code, events } = await harness.download({ targets: [ID] });
    expect(code).toBe(6);
    // On a busy machine, the ban may come before the request for the pages.
    const isInTime = apiCalls().some((path) => path.startsWith('/at-home/'));
    const counts = isInTime ? { saved: 1, failed: 0 } : { saved: 0, failed: 1 };
    expect(events.at(-1)).toMatchObject({ type: 'summary', ...counts });
  });
});

posixTest('a run that is stopped after its chapters were saved still reports them', async () => {
  harness.service.injectApiFault({ fault: 'hang', pathStart: '/cover', times: 'always' });
  const { child, finished } = start(['download', ID, '--cover', '--json', '-o', harness.output], {
    env: { ...harness.service.environment, TANKOBON_HOME: harness.folder },
  });
  while (!apiCalls().includes('/cover')) await delay(10);
  child.kill('SIGINT');
  const { code, stdout } = await finished;
  expect(code).toBe(130);
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; reports?: Record<string, number> });
  const last = events.at(-1);
  expect(last).toMatchObject({ type: 'summary', saved: 1, failed: 0 });
  // On a busy machine, some of the reports are left to the next run.
  const { sent = 0, waiting = 0 } = last?.reports ?? {};
  const loads = events.filter(({ type }) => type === 'page-loaded').length;
  expect([loads > 0, sent + waiting]).toEqual([true, loads]);
});
