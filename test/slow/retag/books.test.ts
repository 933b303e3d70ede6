/** `tankobon retag --rename-titles` moves the books and the covers of a title with its chapters. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { readOwnBook } from '../../../src/books/rename-book.js';
import { drawnCover } from '../../../src/practice-server/library/story-pages.js';
import { createLibrary, uuidOf } from '../../../src/practice-server/library/library.js';
import { readArchive, readEntry } from '../../support/archive.js';
import { imageDigests } from '../../support/bind-harness.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { editEntry, replaced } from '../../support/owner-edits.js';
import { linuxTest } from '../../support/platform.js';
import { retagFolder, runCommand } from '../../support/retag-harness.js';
import { chapter, renameTitle, title } from '../../support/title-library.js';

const OLD = "Ann's <Tea>";
/** The name of files. */
const OLD_NAME = "Ann's _Tea_";
const NEW = '猫 & Tea';
const TARGET = `title:${uuidOf('one')}`;
const FORMATS = ['cbz', 'epub', 'pdf', 'folder'] as const;

let harness: DownloadHarness;
beforeEach(async () => {
  const covers = [drawnCover(uuidOf('one'), '1', 'stairs-cover')];
  const chapters = ['1', '2'].map((number) => chapter('one', number, { volume: '1' }));
  const library = createLibrary({ titles: [title('one', OLD, { covers })], chapters });
  harness = await DownloadHarness.start({ library });
});
afterEach(() => harness.stop());

const download = (options: Readonly<Record<string, unknown>> = {}) =>
  harness.download({ targets: [TARGET], language: 'en', ...options });
const inOutput = (...path: readonly string[]) => join(harness.output, ...path);
const bind = (...words: readonly string[]) =>
  runCommand(harness, 'bind', harness.output, '-o', harness.output, ...words);
const renameInService = () => {
  renameTitle(harness.service.library, 'one', NEW);
};
const retag = (...words: readonly string[]) =>
  retagFolder(harness, harness.output, '--rename-titles', ...words);
const paths = () =>
  harness
    .files()
    .map((file) => relative(harness.output, file))
    .sort();
const books = (name: string) => [
  inOutput(name, `${name} Vol.01.cbz`),
  inOutput(name, `${name} Vol.01.epub`),
  inOutput(name, `${name} Vol.01.pdf`),
  inOutput(name, 'Vol.01'),
];

async function bindAll(): Promise<void> {
  expect((await download({ cover: 'all' })).code).toBe(0);
  for (const format of FORMATS) expect((await bind('--format', format)).code).toBe(0);
}

test('books of every format move with the chapters, and have the new name in their metadata, but for a PDF', async () => {
  await bindAll();
  const images = await imageDigests(books(OLD_NAME)[1] ?? '');
  const comicInfo = await readEntry(books(OLD_NAME)[0] ?? '', 'ComicInfo.xml');
  const pdfBytes = readFileSync(books(OLD_NAME)[2] ?? '');
  renameInService();
  const { code, stdout, stderr } = await retag();
  const message = `1 PDF keeps the old name of the title inside: it is bound anew by the next bind that has the chapters, as files or in other books`;
  expect([code, stderr]).toEqual([0, `warning: ${message}\n2 changed, 0 unchanged, 4 books\n`]);
  for (const [index, file] of books(NEW).entries()) {
    const what = file.endsWith('.pdf') ? 'name\n  kept: series' : 'series';
    expect(stdout).toContain(`${books(OLD_NAME)[index] ?? ''}: ${what}\n  renamed to ${file}\n`);
  }
  expect(readdirSync(harness.output)).toEqual([NEW]);
  const [cbz = '', epub = '', pdf = '', folder = ''] = books(NEW);
  expect(await readEntry(cbz, 'ComicInfo.xml')).toBe(
    replaced(comicInfo, [/<Series>.*<\/Series>/, '<Series>猫 &amp; Tea</Series>']),
  );
  const opf = await readEntry(epub, 'OEBPS/content.opf');
  expect(opf).toContain('<dc:title>猫 &amp; Tea, Vol. 1</dc:title>');
  expect(opf).toContain('id="series">猫 &amp; Tea</meta>');
  expect(opf).toContain('<meta name="calibre:series" content="猫 &amp; Tea"/>');
  for (const entry of ['OEBPS/nav.xhtml', 'OEBPS/toc.ncx'])
    expect(await readEntry(epub, entry)).toContain('猫 &amp; Tea, Vol. 1');
  for (const { name, bytes } of await readArchive(epub))
    if (!name.includes('/images/')) expect([name, bytes.includes('Ann')]).toEqual([name, false]);
  expect(await imageDigests(epub)).toEqual(images);
  expect(readFileSync(pdf).equals(pdfBytes)).toBe(true);
  const inFolder = readFileSync(join(folder, 'Ch.001/ComicInfo.xml'), 'utf8');
  expect(inFolder).toContain('<Series>猫 &amp; Tea</Series>');
  for (const file of [cbz, epub, folder])
    expect(await readOwnBook(file)).toMatchObject({
      isEdited: false,
      chapters: [{ metadata: { series: NEW } }, { metadata: { series: NEW } }],
    });
});

