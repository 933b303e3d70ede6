/** `tankobon retag` and titles that MangaDex renamed. */
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  createLibrary,
  editChapter,
  editTitle,
  uuidOf,
  type Library,
} from '../../../src/practice-server/library/library.js';
import { drawnCover } from '../../../src/practice-server/library/story-pages.js';
import { readEntry } from '../../support/archive.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { testImage, writeChapterFile } from '../../support/chapter-files.js';
import { posixTest } from '../../support/platform.js';
import { retagFolder } from '../../support/retag-harness.js';
import {
  chapter,
  LATER,
  named,
  renameTitle,
  seriesOf,
  title,
} from '../../support/title-library.js';

let harness: DownloadHarness;
afterEach(() => harness.stop());

const one = title('one', 'Old', { authors: [{ id: uuidOf('Ann'), name: 'Ann' }] });
const library = (): Library =>
  createLibrary({
    titles: [one, title('two', 'Other')],
    chapters: [chapter('one', '1'), chapter('one', '2'), chapter('two', '1')],
  });

async function start(name = ''): Promise<void> {
  harness = await DownloadHarness.start({ library: library() });
  const targets = ['one', 'two'].map((key) => `title:${uuidOf(key)}`);
  expect((await harness.download({ targets, language: 'en', name })).code).toBe(0);
}

const retag = (...words: readonly string[]) => retagFolder(harness, harness.output, ...words);

const paths = (): readonly string[] =>
  harness
    .files()
    .map((file) => relative(harness.output, file))
    .sort();

/** Chapter 1 gets a volume. */
function addVolume(): void {
  const first = chapter('one', '1');
  harness.service.library.putChapter(editChapter(first, LATER, { volume: '3' }));
}

const withVolume = (name: string) => named(name, 1).replace(/Ch.\d+/, '$& Vol.03');

test('a folder that another one includes is not counted twice, a hidden one is', async () => {
  await start();
  const [folder = ''] = readdirSync(harness.output);
  const inner = join(harness.output, folder);
  const hidden = join(harness.output, '.kept');
  cpSync(inner, hidden, { recursive: true });
  const said = async (...folders: readonly string[]) =>
    (await retagFolder(harness, folders[0] ?? '', ...folders.slice(1), '--dry-run')).stderr
      .split('\n')
      .at(-2);
  expect(await said(inner, harness.output)).toBe(await said(harness.output));
  expect(await said(harness.output, hidden)).toContain(', 5 unchanged');
});

test('a renamed title keeps its name; its chapters are brought up to date, and the new name is said', async () => {
  await start();
  renameTitle(harness.service.library, 'one', 'New');
  addVolume();
  const { code, stderr } = await retag();
  expect(code).toBe(0);
  expect(stderr).toContain('"Old" is called "New" by now; --rename-titles renames its folder');
  expect(paths()).toEqual([withVolume('Old'), named('Old', 2), named('Other', 1)]);
  expect(await seriesOf(join(harness.output, withVolume('Old')))).toBe('Old');
  expect((await retag()).stderr).toContain('0 changed, 3 unchanged');
});

test('an author who changed is in the metadata, and the folder of the author stays', async () => {
  const name = '{author}/{series}/{chapter}';
  await start(name);
  const people = [{ id: uuidOf('Bob'), name: 'Bob' }];
  harness.service.library.putTitle({ ...editTitle(one, LATER, {}), authors: people });
  expect((await retag('--name', name)).stderr).toContain('2 changed, 1 unchanged');
  expect(paths()).toEqual(['Ann/Old/1.cbz', 'Ann/Old/2.cbz', 'Other/1.cbz']);
});

test('--rename-titles moves a whole title, and later chapters go there', async () => {
  await start();
  renameTitle(harness.service.library, 'one', 'New');
  const dryRun = await retag('--rename-titles', '--dry-run');
  expect(dryRun.stdout).toContain(join(harness.output, named('New', 2)));
  expect(paths()).toEqual([named('Old', 1), named('Old', 2), named('Other', 1)]);
  const { code, stderr } = await retag('--rename-titles');
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^2 changed, 1 unchanged/)]);
  expect(paths()).toEqual([named('New', 1), named('New', 2), named('Other', 1)]);
  expect(await seriesOf(join(harness.output, named('New', 1)))).toBe('New');
  harness.service.library.putChapter(chapter('one', '3'));
  await harness.download({ targets: [`title:${uuidOf('one')}`], language: 'en' });
  expect(paths()).toContain(named('New', 3));
  expect((await retag('--rename-titles')).stderr).toContain('0 changed, 4 unchanged');
});

