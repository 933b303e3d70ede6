/** Folders with so many files that `bind` keeps an index of them: the books are those that it makes without one. */
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readChapters, withPages } from '../../../src/books/read-chapters.js';
import { formatRecord } from '../../../src/library/record.js';
import { scanLibrary } from '../../../src/library/scan.js';
import { FolderStore } from '../../../src/library/store.js';
import { writeArchive } from '../../support/archive.js';
import { bindFolder, fileDigest } from '../../support/bind-harness.js';
import {
  chapterId,
  testImage,
  writeChapterFile,
  type ChapterFile,
} from '../../support/chapter-files.js';
import { tankobon } from '../../support/command.js';

let folder: string;
let input: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-bind-'));
  input = join(folder, 'in');
  await addChapter(1);
  await addChapter(2, { summary: 'Long ago.', tags: ['Long Strip'], writers: ['A', 'B'] });
  await addChapter(3, { volume: undefined });
  await addChapter(4, { id: undefined });
  await writeArchive(join(input, 'Filler v01 001.cbz'), { '1.jpg': await testImage('jpeg', 9) });
  for (let number = 2; number <= 50; number += 1)
    copyFileSync(
      join(input, 'Filler v01 001.cbz'),
      join(input, `Filler v01 ${String(number).padStart(3, '0')}.cbz`),
    );
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function addChapter(number: number, chapter: Partial<ChapterFile> = {}): Promise<string> {
  const id = chapterId(number);
  return writeChapterFile(join(input, `Ch ${number}.cbz`), {
    id,
    version: 1,
    number: String(number),
    volume: '1',
    title: `Part ${number}`,
    publishedAt: new Date('2024-05-01'),
    images: [await testImage('jpeg', number), await testImage('png', number)],
    record: formatRecord({ chapterId: id, version: 1, metadata: { series: 'Lighthouse' } }),
    ...chapter,
  });
}

const stateFolder = () => join(folder, 'state');
const bind = (output: string, options: Parameters<typeof bindFolder>[1] = {}) =>
  bindFolder(folder, { output: join(folder, output), stateFolder: stateFolder(), ...options });
const bindWithoutIndex = (output: string) =>
  bindFolder(folder, { output: join(folder, output), stateFolder: undefined });

/** The sha256 of each file, by its path. */
async function digests(output: string): Promise<Record<string, string>> {
  const root = join(folder, output);
  const found: Record<string, string> = {};
  for (const path of readdirSync(root, { recursive: true }) as string[])
    if (statSync(join(root, path)).isFile()) found[path] = await fileDigest(join(root, path));
  return found;
}

test('the index gives the same plan and the same bytes', async () => {
  await bind('first');
  await bind('second');
  await bindWithoutIndex('third');
  expect(Object.keys(await digests('second'))).toHaveLength(2);
  expect(await digests('second')).toEqual(await digests('first'));
  expect(await digests('second')).toEqual(await digests('third'));
});

test('a file that names no series has that of its folder, however the folder is named', async () => {
  copyFileSync(join(input, 'Filler v01 001.cbz'), join(input, 'Vol. 1 Ch. 1.cbz'));
  const workingFolder = process.cwd();
  process.chdir(input);
  try {
    await bind('first', { inputs: ['.'] });
    await bind('second', { inputs: [input] });
  } finally {
    process.chdir(workingFolder);
  }
  await bindWithoutIndex('third');
  expect(Object.keys(await digests('third'))).toContain('in/in Vol.01.cbz');
  expect(await digests('first')).toEqual(await digests('third'));
  expect(await digests('second')).toEqual(await digests('third'));
});

test('chapters of books that are in the folder come from the index too', async () => {
  await bind('in');
  for (const number of [1, 2, 4]) rmSync(join(input, `Ch ${number}.cbz`));
  await addChapter(5);
  await bind('first', { inputs: [input] });
  await bind('second', { inputs: [input] });
  await bindWithoutIndex('third');
  expect(await digests('second')).toEqual(await digests('first'));
  expect(await digests('second')).toEqual(await digests('third'));
  const [book] = await readChapters(join(folder, 'second', 'Lighthouse', 'Lighthouse Vol.01.cbz'));
  expect(book?.metadata.number).toBe('1');
});

