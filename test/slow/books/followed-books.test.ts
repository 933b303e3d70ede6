/** A book that its owner renamed or moved, or that macOS gave another Unicode form, is the book of its volume: no second one is written. */
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createLibrary, uuidOf } from '../../../src/practice-server/library/library.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { linuxTest } from '../../support/platform.js';
import { runCommand } from '../../support/retag-harness.js';
import { chapter, LATER, renameTitle, title } from '../../support/title-library.js';

const SERIES = 'Pokémon'.normalize('NFC');
const TARGET = `title:${uuidOf('one')}`;
const FORMATS = ['cbz', 'epub', 'pdf', 'folder'] as const;
const BOOKS = { cbz: 'Mine.cbz', epub: 'Mine.epub', pdf: 'Mine.pdf', folder: 'Mine' } as const;

let harness: DownloadHarness;
beforeEach(async () => {
  const chapters = ['1', '2'].map((number) => chapter('one', number, { volume: '1' }));
  const library = createLibrary({ titles: [title('one', SERIES)], chapters });
  harness = await DownloadHarness.start({ library });
});
afterEach(() => harness.stop());

const run = (...words: readonly string[]) => runCommand(harness, ...words);
const download = (...words: readonly string[]) =>
  run('download', TARGET, '--language', 'en', '-o', harness.output, ...words);
const bind = (format: string, ...words: readonly string[]) =>
  run('bind', harness.output, '-o', harness.output, '--format', format, ...words);
const addChapter = () => {
  harness.service.library.putChapter(chapter('one', '3', { volume: '1', at: LATER }));
};
const paths = () => harness.files().map((file) => relative(harness.output, file));
/** Books are files outside of their pages. */
const books = () =>
  paths()
    .filter((path) => !path.includes(' Ch.') && !path.includes('/Ch.'))
    .sort();
const move = (from: string, to: string) => {
  mkdirSync(dirname(join(harness.output, to)), { recursive: true });
  renameSync(join(harness.output, from), join(harness.output, to));
};
const bookOf = (format: string) =>
  format === 'folder' ? `${SERIES}/Vol.01` : `${SERIES}/${SERIES} Vol.01.${format}`;

test.each(FORMATS)('bind follows a %s that was renamed and moved', async (format) => {
  await download();
  await bind(format);
  const book = `Shelf/${BOOKS[format]}`;
  move(bookOf(format), book);
  const moved = format === 'folder' ? [`${book}/.tankobon.json`] : [book];
  expect((await bind(format)).stdout).toBe('');
  expect(books()).toEqual(moved);
  addChapter();
  await download();
  expect((await bind(format)).stdout).toBe(`${join(harness.output, book)}\n`);
  expect((await bind(format)).stdout).toBe('');
  expect(books()).toEqual(moved);
});

test('download --bind with --keep-chapters follows a renamed book', async () => {
  const words = ['--bind', 'volume', '--keep-chapters'];
  await download(...words);
  move(bookOf('cbz'), `${SERIES}/Mine.cbz`);
  expect((await download(...words)).stdout).toBe('');
  addChapter();
  expect((await download(...words)).stdout).toContain(`${SERIES}/Mine.cbz\n`);
  expect(books()).toEqual([`${SERIES}/Mine.cbz`]);
});

test('sync with bind follows a renamed book', async () => {
  const file = join(harness.folder, 'subscriptions.yaml');
  const defaults = `{ output: ${harness.output}, language: en, bind: { by: volume } }`;
  writeFileSync(file, `defaults: ${defaults}\nseries: [{ target: '${TARGET}' }]\n`);
  await run('sync', '--file', file);
  move(bookOf('cbz'), `Shelf/Mine.cbz`);
  addChapter();
  expect((await run('sync', '--file', file)).code).toBe(0);
  expect(books()).toEqual(['Shelf/Mine.cbz']);
  expect((await run('sync', '--file', file)).code).toBe(0);
  expect(books()).toEqual(['Shelf/Mine.cbz']);
});

test('the book of a whole title, and those of chapters, are not taken for that of its only volume', async () => {
  await download();
  await bind('cbz', '--by', 'title');
  expect((await bind('cbz')).stdout).toBe(`${join(harness.output, bookOf('cbz'))}\n`);
  expect(books()).toEqual([`${SERIES}/${SERIES} (all).cbz`, bookOf('cbz')]);
});

/** Decomposes all names, as a copy by macOS does. */
function decompose(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name.normalize('NFD'));
    renameSync(join(folder, entry.name), path);
    if (entry.isDirectory()) decompose(path);
  }
}

linuxTest(
  'a library with decomposed names stays as it is, and grows in its own folders',
  async () => {
    await download('--series-metadata');
    for (const format of FORMATS) await bind(format);
    decompose(harness.output);
    const before = paths();
    for (const format of FORMATS) expect((await bind(format)).stdout).toBe('');
    for (const words of [['retag'], ['retag', '--rename-titles']]) {
      const { stdout, stderr } = await run(...words, harness.output);
      expect([stdout, stderr]).toEqual(['', '0 changed, 2 unchanged\n']);
    }
    expect(paths()).toEqual(before);
    addChapter();
    await download('--series-metadata');
    for (const format of FORMATS) await bind(format);
    expect(readdirSync(harness.output)).toEqual([SERIES.normalize('NFD')]);
    expect(new Set(paths().map((path) => path.normalize('NFC'))).size).toBe(paths().length);
  },
);

linuxTest('--rename-titles renames a library with decomposed names as a whole', async () => {
  await download('--series-metadata');
  for (const format of FORMATS) await bind(format);
  decompose(harness.output);
  renameTitle(harness.service.library, 'one', 'New');
  expect((await run('retag', harness.output, '--rename-titles')).code).toBe(0);
  expect(readdirSync(harness.output)).toEqual(['New']);
  expect(books()).toContain('New/New Vol.01.pdf');
});

test('a title that MangaDex writes in another Unicode form is not a renamed one', async () => {
  await download();
  renameTitle(harness.service.library, 'one', SERIES.normalize('NFD'));
  for (const words of [['retag'], ['retag', '--rename-titles']])
    expect((await run(...words, harness.output)).stderr).toBe('0 changed, 2 unchanged\n');
});