test('--rename-titles moves a chapter that MangaDex deleted with its title', async () => {
  await start();
  const { library } = harness.service;
  const before = await readEntry(join(harness.output, named('Old', 2)), 'ComicInfo.xml');
  library.removeChapter(chapter('one', '2').id);
  renameTitle(library, 'one', 'New');
  expect((await retag()).stderr).toMatch(/^.*\n0 changed, 2 unchanged, 1 not listed/);
  const { code, stdout, stderr } = await retag('--rename-titles');
  expect([code, stderr]).toEqual([0, '2 changed, 1 unchanged\n']);
  expect(stdout).toContain(`${named('Old', 2)}: series\n`);
  expect(paths()).toEqual([named('New', 1), named('New', 2), named('Other', 1)]);
  const after = await readEntry(join(harness.output, named('New', 2)), 'ComicInfo.xml');
  expect(after).toBe(before.replace('<Series>Old<', '<Series>New<'));
  expect((await retag('--rename-titles')).stderr).toBe(
    '0 changed, 2 unchanged, 1 not listed by the service\n',
  );
});

test('a deleted chapter keeps the language of its name', async () => {
  const spanish = chapter('one', '2', { translatedLanguage: 'es-la' });
  const chapters = [chapter('one', '1'), spanish];
  harness = await DownloadHarness.start({ library: createLibrary({ titles: [one], chapters }) });
  await harness.download({ targets: [`title:${uuidOf('one')}`], language: 'en,es-la' });
  harness.service.library.removeChapter(spanish.id);
  renameTitle(harness.service.library, 'one', 'New');
  await retag('--rename-titles');
  expect(paths()).toEqual([
    'New/New Ch.001 [en] [Scans].cbz',
    'New/New Ch.002 [es-la] [Scans].cbz',
  ]);
});

test('a deleted chapter stays whose number or volume no ComicInfo.xml can have', async () => {
  const deleted = [
    chapter('one', '6.1-6.2'),
    chapter('one', 'Extra'),
    chapter('one', '7', { volume: '2.5' }),
    chapter('one', '8', { title: 'Ch.3 - Sea' }),
  ];
  const chapters = [chapter('one', '1'), ...deleted];
  harness = await DownloadHarness.start({ library: createLibrary({ titles: [one], chapters }) });
  const targets = [`title:${uuidOf('one')}`];
  // The name of the second one is its id alone: only its metadata show the lack of a number.
  for (const name of ['', '{series}/{id}']) {
    await harness.download({
      targets,
      language: 'en',
      name,
      output: join(harness.output, `of ${name.length}`),
    });
  }
  const before = paths();
  for (const { id } of deleted) harness.service.library.removeChapter(id);
  renameTitle(harness.service.library, 'one', 'New');
  for (const name of ['', '{series}/{id}']) {
    const folder = join(harness.output, `of ${name.length}`);
    const { stderr } = await retagFolder(harness, folder, '--rename-titles', '--name', name);
    expect(stderr).toContain(name === '' ? '4 not listed' : '3 not listed');
  }
  expect(before.filter((path) => paths().includes(path))).toHaveLength(7);
});

test('a deleted chapter stays where its name has what its file does not say', async () => {
  const name = '{series}/{date} {chapter}';
  await start(name);
  const { library } = harness.service;
  library.removeChapter(chapter('one', '2').id);
  renameTitle(library, 'one', 'New');
  const { stderr } = await retag('--rename-titles', '--name', name);
  expect(stderr).toContain('1 changed, 1 unchanged, 1 not listed by the service');
  expect(paths()).toContain('Old/2024-01-05 2.cbz');
});

