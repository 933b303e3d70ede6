/** `verify --accept` of bound CBZ and EPUB files that their owner edited: listed no more, and replaced by no command unasked. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MANIFEST_NAME } from '../../../src/library/mark.js';
import { readLibraryFile } from '../../../src/library/file.js';
import {
  createLibrary,
  editChapter,
  uuidOf,
} from '../../../src/practice-server/library/library.js';
import { readArchive, readComment, writeArchive } from '../../support/archive.js';
import { fileDigest } from '../../support/bind-harness.js';
import { testImage } from '../../support/chapter-files.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { runCommand } from '../../support/retag-harness.js';
import { chapter, LATER, title } from '../../support/title-library.js';

const targets = [`title:${uuidOf('one')}`];

let harness: DownloadHarness;
beforeEach(async () => {
  const chapters = ['1', '2'].map((number) => chapter('one', number, { volume: '1' }));
  harness = await DownloadHarness.start({
    library: createLibrary({ titles: [title('one', 'Old')], chapters }),
  });
});
afterEach(() => harness.stop());

type Entries = Readonly<Record<string, Buffer>>;

const entriesOf = async (file: string): Promise<Entries> =>
  Object.fromEntries((await readArchive(file)).map(({ name, bytes }) => [name, bytes]));

const without = (entries: Entries, removed: string): Entries =>
  Object.fromEntries(Object.entries(entries).filter(([name]) => name !== removed));

/** Writes the book again, as programs do that keep its comment. */
async function edit(
  file: string,
  change: (entries: Entries) => Entries | Promise<Entries>,
  comment?: string,
): Promise<void> {
  const kept = comment ?? (await readComment(file));
  await writeArchive(file, await change(await entriesOf(file)), kept);
}

async function run(command: string, ...words: readonly string[]) {
  const { code, stdout } = await runCommand(harness, command, ...words, '--json');
  const lines = stdout.split('\n').filter((line) => line !== '');
  const events = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  return { code, events, types: events.map(({ type }) => type) };
}
const verify = (...words: readonly string[]) => run('verify', harness.output, ...words);
const bind = (...words: readonly string[]) =>
  run('bind', harness.output, '-o', harness.output, ...words);

/** A book of which no chapter file is left. */
async function download(format: 'cbz' | 'epub'): Promise<string> {
  await harness.download({ targets, language: 'en', bind: 'volume', format });
  const file = join(harness.output, 'Old', `Old Vol.01.${format}`);
  expect(harness.files()).toEqual([file]);
  return file;
}

const pageOf = (entries: Entries, chapterNumber: string): string =>
  Object.keys(entries).find((name) => name.includes(`c00${chapterNumber}-001.`)) ?? '';

const EDITS = {
  'with a converted page': async (entries: Entries) => ({
    ...entries,
    [pageOf(entries, '2')]: await testImage('png', 7),
  }),
  'with a page more': async (entries: Entries) => {
    const name = pageOf(entries, '2');
    return { ...entries, [name.replace('-001.', '-002.')]: await testImage('png', 7) };
  },
  'with other metadata': (entries: Entries) =>
    Object.fromEntries(
      Object.entries(entries).map(([name, bytes]) => {
        const isText = /ComicInfo\.xml$|\.opf$/.test(name);
        return [name, isText ? Buffer.from(bytes.toString().replaceAll('Old', 'Mine')) : bytes];
      }),
    ),
} as const;

const rows = (['cbz', 'epub'] as const).flatMap((format) =>
  Object.entries(EDITS).map(([name, change]) => [format, name, change] as const),
);

test.each(rows)(
  'a %s %s is taken as it is for good, and no command replaces it unasked',
  async (format, _, change) => {
    const file = await download(format);
    await edit(file, change);
    const edited = without(await entriesOf(file), MANIFEST_NAME);
    expect(await verify()).toMatchObject({ code: 0, types: ['file-edited', 'verify-summary'] });
    const { code, events } = await verify('--accept');
    const accepted = { type: 'file-accepted', file, pages: expect.any(Number) as unknown };
    expect([code, events]).toEqual([
      0,
      [expect.objectContaining({ type: 'file-edited' }), accepted, expect.anything()],
    ]);
    expect(without(await entriesOf(file), MANIFEST_NAME)).toEqual(edited);
    const bytes = await fileDigest(file);
    for (const words of [[], ['--accept'], ['--repair', '--edited']])
      expect(await verify(...words)).toMatchObject({ code: 0, types: ['verify-summary'] });
    // Something new for the book: it is still the owner's.
    const { library } = harness.service;
    const first = chapter('one', '1', { volume: '1' });
    library.putChapter(editChapter(first, LATER, { title: 'Salt' }));
    library.putChapter(chapter('one', '3', { volume: '1' }));
    await harness.download({ targets, language: 'en', update: true, bind: 'volume', format });
    expect(await bind('--format', format)).toMatchObject({
      code: 0,
      events: expect.arrayContaining([
        { type: 'book-skipped', file, reason: 'edited' },
        expect.objectContaining({ type: 'warning' }),
      ]) as unknown,
    });
    expect(await fileDigest(file)).toBe(bytes);
    expect(await readLibraryFile(file)).toMatchObject({ kind: 'book', isEdited: true });
    const forced = await bind('--format', format, '--force');
    expect(forced.types).toContain('book-saved');
    expect(await readLibraryFile(file)).toMatchObject({ kind: 'book', isEdited: false });
    expect(await verify()).toMatchObject({ code: 0, types: ['verify-summary'] });
  },
);