const titleInPdf = (file: string): string | undefined =>
  /<rdf:value>(.*?)<\/rdf:value>/.exec(readFileSync(file, 'utf8'))?.[1];

test('bind recognises the moved books: only a PDF is written again, and a new chapter is added to them', async () => {
  await bindAll();
  renameInService();
  await retag();
  const before = paths();
  for (const format of FORMATS) {
    const { stdout } = await bind('--format', format, '--json');
    const counts = format === 'pdf' ? '"saved":1,"skipped":0' : '"saved":0,"skipped":1';
    expect(stdout).toContain(`${counts},"failed":0`);
  }
  const again = await bind('--format', 'pdf', '--json');
  expect(again.stdout).toContain('"saved":0,"skipped":1,"failed":0');
  expect(titleInPdf(books(NEW)[2] ?? '')).toBe('猫 &amp; Tea');
  expect(paths()).toEqual(before);
  expect((await retag()).stderr).toMatch(/^0 changed, 2 unchanged\n/);
  harness.service.library.putChapter(chapter('one', '3', { volume: '1' }));
  await download();
  for (const format of FORMATS)
    expect((await bind('--format', format, '--json')).stdout).toContain('"saved":1,"skipped":0');
  expect(paths().filter((path) => /Tea Vol\.01\.\w+$/.test(path))).toHaveLength(3);
});

test('books whose chapter files were removed move too, and later chapters go there', async () => {
  await download({ bind: 'volume' });
  expect(paths()).toEqual([`${OLD_NAME}/${OLD_NAME} Vol.01.cbz`]);
  renameInService();
  const without = await retagFolder(harness, harness.output);
  expect(without.stderr).toContain(`"${OLD}" is called "${NEW}" by now`);
  const dryRun = await retag('--dry-run');
  expect(dryRun.stdout).toContain(`renamed to ${inOutput(NEW, `${NEW} Vol.01.cbz`)}`);
  expect(paths()).toEqual([`${OLD_NAME}/${OLD_NAME} Vol.01.cbz`]);
  expect((await retag()).code).toBe(0);
  expect(paths()).toEqual([`${NEW}/${NEW} Vol.01.cbz`]);
  harness.service.library.putChapter(chapter('one', '3', { volume: '2' }));
  await download({ bind: 'volume' });
  expect(paths()).toEqual([`${NEW}/${NEW} Vol.01.cbz`, `${NEW}/${NEW} Vol.02.cbz`]);
});

test('a PDF whose chapters are gone keeps its name inside: that is said once, and bind leaves it', async () => {
  await download({ bind: 'volume', format: 'pdf' });
  const [from, to] = [books(OLD_NAME)[2] ?? '', books(NEW)[2] ?? ''];
  const bytes = readFileSync(from);
  renameInService();
  const first = await retag();
  expect(first.stdout).toBe(`${from}: name\n  kept: series\n  renamed to ${to}\n`);
  expect(first.stderr).toContain('1 PDF keeps the old name of the title inside');
  expect(readFileSync(to).equals(bytes)).toBe(true);
  for (const words of [['--rename-titles'], []]) {
    const { stdout, stderr } = await retagFolder(harness, harness.output, ...words);
    expect([stdout, stderr]).toEqual(['', '0 changed, 0 unchanged\n']);
  }
  expect(paths()).toEqual([`${NEW}/${NEW} Vol.01.pdf`]);
});

test('later chapters follow the new name of a title of which there are PDFs alone', async () => {
  await download({ bind: 'volume', format: 'pdf' });
  renameInService();
  await retag();
  harness.service.library.putChapter(chapter('one', '3', { volume: '2' }));
  await download({ bind: 'volume', format: 'pdf' });
  expect(paths()).toEqual([`${NEW}/${NEW} Vol.01.pdf`, `${NEW}/${NEW} Vol.02.pdf`]);
  const { stdout, stderr } = await retag();
  expect([stdout, stderr]).toEqual(['', '0 changed, 0 unchanged\n']);
});