posixTest('--rename-titles copies no cover into a new folder that is a link', async () => {
  await start();
  renameTitle(harness.service.library, 'one', 'New');
  writeFileSync(join(harness.output, 'Old/cover.jpg'), '');
  const outside = join(harness.folder, 'outside');
  mkdirSync(outside);
  symlinkSync(outside, join(harness.output, 'New'));
  const { code, stderr } = await retag('--rename-titles');
  expect([code, stderr]).toEqual([3, expect.stringContaining('is a symbolic link')]);
  expect(readdirSync(outside)).toEqual([]);
});

test('--rename-titles leaves no empty folder, names what it keeps, and copies covers', async () => {
  const name = '{series}/v{volume}/{chapter}';
  await start(name);
  addVolume();
  await retag('--name', name);
  expect(paths()).toContain('Old/v3/1.cbz');
  renameTitle(harness.service.library, 'one', 'New');
  for (const file of ['notes.txt', 'cover.jpg', 'v3/cover Vol.03.png'])
    writeFileSync(join(harness.output, 'Old', file), file);
  const { stderr } = await retag('--rename-titles', '--name', name);
  expect(stderr).toContain(
    `Kept: ${join(harness.output, 'Old')} has other files: cover.jpg, notes.txt`,
  );
  expect(paths()).toEqual([
    'New/2.cbz',
    'New/cover.jpg',
    'New/v3/1.cbz',
    'New/v3/cover Vol.03.png',
    'Old/cover.jpg',
    'Old/notes.txt',
    'Old/v3/cover Vol.03.png',
    'Other/1.cbz',
  ]);
});

test('a folder that its owner renamed stays, and its files are renamed in it', async () => {
  await start();
  mkdirSync(join(harness.output, 'Shelf'));
  renameSync(join(harness.output, 'Old'), join(harness.output, 'Shelf/Mine'));
  addVolume();
  await retag();
  const renamed = join('Shelf/Mine', withVolume('Old').slice('Old/'.length));
  expect(paths()).toContain(renamed);
  renameTitle(harness.service.library, 'one', 'New');
  await retag('--rename-titles');
  const folders = paths().map((path) => dirname(path));
  expect(folders).toEqual(['Other', 'Shelf/Mine', 'Shelf/Mine']);
  expect(paths()).toContain(named('New', 2, 'Shelf/Mine'));
});

test('--rename-titles moves files that were renamed by hand, or moved in the folder of the title, under their own names', async () => {
  await start();
  const [first, second] = [named('Old', 1), named('Old', 2)];
  mkdirSync(join(harness.output, 'Old/Extras'));
  renameSync(join(harness.output, first), join(harness.output, 'Old/Extras/mine.cbz'));
  renameSync(join(harness.output, second), join(harness.output, 'Old/Old - 2 - earlier.cbz'));
  renameSync(join(harness.output, named('Other', 1)), join(harness.output, 'Old/other.cbz'));
  renameTitle(harness.service.library, 'one', 'New');
  const dryRun = await retag('--rename-titles', '--dry-run');
  expect(dryRun.stdout).toContain(`renamed to ${join(harness.output, 'New/Extras/mine.cbz')}`);
  const { code, stderr } = await retag('--rename-titles');
  expect([code, stderr]).toEqual([0, expect.stringContaining('2 changed, 1 unchanged')]);
  expect(paths()).toEqual(['New/Extras/mine.cbz', 'New/Old - 2 - earlier.cbz', 'Old/other.cbz']);
  expect(await seriesOf(join(harness.output, 'New/Extras/mine.cbz'))).toBe('New');
  expect((await retag('--rename-titles')).stderr).toContain('0 changed, 3 unchanged');
});

test('a file that was renamed by hand moves with the folder of its author too, and not out of one that has another name', async () => {
  const name = '{author}/{series}/v{volume}/{chapter}';
  await start(name);
  mkdirSync(join(harness.output, 'Shelf'));
  renameSync(join(harness.output, 'Ann/Old/1.cbz'), join(harness.output, 'Ann/Old/mine.cbz'));
  renameSync(join(harness.output, 'Ann/Old/2.cbz'), join(harness.output, 'Shelf/mine.cbz'));
  const people = [{ id: uuidOf('Bob'), name: 'Bob' }];
  harness.service.library.putTitle({ ...editTitle(one, LATER, {}), authors: people });
  renameTitle(harness.service.library, 'one', 'New');
  await retag('--rename-titles', '--name', name);
  expect(paths()).toEqual(['Bob/New/mine.cbz', 'Other/1.cbz', 'Shelf/mine.cbz']);
});

