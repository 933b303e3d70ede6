/** `tankobon retag`: files whose chapter got a volume, a title or a group later. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { readComicInfo } from '../../../src/library/comic-info.js';
import { parseRecords } from '../../../src/library/record.js';
import { editChapter, EXAMPLE_CHAPTERS } from '../../../src/practice-server/library/library.js';
import { readArchive, readComment, readEntry } from '../../support/archive.js';
import { imageDigests } from '../../support/bind-harness.js';
import { testImage, writeChapterFile } from '../../support/chapter-files.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { leftFile } from '../../support/left-file.js';
import { retagFolder } from '../../support/retag-harness.js';

let harness: DownloadHarness;
beforeEach(async () => {
  harness = await DownloadHarness.start();
});
afterEach(() => harness.stop());

const SERIES = 'The Lighthouse Cat of Minami Island';
const OLD_NAME = `${SERIES}/${SERIES} Ch.001 [Tidewater Scans].cbz`;
const NEW_NAME = `${SERIES}/${SERIES} Ch.001 Vol.01 - The Light Goes Out [Tidewater Scans].cbz`;

/** Chapter 1 as it was saved before it had a volume and a title. */
async function addOldChapter(
  name = OLD_NAME,
  id: string = EXAMPLE_CHAPTERS.first,
): Promise<string> {
  return writeChapterFile(join(harness.output, name), {
    id,
    version: 1,
    series: SERIES,
    number: '1',
    translators: ['Tidewater Scans'],
    images: [await testImage('jpeg', 1), await testImage('png', 2)],
  });
}

const retag = (...words: readonly string[]) => retagFolder(harness, harness.output, ...words);

test('rewrites ComicInfo and the name; pages and identity stay, and a second run changes nothing', async () => {
  const file = await addOldChapter();
  const [digests, comment] = [await imageDigests(file), await readComment(file)];
  const dryRun = await retag('--dry-run', '--json');
  const [event] = dryRun.stdout.split('\n').map((line) => JSON.parse(line || '{}') as unknown);
  const newFile = join(harness.output, NEW_NAME);
  expect(event).toMatchObject({ type: 'chapter-retagged', file, newFile });
  expect((await retag('--dry-run')).stderr).toContain('1 would change, 0 unchanged');
  expect(readdirSync(dirname(file))).toEqual([basename(file)]);
  const { code, stdout, stderr } = await retag();
  expect([code, stderr]).toEqual([0, expect.stringContaining('1 changed, 0 unchanged')]);
  expect(stdout).toContain('title, volume');
  expect(readdirSync(dirname(file))).toEqual([basename(newFile)]);
  expect([await imageDigests(newFile), await readComment(newFile)]).toEqual([digests, comment]);
  const xml = await readEntry(newFile, 'ComicInfo.xml');
  expect(xml).toContain('<Volume>1</Volume>');
  expect(xml).toMatch(/<Page Image="1" [^>]*ImageWidth="60"/);
  expect((await retag()).stderr).toContain('0 changed, 1 unchanged');
});

test('several folders are one run, with one summary', async () => {
  await addOldChapter();
  const other = join(harness.folder, 'other');
  const { first: id } = EXAMPLE_CHAPTERS;
  const images = [await testImage('jpeg', 1)];
  const saved = { id, version: 1, series: SERIES, number: '1', images };
  await writeChapterFile(join(other, OLD_NAME), saved);
  const empty = join(harness.folder, 'empty');
  mkdirSync(empty);
  const { code, stdout, stderr } = await retag(other, empty);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^2 changed, 0 unchanged.*\n$/)]);
  expect(stdout.match(/^\S.*: ageRating/gm)).toHaveLength(2);
});

test('one missing folder of several is refused before a file of the others is changed', async () => {
  const file = await addOldChapter();
  const missing = join(harness.folder, 'missing');
  await expect(retag(missing)).rejects.toMatchObject({ message: `Not found: ${missing}` });
  expect(readdirSync(dirname(file))).toEqual([basename(file)]);
});