test('a PDF of a title whose new name begins with the old one is renamed once', async () => {
  await download({ bind: 'volume', format: 'pdf' });
  const name = `${OLD} Returns`;
  renameTitle(harness.service.library, 'one', name);
  await retag();
  const renamed = `${OLD_NAME} Returns`;
  for (const words of [['--rename-titles'], []]) {
    const { stdout, stderr } = await retagFolder(harness, harness.output, ...words);
    expect([stdout, stderr]).toEqual(['', '0 changed, 0 unchanged\n']);
  }
  harness.service.library.putChapter(chapter('one', '3', { volume: '2' }));
  await download({ bind: 'volume', format: 'pdf' });
  expect(paths()).toEqual([`${renamed}/${renamed} Vol.01.pdf`, `${renamed}/${renamed} Vol.02.pdf`]);
});

test('a PDF is bound anew from a book in another format that has its chapters', async () => {
  await download();
  await bind('--format', 'pdf');
  await bind();
  for (const file of harness.archives().filter((each) => each.includes('Ch.'))) rmSync(file);
  renameInService();
  await retag();
  const { stdout } = await bind('--format', 'pdf', '--json');
  expect(stdout).toContain('"saved":1,"skipped":0');
  expect(titleInPdf(books(NEW)[2] ?? '')).toBe('猫 &amp; Tea');
});

test('a book that its owner edited is only moved, and bind makes no second one', async () => {
  await download({ bind: 'volume' });
  const [file = ''] = books(OLD_NAME);
  await editEntry(file, 'ComicInfo.xml', (xml) =>
    replaced(xml, ['</ComicInfo>', '<Notes>n</Notes></ComicInfo>']),
  );
  const bytes = readFileSync(file);
  renameInService();
  const { stdout } = await retag();
  expect(stdout).toBe(`${file}: name\n  kept: series\n  renamed to ${books(NEW)[0] ?? ''}\n`);
  expect(readFileSync(books(NEW)[0] ?? '').equals(bytes)).toBe(true);
  expect((await bind('--json')).stdout).toContain('"saved":0,"skipped":1');
  expect(paths()).toEqual([`${NEW}/${NEW} Vol.01.cbz`]);
  expect((await retag()).stderr).toBe('0 changed, 0 unchanged\n');
  expect((await retagFolder(harness, harness.output)).stderr).toBe('0 changed, 0 unchanged\n');
});

test('a series that its owner named stays in the books', async () => {
  await download();
  for (const file of harness.files())
    await editEntry(file, 'ComicInfo.xml', (xml) =>
      replaced(xml, [/<Series>.*<\/Series>/, '<Series>Mine</Series>']),
    );
  await bind();
  expect(paths()).toContain(`${OLD_NAME}/Mine Vol.01.cbz`);
  renameInService();
  await retag();
  expect(paths()).toContain(`${NEW}/Mine Vol.01.cbz`);
  const xml = await readEntry(inOutput(NEW, 'Mine Vol.01.cbz'), 'ComicInfo.xml');
  expect(xml).toContain('<Series>Mine</Series>');
  expect((await bind('--json')).stdout).toContain('"saved":0,"skipped":1');
});

test('a file in a book folder that its owner changed stays as it is', async () => {
  await download();
  await bind('--format', 'folder');
  const changed = join(books(OLD_NAME)[3] ?? '', 'Ch.002/ComicInfo.xml');
  writeFileSync(
    changed,
    replaced(readFileSync(changed, 'utf8'), ['</Series>', ' (mine)</Series>']),
  );
  renameInService();
  expect((await retag()).stdout).toContain('kept: Ch.002/ComicInfo.xml');
  const series = ['Ch.001', 'Ch.002'].map(
    (name) =>
      /<Series>(.*)<\/Series>/.exec(
        readFileSync(join(books(NEW)[3] ?? '', name, 'ComicInfo.xml'), 'utf8'),
      )?.[1],
  );
  expect(series).toEqual(['猫 &amp; Tea', expect.stringContaining(' (mine)')]);
});

test('another book of the new name is not replaced', async () => {
  await download();
  await bind();
  renameInService();
  harness.service.library.putChapter(chapter('one', '3', { volume: '2' }));
  await retag();
  rmSync(inOutput(NEW), { recursive: true });
  renameTitle(harness.service.library, 'one', OLD);
  await download();
  await bind();
  const taken = books(NEW)[0] ?? '';
  await runCommand(
    harness,
    'bind',
    harness.output,
    '-o',
    inOutput(NEW),
    '--name',
    `${NEW} Vol.{volume:02}`,
    '--by',
    'title',
  );
  renameInService();
  writeFileSync(taken, 'mine');
  const { code, stderr } = await retag();
  expect([code, stderr]).toEqual([3, expect.stringContaining(`error: ${taken} exists`)]);
  expect(readFileSync(taken, 'utf8')).toBe('mine');
  expect(existsSync(books(OLD_NAME)[0] ?? '')).toBe(true);
});

