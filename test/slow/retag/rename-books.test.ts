/** `tankobon retag --rename`: books that their owner did not rename get the names of the template of now. */
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pluralize } from '../../../src/core/human-format.js';
import { readLibraryFile, rewriterOf } from '../../../src/library/file.js';
import { MANIFEST_NAME } from '../../../src/library/mark.js';
import { createLibrary, uuidOf } from '../../../src/practice-server/library/library.js';
import { drawnCover } from '../../../src/practice-server/library/story-pages.js';
import { writeArchive } from '../../support/archive.js';
import { imageDigests } from '../../support/bind-harness.js';
import { testImage } from '../../support/chapter-files.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { addElement, replaced } from '../../support/owner-edits.js';
import { retagFolder, runCommand } from '../../support/retag-harness.js';
import { chapter, renameTitle, title } from '../../support/title-library.js';

const SERIES = 'Mob Psycho 100';
const FORMATS = ['cbz', 'epub', 'pdf', 'folder'] as const;
/** The names of volume 1 by the built-in templates. */
const BUILT_IN = {
  cbz: 'Mob Psycho-100 Vol.01.cbz',
  epub: `${SERIES} Vol.01.epub`,
  pdf: `${SERIES} Vol.01.pdf`,
  folder: 'Vol.01',
} as const;

let harness: DownloadHarness;
beforeEach(async () => {
  const library = createLibrary({
    titles: [title('one', SERIES, { covers: [drawnCover(uuidOf('one'), '1', 'stairs-cover')] })],
    chapters: ['1', '2'].map((number) => chapter('one', number, { volume: '1' })),
  });
  harness = await DownloadHarness.start({ library });
  await harness.download({ targets: [`title:${uuidOf('one')}`], language: 'en' });
});
afterEach(() => harness.stop());

const inFolder = (name: string, series = SERIES) => join(harness.output, series, name);
const bind = (...words: readonly string[]) =>
  runCommand(harness, 'bind', harness.output, '-o', harness.output, ...words);
const rename = (...words: readonly string[]) =>
  retagFolder(harness, harness.output, '--rename', ...words);
const books = (series = SERIES) =>
  readdirSync(join(harness.output, series))
    .filter((name) => !/ Ch\.00\d /.test(name))
    .sort();

/** A dry run says what the run does, and the next run does nothing. */
async function renameAll(count: number, ...words: readonly string[]): Promise<void> {
  const before = books();
  const planned = await rename('--dry-run', ...words);
  expect(books()).toEqual(before);
  const done = await rename(...words);
  expect(done.stdout).toBe(planned.stdout);
  expect([done.code, done.stderr]).toEqual([
    0,
    `0 changed, 2 unchanged, ${pluralize(count, 'book')}\n`,
  ]);
  const again = await rename(...words);
  expect([again.code, again.stdout, again.stderr]).toEqual([0, '', '0 changed, 2 unchanged\n']);
}

test('books of every format get the built-in names, or those of --book-name, and keep their pages; bind makes no second ones', async () => {
  const [name, folderName] = ['{series}/{series} v{volume}', '{series}/v{volume}'];
  for (const format of FORMATS)
    await bind('--format', format, '--name', format === 'folder' ? folderName : name);
  const bound = ['Mob Psycho 100 v1.cbz', 'Mob Psycho 100 v1.epub', 'Mob Psycho 100 v1.pdf', 'v1'];
  expect(books()).toEqual(bound);
  const pages = await imageDigests(inFolder(bound[0] ?? ''));
  const pdf = readFileSync(inFolder(bound[2] ?? ''));
  await renameAll(4);
  expect(books()).toEqual(Object.values(BUILT_IN).sort());
  expect(await imageDigests(inFolder(BUILT_IN.cbz))).toEqual(pages);
  expect(readFileSync(inFolder(BUILT_IN.pdf)).equals(pdf)).toBe(true);
  for (const format of FORMATS)
    expect((await bind('--format', format, '--json')).stdout).toContain('"saved":0,"skipped":1');
  await renameAll(4, '--book-name', '{series}/{series} #{volume:03}');
  expect(books()).toEqual(
    [...['cbz', 'epub', 'pdf'].map((it) => `${SERIES} #001.${it}`), `${SERIES} #001`].sort(),
  );
  for (const format of ['cbz', 'epub', 'folder'] as const) {
    const file = inFolder(`${SERIES} #001${format === 'folder' ? '' : `.${format}`}`);
    const book = await readLibraryFile(file);
    const named = { by: 'volume', name: basename(file) };
    expect(book).toMatchObject({ kind: 'book', damage: undefined, isEdited: false, named });
    expect((await bind('--format', format, '--json')).stdout).toContain('"saved":0,"skipped":1');
  }
});

test('a book of an earlier version under the name that it gave gets the one of now, with the image beside it', async () => {
  await bind('--name', '{series}/{series} Vol.{volume:02}');
  const file = inFolder(`${SERIES} Vol.01.cbz`);
  await withoutName(file);
  writeFileSync(inFolder(`${SERIES} Vol.01.jpg`), 'mine');
  await renameAll(1);
  expect(books()).toEqual(['Mob Psycho-100 Vol.01.cbz', 'Mob Psycho-100 Vol.01.jpg']);
});

