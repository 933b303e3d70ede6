/** Pages of an earlier run are verified and kept, or removed. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockFile } from '../../../src/core/lock.js';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { readEntry, readPages, writeArchive } from '../../support/archive.js';
import { leftFile } from '../../support/left-file.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0041';
const PAGES = 6;
const chapter = generateChapter({ id: ID, pages: PAGES, bytesPerPage: 20_000 });

let harness: DownloadHarness;
beforeEach(async () => {
  harness = await DownloadHarness.start({
    chapters: [chapter],
    specificationOnly: true,
  });
});
afterEach(() => harness.stop());

/** Leaves all pages but one in the workspace. */
async function leaveUnfinished(): Promise<string> {
  harness.service.injectPageFaults({
    fault: 'status-500',
    chapter: ID,
    page: PAGES,
    attempts: 'always',
  });
  expect((await harness.download({ targets: [ID] })).code).toBe(3);
  harness.service.clearPageFaults();
  const [hidden = ''] = readdirSync(harness.output).filter((name) => name.startsWith('.'));
  return join(harness.output, hidden);
}

const loadedPages = async () => {
  const { code, events } = await harness.download({ targets: [ID] });
  expect(code).toBe(0);
  const [archive = ''] = harness.archives();
  expect(await readPages(archive)).toHaveLength(PAGES);
  const loaded = events.flatMap((event) => (event.type === 'page-loaded' ? [event.page] : []));
  return loaded.sort((a, b) => a - b);
};

test('finished pages are kept, and only the missing one is loaded', async () => {
  await leaveUnfinished();
  expect(await loadedPages()).toEqual([PAGES]);
  expect(readdirSync(harness.output)).toEqual([`${ID}.cbz`]);
});

test('a file that is named like a page 0 is removed', async () => {
  const folder = await leaveUnfinished();
  const [page = ''] = readdirSync(folder).filter((name) => name.startsWith('1.'));
  cpSync(join(folder, page), join(folder, page.replace(/^1/, '0')));
  expect(await loadedPages()).toEqual([PAGES]);
});

test.each(['', '{"hash":'])(
  'after a kill or a power cut within chapter.json (%j), all pages are loaded again',
  async (text) => {
    const folder = await leaveUnfinished();
    writeFileSync(join(folder, 'chapter.json'), text);
    expect(await loadedPages()).toHaveLength(PAGES);
    expect(readdirSync(harness.output)).toEqual([`${ID}.cbz`]);
  },
);

test('a workspace that a killed run left of a saved chapter is removed, unless it is in use', async () => {
  const folder = await leaveUnfinished();
  writeFileSync(join(folder, '.lock.01234567-89-0123456789ab.tmp'), '');
  cpSync(folder, join(harness.folder, 'left'), { recursive: true });
  await loadedPages();
  cpSync(join(harness.folder, 'left'), folder, { recursive: true });
  const lock = await lockFile(join(folder, 'lock'));
  const { events } = await harness.download({ targets: [ID] });
  expect(events[0]).toMatchObject({ type: 'chapter-skipped', reason: 'already-there' });
  expect(readdirSync(folder)).toHaveLength(PAGES + 2);
  lock.release();
  await harness.dryRun({ targets: [ID] });
  expect(readdirSync(folder)).toHaveLength(PAGES + 2);
  await harness.download({ targets: [ID] });
  expect(readdirSync(harness.output)).toEqual([`${ID}.cbz`]);
});

test('the temporary file of a cover that a killed run left is removed, but not by a dry run', async () => {
  await loadedPages();
  writeFileSync(leftFile(join(harness.output, 'cover')), 'half');
  await harness.dryRun({ targets: [ID] });
  expect(readdirSync(harness.output)).toHaveLength(2);
  await harness.download({ targets: [ID] });
  expect(readdirSync(harness.output)).toEqual([`${ID}.cbz`]);
});

test('a page that changed on disk is loaded again', async () => {
  const folder = await leaveUnfinished();
  const file = join(folder, readdirSync(folder).find((name) => name.startsWith('2.')) ?? '');
  const bytes = readFileSync(file);
  bytes[100] = (bytes[100] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  expect(await loadedPages()).toEqual([2, PAGES]);
});

test('a chapter that changed on the service is loaded anew', async () => {
  const folder = await leaveUnfinished();
  const manifest = join(folder, 'chapter.json');
  writeFileSync(
    manifest,
    readFileSync(manifest, 'utf8').replace(/"hash":"[^"]*"/, '"hash":"another"'),
  );
  expect(await loadedPages()).toHaveLength(PAGES);
});

test('other files in the workspace are not used as pages', async () => {
  const folder = await leaveUnfinished();
  writeFileSync(join(folder, '1.part'), 'half');
  writeFileSync(join(folder, `99.${'0'.repeat(64)}.png`), 'not a page');
  mkdirSync(join(folder, `3.${'0'.repeat(64)}.png`));
  expect(await loadedPages()).toEqual([PAGES]);
});

test('a folder in the place of the CBZ fails before anything is sent', async () => {
  mkdirSync(join(harness.output, `${ID}.cbz`), { recursive: true });
  const { code, events } = await harness.download({ targets: [ID], metadata: false });
  expect(code).toBe(3);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'chapter-failed', reason: 'name-taken' }),
  );
  expect(harness.service.log).toEqual([]);
});

test('a truncated CBZ under the final name does not block the next run', async () => {
  expect((await harness.download({ targets: [ID] })).code).toBe(0);
  const [archive = ''] = harness.archives();
  writeFileSync(archive, readFileSync(archive).subarray(0, 30_000));
  expect(await loadedPages()).toHaveLength(PAGES);
});

test('a template that leaves the output folder fails before anything is sent', async () => {
  await expect(harness.download({ targets: [ID], name: '../{id}' })).rejects.toMatchObject({
    code: 'outside-output',
  });
  expect(harness.service.log).toEqual([]);
});

test('a name of 400 characters is shortened', async () => {
  await harness.stop();
  harness = await DownloadHarness.start({ chapters: [chapter] });
  const { code } = await harness.download({ targets: [ID], name: `${'ツ'.repeat(200)}{id}` });
  expect(code).toBe(0);
  expect(harness.archives()).toHaveLength(1);
});

test('pages are kept if the next run fails early', async () => {
  const folder = await leaveUnfinished();
  const before = readdirSync(folder);
  harness.service.injectApiFault({ fault: 'unavailable', times: 3 });
  expect((await harness.download({ targets: [ID] })).code).toBe(3);
  expect(readdirSync(folder)).toEqual(before);
  expect(await loadedPages()).toEqual([PAGES]);
});

test('an archive of another program with the same name is not replaced, and the chapter gets another name', async () => {
  expect((await harness.download({ targets: [ID] })).code).toBe(0);
  const [archive = ''] = harness.archives();
  await writeArchive(archive, { 'a.txt': 'mine' });
  const { code, events } = await harness.download({ targets: [ID] });
  expect(code).toBe(0);
  expect(events).toContainEqual(expect.objectContaining({ type: 'chapter-saved' }));
  expect(harness.archives()).toHaveLength(2);
  expect(await readEntry(archive, 'a.txt')).toBe('mine');
});