test('after a kill between the new file and the removal of the old one, only the new one stays', async () => {
  const old = await addOldChapter();
  const bytes = readFileSync(old);
  await retag();
  writeFileSync(old, bytes);
  writeFileSync(leftFile(old), bytes.subarray(0, 100));
  await retag('--dry-run');
  expect(readdirSync(dirname(old))).toHaveLength(3);
  expect((await retag()).code).toBe(0);
  expect(readdirSync(dirname(old))).toEqual([basename(NEW_NAME)]);
});

test('a file that was renamed by hand keeps its name, and a taken name is left to its file', async () => {
  const byHand = await addOldChapter('my own name.cbz');
  await retag();
  expect(readdirSync(harness.output)).toEqual([basename(byHand)]);
  const taken = join(harness.output, NEW_NAME);
  rmSync(byHand);
  await addOldChapter(NEW_NAME, '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0200');
  const old = await addOldChapter();
  await retag();
  const withId = `${basename(taken, '.cbz')} (5f2d0c1e).cbz`;
  expect(readdirSync(dirname(taken)).sort()).toEqual([withId, basename(taken)].sort());
  const renamed = join(dirname(old), withId);
  expect(await readEntry(renamed, 'ComicInfo.xml')).toContain('<Volume>1</Volume>');
});

test('each file that cannot be read is named, and the exit code is 3; the others are done', async () => {
  const old = await addOldChapter();
  const damaged = join(harness.output, 'damaged.cbz');
  writeFileSync(damaged, readFileSync(old).subarray(0, -30));
  const message = `Cannot read the chapter (it is not a ZIP archive, or is damaged): ${damaged}`;
  const { code, stderr } = await retag();
  expect([code, stderr]).toEqual([3, expect.stringContaining(`error: ${message}\n`)]);
  expect(stderr).toContain('1 changed, 0 unchanged, 1 failed');
  rmSync(dirname(old), { recursive: true });
  const { stdout, ...alone } = await retag('--json');
  expect([alone.code, JSON.parse(stdout.split('\n')[0] ?? '')]).toEqual([
    3,
    { type: 'chapter-failed', file: damaged, reason: 'archive-damaged', message },
  ]);
});

test('a missing folder, a file and an empty folder are named as such', async () => {
  const hint = 'Pass a folder with chapters that tankobon saved.';
  const missing = join(harness.folder, 'nosuch');
  const file = join(harness.folder, 'file');
  writeFileSync(file, '');
  mkdirSync(harness.output);
  for (const [folder, message] of [
    [missing, `Not found: ${missing}`],
    [file, `Not a folder: ${file}`],
    [harness.output, `No chapters found: ${harness.output}`],
  ] as const)
    await expect(retagFolder(harness, folder)).rejects.toMatchObject({ message, hint });
});

test('the record stays, with the metadata as it is written now', async () => {
  await harness.download({ targets: [EXAMPLE_CHAPTERS.first] });
  const [saved = ''] = harness.archives();
  const before = parseRecords(await readEntry(saved, 'META-INF/tankobon.json'))?.[0];
  const { library } = harness.service;
  const chapter = library.chapter(EXAMPLE_CHAPTERS.first);
  if (chapter)
    library.putChapter(editChapter(chapter, '2025-03-01T12:00:00+00:00', { volume: '9' }));
  expect((await retag()).stderr).toContain('1 changed');
  const [copy = ''] = harness.archives();
  const xml = await readEntry(copy, 'ComicInfo.xml');
  expect(xml).toContain(`<PageCount>${before?.pages?.length}</PageCount>`);
  const after = parseRecords(await readEntry(copy, 'META-INF/tankobon.json'))?.[0];
  // The time stays, since the pages were not compared.
  const path = relative(harness.output, copy);
  expect(after).toEqual({ ...before, path, version: 2, metadata: await readComicInfo(xml) });
  expect((await readArchive(copy)).slice(-2).map(({ name }) => name)).toEqual([
    'META-INF/tankobon.json',
    'ComicInfo.xml',
  ]);
});