test('a book of an earlier version under any other name keeps it', async () => {
  await bind('--name', '{series}/{series} v{volume}');
  await withoutName(inFolder(`${SERIES} v1.cbz`));
  expect((await rename()).stderr).toBe('0 changed, 2 unchanged\n');
  expect(books()).toEqual([`${SERIES} v1.cbz`]);
});

/** Earlier versions did not record the name. */
async function withoutName(file: string): Promise<void> {
  const book = await readLibraryFile(file);
  if (book.kind !== 'book') throw new Error(file);
  const { rewrite } = await rewriterOf(book);
  const written = {
    tmpFile: `${file}.tmp`,
    publish: (finished: string) => {
      renameSync(finished, file);
      return Promise.resolve(file);
    },
  };
  const signal = new AbortController().signal;
  const newText = ({ name }: { readonly name: string }, data: Buffer) =>
    name === MANIFEST_NAME ? replaced(data.toString(), [/"named":\{[^}]*\},/, '']) : undefined;
  await rewrite(book, { ...written, signal, newText, comment: 'of-book' });
}

test('a name that its owner gave stays, also after bind has written the book again', async () => {
  await bind();
  renameSync(inFolder(BUILT_IN.cbz), inFolder('Mob 1.cbz'));
  const bytes = readFileSync(inFolder('Mob 1.cbz'));
  expect((await rename()).stderr).toBe('0 changed, 2 unchanged\n');
  expect(readFileSync(inFolder('Mob 1.cbz')).equals(bytes)).toBe(true);
  harness.service.library.putChapter(chapter('one', '3', { volume: '1' }));
  await harness.download({ targets: [`title:${uuidOf('one')}`], language: 'en' });
  expect((await bind('--json')).stdout).toContain('"saved":1');
  expect((await rename()).stderr).toBe('0 changed, 3 unchanged\n');
  expect(books()).toEqual(['Mob 1.cbz']);
});

test('a book that its owner edited gets the name, and keeps its bytes', async () => {
  await bind('--name', '{series}/{series} v{volume}');
  await addElement(inFolder(`${SERIES} v1.cbz`), '<Notes>mine</Notes>');
  const bytes = readFileSync(inFolder(`${SERIES} v1.cbz`));
  await renameAll(1);
  expect(readFileSync(inFolder(BUILT_IN.cbz)).equals(bytes)).toBe(true);
});

test('books of whole titles and of chapters get their own names, and books in parts stay', async () => {
  await bind('--by', 'title', '--name', '{series}/all');
  await bind('--by', 'chapter', '--name', '{series}/chapter {chapter}', '--format', 'epub');
  await bind('--max-size', '1M', '--format', 'epub', '--name', '{series}/small {volume}');
  await renameAll(3);
  expect(books()).toEqual(
    [
      `${SERIES} (all).cbz`,
      `${SERIES} Vol.01 Ch.001 [Scans].epub`,
      `${SERIES} Vol.01 Ch.002 [Scans].epub`,
      'small 1.epub',
    ].filter((name) => !/ Ch\.00\d /.test(name)),
  );
  expect(readdirSync(join(harness.output, SERIES))).toEqual(
    expect.arrayContaining([`${SERIES} Vol.01 Ch.001 [Scans].epub`]),
  );
});

test('a name that another file has is not taken', async () => {
  await bind('--name', '{series}/{series} v{volume}');
  await writeArchive(inFolder(BUILT_IN.cbz), { '001.png': await testImage('png', 1) });
  const before = readFileSync(inFolder(BUILT_IN.cbz));
  for (const words of [['--dry-run'], []]) {
    const { code, stdout, stderr } = await rename(...words);
    expect([code, stdout, stderr]).toEqual([0, '', expect.stringContaining(' 2 unchanged\n')]);
  }
  expect(books()).toEqual([`${SERIES} v1.cbz`, BUILT_IN.cbz].sort());
  expect(readFileSync(inFolder(BUILT_IN.cbz)).equals(before)).toBe(true);
});

test('with --rename-titles a book gets the name of the template and the new one of its title', async () => {
  await bind('--name', '{series}/{series} v{volume}');
  renameTitle(harness.service.library, 'one', 'Mob');
  const words = ['--rename-titles'];
  const planned = await rename('--dry-run', ...words);
  expect((await rename(...words)).stdout).toBe(planned.stdout);
  expect(books('Mob')).toEqual(['Mob Vol.01.cbz']);
  expect((await rename(...words)).stdout).toBe('');
  expect(await readLibraryFile(inFolder('Mob Vol.01.cbz', 'Mob'))).toMatchObject({
    named: { by: 'volume', name: 'Mob Vol.01.cbz' },
  });
});

test('after --rename-titles alone, a book is still one that its owner did not rename', async () => {
  await bind('--name', '{series}/{series} v{volume}');
  renameTitle(harness.service.library, 'one', 'Mob');
  await retagFolder(harness, harness.output, '--rename-titles');
  expect(books('Mob')).toEqual(['Mob v1.cbz']);
  await rename();
  expect(books('Mob')).toEqual(['Mob Vol.01.cbz']);
});