test('a title that is renamed to the name of another one gets its id', async () => {
  await start();
  renameTitle(harness.service.library, 'one', 'Other');
  await retag('--rename-titles');
  const name = `Other (${uuidOf('one').slice(0, 8)})`;
  expect(paths()).toEqual([named(name, 1), named(name, 2), named('Other', 1)].sort());
  expect((await retag('--rename-titles')).stderr).toContain('0 changed, 3 unchanged');
});

test('a title into which others were merged is named once, with the names that it had', async () => {
  await start();
  harness.service.library.mergeTitle(uuidOf('one'), uuidOf('two'));
  const one = await retag();
  expect(one.stderr).toContain(
    '"Old" is called "Other" by now; --rename-titles renames its folder',
  );
  renameTitle(harness.service.library, 'two', 'New');
  const both = await retag();
  expect(both.stderr).toContain(
    '"Old" and "Other" are called "New" by now; --rename-titles renames their folders',
  );
});

test('archives of an older version keep the name that was chosen then', async () => {
  await start();
  renameTitle(harness.service.library, 'two', 'Other', { altTitles: [{ 'ja-ro': 'Romaji' }] });
  const older = {
    id: uuidOf('two', '1', 'en'),
    series: 'Romaji',
    number: '1',
    translators: ['Scans'],
    images: [await testImage('png')],
  };
  renameSync(join(harness.output, named('Other', 1)), join(harness.folder, 'removed.cbz'));
  const file = await writeChapterFile(join(harness.output, named('Romaji', 1)), older);
  await retag();
  expect(await seriesOf(file)).toBe('Romaji');
});

/** What is in the output folder, by path. */
const contents = (): ReadonlyMap<string, string> => {
  const all = readdirSync(harness.output, { recursive: true, withFileTypes: true });
  const files = all
    .filter((entry) => entry.isFile())
    .map((each) => join(each.parentPath, each.name));
  return new Map(files.map((file) => [file, readFileSync(file, 'latin1')]));
};

test('--dry-run names the covers and the metadata of the series that the run moves or rewrites', async () => {
  const covers = [drawnCover(one.id, '1', 'stairs-cover')];
  const titles = [{ ...one, covers }];
  const chapters = [chapter('one', '1'), chapter('one', '2')];
  harness = await DownloadHarness.start({ library: createLibrary({ titles, chapters }) });
  const targets = [`title:${one.id}`];
  const extras = { cover: true, seriesMetadata: true } as const;
  expect((await harness.download({ targets, language: 'en', ...extras })).code).toBe(0);
  renameTitle(harness.service.library, 'one', 'New');
  const before = contents();
  const changedMs = () => statSync(join(harness.output, 'Old')).mtimeMs;
  const beforeMs = changedMs();
  const dryRun = await retag('--rename-titles', '--dry-run');
  expect([contents(), changedMs()]).toEqual([before, beforeMs]);
  const cover = readdirSync(join(harness.output, 'Old')).find((name) => name.startsWith('cover'));
  const moved = ['series.json', 'details.json', cover ?? ''].map((name) => {
    return `${join(harness.output, 'Old', name)}\n  renamed to ${join(harness.output, 'New', name)}\n`;
  });
  for (const each of moved) expect(dryRun.stdout).toContain(each);
  expect((await retag('--rename-titles')).stdout).toBe(dryRun.stdout);
});

test('--dry-run names the metadata of the series that the run rewrites in place', async () => {
  harness = await DownloadHarness.start({ library: library() });
  const targets = [`title:${uuidOf('one')}`];
  const options = { targets, language: 'en', seriesMetadata: true };
  expect((await harness.download(options)).code).toBe(0);
  harness.service.library.putTitle(editTitle(one, LATER, { status: 'completed' }));
  const file = join(harness.output, 'Old/series.json');
  const before = readFileSync(file, 'utf8');
  const dryRun = await retag('--dry-run');
  expect(dryRun.stdout).toContain(`${file}: metadata of the series\n`);
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect((await retag()).stdout).toBe(dryRun.stdout);
  expect(readFileSync(file, 'utf8')).not.toBe(before);
});