test('the manifest has the pages that are there, beside those that were saved', async () => {
  const file = await download('cbz');
  await edit(file, EDITS['with a page more']);
  await verify('--accept');
  const book = await readLibraryFile(file);
  if (book.kind !== 'book') throw new Error(file);
  const [first, second] = book.chapters.map(({ record }) => record);
  expect(first?.acceptedPages).toBeUndefined();
  expect(second?.pages).toHaveLength(1);
  expect(second?.acceptedPages).toEqual([second?.pages?.[0], expect.any(String)]);
});

test('an accepted book that is edited again is listed again, and one whose bit flips is damaged', async () => {
  const file = await download('cbz');
  await edit(file, EDITS['with a page more']);
  await verify('--accept');
  await edit(file, EDITS['with other metadata']);
  expect((await verify()).types).toEqual(['file-edited', 'verify-summary']);
  expect((await verify('--accept')).types).toContain('file-accepted');
  const bytes = readFileSync(file);
  const at = bytes.indexOf('c001-001.') + 60;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  for (const words of [[], ['--accept'], ['--repair']])
    expect(await verify(...words)).toMatchObject({
      code: 3,
      types: expect.arrayContaining(['file-damaged']) as unknown,
    });
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test('an accepted book that lost its end is replaced by no command unasked', async () => {
  await harness.download({ targets, language: 'en' });
  await bind();
  const file = join(harness.output, 'Old', 'Old Vol.01.cbz');
  await edit(file, EDITS['with a page more']);
  await verify('--accept');
  const bytes = readFileSync(file).subarray(0, -100);
  writeFileSync(file, bytes);
  expect(await verify('--repair')).toMatchObject({
    code: 3,
    types: ['file-damaged', 'verify-summary'],
  });
  await bind();
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test('an edited book of an earlier version, which has no digest of what was bound, is kept from then on', async () => {
  const file = await download('cbz');
  // Two pages were saved of a chapter that has one.
  const edited = (entries: Entries) => ({
    ...entries,
    [MANIFEST_NAME]: Buffer.from(
      (entries[MANIFEST_NAME]?.toString() ?? '').replace(
        /"pages":\["(\w+)"\]/g,
        '"pages":["$1","$1"]',
      ),
    ),
  });
  await edit(file, edited, 'tankobon bound');
  expect((await verify()).types).toEqual(['file-edited', 'verify-summary']);
  expect((await verify('--accept')).types).toContain('file-accepted');
  expect((await verify()).types).toEqual(['verify-summary']);
  expect(await readLibraryFile(file)).toMatchObject({ kind: 'book', isEdited: true });
});

test('a book that lost its mark is named, and stays', async () => {
  const file = await download('cbz');
  await edit(file, (entries) => without(entries, pageOf(entries, '2')), '');
  const before = await fileDigest(file);
  expect((await verify('--accept')).events).toContainEqual(
    expect.objectContaining({
      message: `Not accepted (it is a file of another program or user, or a book that lost its mark): ${file}`,
    }),
  );
  expect(await fileDigest(file)).toBe(before);
});

test.each(['pdf', 'folder'] as const)('a whole book as %s is not named', async (format) => {
  await harness.download({ targets, language: 'en', bind: 'volume', format });
  for (const words of [[], ['--accept'], ['--accept']])
    expect(await verify(...words)).toMatchObject({ code: 0, types: ['verify-summary'] });
});

test('chapters of an accepted book that have files too are bound into it with --force only', async () => {
  await harness.download({ targets, language: 'en' });
  await bind();
  const file = join(harness.output, 'Old', 'Old Vol.01.cbz');
  await edit(file, EDITS['with a converted page']);
  await verify('--accept');
  const bytes = await fileDigest(file);
  harness.service.library.putChapter(chapter('one', '3', { volume: '1' }));
  await harness.download({ targets, language: 'en' });
  expect((await bind()).types).toContain('warning');
  expect(await fileDigest(file)).toBe(bytes);
});