test('what is new, changed, renamed or removed is seen', async () => {
  await bind('out');
  for (const number of [1, 2]) rmSync(join(input, `Ch ${number}.cbz`));
  await addChapter(2, { volume: '2' });
  await addChapter(6);
  renameSync(join(input, 'Filler v01 050.cbz'), join(input, 'Filler v02 051.cbz'));
  await bind('second');
  await bindWithoutIndex('third');
  expect(Object.keys(await digests('second')).sort()).toEqual([
    'Filler/Filler Vol.01.cbz',
    'Filler/Filler Vol.02.cbz',
    'Lighthouse/Lighthouse Vol.01.cbz',
    'Lighthouse/Lighthouse Vol.02.cbz',
  ]);
  expect(await digests('second')).toEqual(await digests('third'));
});

test.each([
  ['damaged', (text: string) => text.slice(0, 100)],
  ['of another format', (text: string) => text.replace('"format":', '"format":9')],
  ['with other types', (text: string) => text.replaceAll('"pages":2', '"pages":"2"')],
  [
    'without the compressed pages, which earlier versions did not keep',
    (text: string) => text.replaceAll(',"dataSaverPages":[]', ''),
  ],
  ['empty', () => ''],
])('an index that is %s is made again', async (_, damage) => {
  await bind('first');
  const [name = ''] = readdirSync(join(stateFolder(), 'files'));
  const file = join(stateFolder(), 'files', name);
  const before = readFileSync(file, 'utf8');
  writeFileSync(file, damage(before));
  await bind('second');
  expect(await digests('second')).toEqual(await digests('first'));
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(before));
});

test('a file that lost its end is an error each time, and its books are made without it', async () => {
  await bind('out');
  truncateSync(join(input, 'Ch 2.cbz'), 1_000);
  for (const output of ['second', 'third']) {
    const { errors, books } = await bind(output);
    expect(errors).toMatchObject([{ code: 'archive-damaged' }]);
    expect(books).toMatchObject([{ status: 'saved' }, { status: 'saved' }]);
  }
});

test('what a changed file held stays known for a repair after bind has read it', async () => {
  const file = join(input, 'Ch 1.cbz');
  const markAt = () => FolderStore.open(stateFolder(), input).markAt(file);
  await scanLibrary(input, { stateFolder: stateFolder() });
  const mark = markAt();
  expect(mark).toMatchObject({ chapters: [{ chapterId: chapterId(1) }], isBook: false });
  utimesSync(file, 1_000, 1_000);
  await bind('out');
  expect(markAt()).toEqual(mark);
});

test('a chapter that another program replaced after the plan is an error', async () => {
  const [chapter] = await readChapters(join(input, 'Ch 1.cbz'));
  if (!chapter) throw new Error('There is no chapter.');
  const { pages, metadata } = chapter;
  const planned = { ...chapter, pages: { length: pages.length } };
  expect(await withPages([planned])).toMatchObject([{ pages, metadata }]);
  rmSync(planned.file);
  await addChapter(1, { version: 2 });
  await expect(withPages([planned])).rejects.toMatchObject({ code: 'file-changed' });
});

test('a second run opens only new and changed files', async () => {
  const env = {
    TANKOBON_HOME: join(folder, 'home'),
    NODE_OPTIONS: `--require=${resolve('test/support/count-opened.cjs')}`,
    OPENED: join(folder, 'opened'),
  };
  const openedBy = async (...words: readonly string[]) => {
    expect(await tankobon(['bind', input, '--dry-run', ...words], { env })).toMatchObject({
      code: 0,
    });
    return Number(readFileSync(env.OPENED, 'utf8'));
  };
  expect(await openedBy()).toBe(54);
  expect(await openedBy()).toBe(0);
  expect(await openedBy('--by', 'title')).toBe(0);
  utimesSync(join(input, 'Ch 1.cbz'), new Date(), new Date('2026-01-01'));
  expect(await openedBy()).toBe(1);
});