test('covers that MangaDex has move; an image of the owner stays, and is copied', async () => {
  await download({ cover: 'all' });
  const mine = inOutput(OLD_NAME, 'cover Vol.02.png');
  writeFileSync(mine, readFileSync(inOutput(OLD_NAME, 'cover.png')));
  renameInService();
  const { stdout, stderr } = await retag();
  for (const name of ['cover.png', 'cover Vol.01.png'])
    expect(stdout).toContain(`${inOutput(OLD_NAME, name)}\n  renamed to ${inOutput(NEW, name)}\n`);
  expect(stderr).toContain(
    `Copied to ${inOutput(NEW)}, since MangaDex does not have the same image: ${mine}`,
  );
  expect(stderr).toContain(`Kept: ${inOutput(OLD_NAME)} has other files: ${basename(mine)}`);
  expect(readdirSync(inOutput(OLD_NAME))).toEqual([basename(mine)]);
});

test('the cover that Komga reads beside a book moves with the book, and is refreshed there', async () => {
  const komga = { cover: 'all', coverName: 'komga', bind: 'volume' } as const;
  await download(komga);
  const [from, to] = [OLD_NAME, NEW].map((name) => inOutput(name, `${name} Vol.01.png`));
  renameInService();
  const { stdout } = await retag();
  expect(stdout).toContain(`${from ?? ''}\n  renamed to ${to ?? ''}\n`);
  expect(readdirSync(harness.output)).toEqual([NEW]);
  const before = readFileSync(to ?? '');
  const changed = { ...drawnCover(uuidOf('one'), '1', 'lighthouse-cover-2'), fileName: 'new.png' };
  harness.service.library.putTitle(title('one', NEW, { covers: [changed] }));
  harness.service.library.putChapter(chapter('one', '3', { volume: '1' }));
  await download(komga);
  expect(readFileSync(to ?? '').equals(before)).toBe(false);
});

test('an image of the owner that has the name of a book moves with the book', async () => {
  await download({ bind: 'volume' });
  writeFileSync(inOutput(OLD_NAME, `${OLD_NAME} Vol.01.jpg`), 'mine');
  renameInService();
  await retag();
  expect(readFileSync(inOutput(NEW, `${NEW} Vol.01.jpg`), 'utf8')).toBe('mine');
  expect(readdirSync(harness.output)).toEqual([NEW]);
});

test('series.json and details.json have the new name after the move, and stay those of tankobon', async () => {
  await download({ seriesMetadata: true });
  renameInService();
  await retag();
  const parsed = (name: string): unknown => JSON.parse(readFileSync(inOutput(NEW, name), 'utf8'));
  expect(parsed('series.json')).toMatchObject({ metadata: { name: NEW }, title: NEW });
  expect(parsed('details.json')).toMatchObject({ title: NEW });
  const { stderr } = await retag();
  expect(stderr).toBe('0 changed, 2 unchanged\n');
});

test('series.json and details.json move if tankobon wrote them; an edited one stays', async () => {
  await download({ seriesMetadata: true });
  const edited = inOutput(OLD_NAME, 'details.json');
  writeFileSync(edited, '{"title":"mine"}');
  renameInService();
  const { stdout, stderr } = await retag();
  const [from, to] = [inOutput(OLD_NAME, 'series.json'), inOutput(NEW, 'series.json')];
  expect(stdout).toContain(`${from}\n  renamed to ${to}\n`);
  expect(stderr).toContain(`Kept: ${inOutput(OLD_NAME)} has other files: details.json`);
  expect(readdirSync(inOutput(OLD_NAME))).toEqual(['details.json']);
  expect(readFileSync(edited, 'utf8')).toBe('{"title":"mine"}');
  expect(existsSync(inOutput(NEW, 'details.json'))).toBe(false);
});

linuxTest(
  'a book whose list of chapters cannot be opened is an error, and not passed over',
  async () => {
    const name = 'n'.repeat(200);
    let folder = inOutput(name);
    while (folder.length + name.length < MAX_PATH_BYTES) folder = join(folder, name);
    folder = join(folder, 'n'.repeat(MAX_PATH_BYTES - folder.length - 2));
    mkdirSync(folder, { recursive: true });
    await expect(readOwnBook(folder)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
  },
);

/** Linux accepts no longer path. */
const MAX_PATH_BYTES = 4_095;
