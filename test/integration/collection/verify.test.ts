/** What `tankobon verify` finds in real files: damage of every kind, and none in whole ones. */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { readdir, readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { execFileSync } from 'node:child_process';
import { verifyFiles } from '../../../src/collection/verify-files.js';
import type { VerifyEvent } from '../../../src/events/verify-events.js';
import { listArchives } from '../../../src/library/scan.js';
import { FileStore } from '../../../src/library/store.js';
import { formatRecord } from '../../../src/library/record.js';
import { readArchive, readComment, writeArchive } from '../../support/archive.js';
import { bindFolder, sha256 } from '../../support/bind-harness.js';
import { chapterId, testImage, writeChapterFile } from '../../support/chapter-files.js';
import { posixTest } from '../../support/platform.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-verify-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const input = (name: string) => join(folder, 'in', name);

/** A chapter of two pages with a record. */
async function addChapter(number: number): Promise<string> {
  const images = [await testImage('jpeg', number), await testImage('png', number)];
  const id = chapterId(number);
  return writeChapterFile(input(`${number}.cbz`), {
    id,
    version: 1,
    number: String(number),
    volume: '1',
    images,
    record: formatRecord({ chapterId: id, version: 1, pages: images.map(sha256) }),
  });
}

const opened = (sinceLast = false, nowMs = Date.now()) => ({
  store: new FileStore(join(folder, 'state')),
  sinceLast,
  nowMs,
  mode: { kind: 'check' } as const,
});

async function verify(...inputs: readonly string[]) {
  const events: VerifyEvent[] = [];
  const progress: number[] = [];
  await verifyFiles(inputs.length > 0 ? inputs : [join(folder, 'in')], {
    observe: (event) => events.push(event),
    onProgress: ({ bytes }) => progress.push(bytes),
    ...opened(),
    signal: new AbortController().signal,
  });
  const damaged = events.flatMap((event) => (event.type === 'file-damaged' ? [event] : []));
  const edited = events.flatMap((event) => (event.type === 'file-edited' ? [event] : []));
  const warnings = events.flatMap((event) => (event.type === 'warning' ? event.message : []));
  return { damaged, edited, warnings, summary: events.at(-1), progress };
}

const reasonOf = async (file: string) => (await verify(file)).damaged.map(({ reason }) => reason);

/** Writes an archive's entries anew, with other ones or without some, and with the same comment. */
async function rewrite(
  file: string,
  change: (entries: Record<string, Buffer>) => Record<string, Buffer>,
): Promise<void> {
  const comment = await readComment(file);
  const entries = Object.fromEntries(
    (await readArchive(file)).map(({ name, bytes }) => [name, bytes]),
  );
  await writeArchive(file, change(entries), comment);
}

const without =
  (...names: readonly string[]) =>
  (entries: Record<string, Buffer>) =>
    Object.fromEntries(Object.entries(entries).filter(([name]) => !names.includes(name)));

async function pagesOf(file: string): Promise<readonly string[]> {
  const names = (await readArchive(file)).map(({ name }) => name);
  return names.filter((name) => /\.(jpg|png)$/.test(name)).sort();
}

test('whole files of every format are not damaged', async () => {
  await addChapter(1);
  await addChapter(2);
  for (const format of ['cbz', 'epub', 'pdf', 'folder'] as const)
    await bindFolder(folder, { format });
  const { damaged, summary } = await verify(folder);
  expect(damaged).toEqual([]);
  expect(summary).toEqual({
    type: 'verify-summary',
    checked: 6,
    damaged: 0,
    edited: 0,
    repaired: 0,
    links: 0,
  });
});

describe('a chapter', () => {
  test('whose end is lost is unreadable', async () => {
    const file = await addChapter(1);
    truncateSync(file, (await stat(file)).size - 30);
    expect(await reasonOf(file)).toEqual(['unreadable']);
  });

  test('with one wrong byte has a damaged entry, which is named', async () => {
    const file = await addChapter(1);
    const bytes = readFileSync(file);
    const page = await testImage('png', 1);
    const at = bytes.indexOf(page) + 40;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const { damaged } = await verify(file);
    const [, second] = await pagesOf(await addChapter(9));
    expect(damaged).toMatchObject([
      { reason: 'entry-damaged', message: `${second}: its checksum is wrong` },
    ]);
  });

  test('with another image in place of a page is edited', async () => {
    const file = await addChapter(1);
    const [first = ''] = await pagesOf(file);
    const other = await testImage('jpeg', 7);
    await rewrite(file, (entries) => ({ ...entries, [first]: other }));
    expect(await verify(file)).toMatchObject({
      damaged: [],
      edited: [{ pages: 2, message: '1 of 2 saved pages missing, 1 other page' }],
    });
  });

  test('with a cut image in place of a page is damaged', async () => {
    const file = await addChapter(1);
    const [first = ''] = await pagesOf(file);
    const other = await testImage('jpeg', 7);
    await rewrite(file, (entries) => ({ ...entries, [first]: other.subarray(0, -20) }));
    expect(await reasonOf(file)).toEqual(['page-incomplete']);
  });

  test('without a page is edited, and without all of them damaged', async () => {
    const file = await addChapter(1);
    const [first = '', second = ''] = await pagesOf(file);
    await rewrite(file, without(first));
    expect(await verify(file)).toMatchObject({
      damaged: [],
      edited: [{ pages: 1, message: '1 of 2 saved pages missing' }],
      summary: { damaged: 0, edited: 1 },
    });
    await rewrite(file, without(second));
    expect(await reasonOf(file)).toEqual(['page-missing']);
  });

  test('whose pages have another order is edited', async () => {
    const file = await addChapter(1);
    const [first = '', second = ''] = await pagesOf(file);
    const renamed = { [first]: '3.jpg', [second]: '1.png' };
    await rewrite(file, (entries) =>
      Object.fromEntries(Object.entries(entries).map(([name, it]) => [renamed[name] ?? name, it])),
    );
    const { damaged, edited } = await verify(file);
    const message = 'its pages are in another order, or there twice';
    expect([damaged, edited]).toMatchObject([[], [{ pages: 2, message }]]);
  });

  test('is edited as long as its owner has not accepted it, also for --since-last', async () => {
    const file = await addChapter(1);
    const [first = ''] = await pagesOf(file);
    await rewrite(file, without(first));
    for (let run = 0; run < 2; run += 1) {
      const events: VerifyEvent[] = [];
      const { signal } = new AbortController();
      const deps = { ...opened(true), onProgress: () => undefined, signal };
      await verifyFiles([file], { ...deps, observe: (event) => events.push(event) });
      await deps.store.save();
      expect(events.map(({ type }) => type)).toEqual(['file-edited', 'verify-summary']);
    }
  });

  test('whose metadata was edited is not damaged', async () => {
    const file = await addChapter(1);
    await rewrite(file, (entries) => {
      const xml = entries['ComicInfo.xml']?.toString() ?? '';
      const edited = Buffer.from(xml.replace('</ComicInfo>', '<Tags>mine</Tags></ComicInfo>'));
      return { ...entries, 'ComicInfo.xml': edited, 'notes.txt': Buffer.from('mine') };
    });
    expect(await reasonOf(file)).toEqual([]);
  });
});

describe('a book with a page that is cut off in the file of its chapter', () => {
  test.each(['cbz', 'epub'] as const)(
    'is whole as a %s, and bind names the page',
    async (format) => {
      const image = await testImage('jpeg', 1);
      const images = [image, image.subarray(0, image.length - 20)];
      await writeChapterFile(input('1.cbz'), { number: '1', volume: '1', images });
      const { events } = await bindFolder(folder, { format });
      const message = expect.stringMatching(/^A page is incomplete, .*: 002\.jpg of .*1\.cbz, in /);
      expect(events).toContainEqual({ type: 'warning', message });
      expect(await reasonOf(join(folder, 'out'))).toEqual([]);
      expect(await reasonOf(input('1.cbz'))).toEqual(['page-incomplete']);
    },
  );
});

describe('a file of another program', () => {
  test.each([
    ['RAR', 'Rar!\x1a\x07\x01\x00'],
    ['7z', '7z\xbc\xaf\x27\x1c\x00\x04'],
  ])('that is a %s archive by another name is said to be one', async (format, start) => {
    mkdirSync(join(folder, 'in'));
    writeFileSync(input('1.cbz'), Buffer.from(start.padEnd(3_000, '\x55'), 'latin1'));
    expect((await verify()).damaged).toMatchObject([
      { message: `it is a ${format} archive, not a ZIP archive` },
    ]);
  });

  test('with a truncated image has an incomplete page', async () => {
    mkdirSync(join(folder, 'in'));
    const image = await testImage('jpeg', 1);
    await writeArchive(input('a.cbz'), { '1.jpg': image.subarray(0, image.length - 20) });
    expect(await reasonOf(input('a.cbz'))).toEqual(['page-incomplete']);
  });

  test.each([
    ['nothing', ''],
    ['the page of an error', '\ufeff\n<!DOCTYPE html><title>Not Found</title>'],
    ['an error of the service', '{"result":"error"}'],
    ['the text of an error', 'error code: 1015'],
    ['zeros, as a broken disk leaves them', '\0'.repeat(5_000)],
    ['HTML in UTF-16', Buffer.from('\ufeff<html>', 'utf16le')],
  ])('whose page is %s is damaged', async (_name, text) => {
    mkdirSync(join(folder, 'in'));
    await writeArchive(input('a.cbz'), { '1.jpg': text });
    expect(await reasonOf(input('a.cbz'))).toEqual(['page-incomplete']);
  });

  test.each([
    ['JPEG XL', '\xff\x0a\x01\x02'],
    ['JPEG XL in a container', '\0\0\0\x0cJXL \r\n'],
    ['BMP', 'BM\x36\0'],
    ['TIFF', 'II*\0'],
    ['HEIC', '\0\0\0\x18ftypheic'],
  ])('whose page is of a type that is not bound, such as %s, is whole', async (_type, start) => {
    mkdirSync(join(folder, 'in'));
    await writeArchive(input('a.cbz'), { '1.jpg': Buffer.from(start, 'latin1') });
    expect(await reasonOf(input('a.cbz'))).toEqual([]);
  });

  test('without images lacks pages, and one with fewer than ComicInfo.xml lists does too', async () => {
    mkdirSync(join(folder, 'in'));
    await writeArchive(input('a.cbz'), { 'readme.txt': 'none' });
    const xml = '<ComicInfo><PageCount>2</PageCount></ComicInfo>';
    await writeArchive(input('b.cbz'), { '1.jpg': await testImage('jpeg'), 'ComicInfo.xml': xml });
    expect(await reasonOf(join(folder, 'in'))).toEqual(['page-missing', 'page-missing']);
  });

  test('that inflates to gigabytes is refused from its directory', async () => {
    mkdirSync(join(folder, 'in'));
    await writeArchive(input('a.cbz'), { '1.jpg': Buffer.alloc(300 * 2 ** 20) });
    expect((await verify(input('a.cbz'))).damaged).toMatchObject([
      { reason: 'unreadable', message: expect.stringContaining('would have') as unknown },
    ]);
  });
});

describe('a book', () => {
  beforeEach(async () => {
    await addChapter(1);
    await addChapter(2);
  });
  const book = (name: string) => join(folder, 'out', 'Lighthouse', name);

  test('as a PDF whose end is lost is unreadable', async () => {
    await bindFolder(folder, { format: 'pdf' });
    const file = book('Lighthouse Vol.01.pdf');
    truncateSync(file, (await stat(file)).size - 30);
    expect(await reasonOf(file)).toEqual(['unreadable']);
  });

  test.each(['cbz', 'epub'] as const)(
    'as %s without a page of its manifest is edited',
    async (format) => {
      await bindFolder(folder, { format });
      const file = book(`Lighthouse Vol.01.${format}`);
      const [first = ''] = await pagesOf(file);
      await rewrite(file, without(first, 'ComicInfo.xml'));
      const message = '1 saved page missing';
      expect(await verify(file)).toMatchObject({ damaged: [], edited: [{ pages: 3, message }] });
    },
  );

  test('without its list of chapters is unreadable', async () => {
    await bindFolder(folder, { format: 'cbz' });
    const file = book('Lighthouse Vol.01.cbz');
    await rewrite(file, without('META-INF/tankobon.json'));
    expect(await reasonOf(file)).toEqual(['unreadable']);
  });

  test('as a folder has a changed page and then lacks it', async () => {
    await bindFolder(folder, { format: 'folder' });
    const pages = readdirSync(book('Vol.01'), { recursive: true, encoding: 'utf8' });
    const page = pages.filter((name) => name.endsWith('.png')).sort()[0] ?? '';
    const file = join(book('Vol.01'), page);
    writeFileSync(file, 'other');
    const changed = {
      file: book('Vol.01'),
      reason: 'page-changed',
      message: `${page} is not the file that was saved`,
    };
    expect((await verify(join(folder, 'out'))).damaged).toMatchObject([changed]);
    rmSync(file);
    expect(await reasonOf(join(folder, 'out'))).toEqual(['page-missing']);
  });
});

posixTest('links are counted and not followed; a named pipe does not block', async () => {
  const file = await addChapter(1);
  const outside = join(folder, 'outside.cbz');
  copyFileSync(file, outside);
  truncateSync(outside, 20);
  symlinkSync(outside, input('link.cbz'));
  execFileSync('mkfifo', [input('pipe.cbz')]);
  const { damaged, summary } = await verify();
  expect(damaged.map(({ file: name }) => name)).toEqual([input('pipe.cbz')]);
  expect(summary).toEqual({
    type: 'verify-summary',
    checked: 2,
    damaged: 1,
    edited: 0,
    repaired: 0,
    links: 1,
  });
});

posixTest('a folder that cannot be read is named, and the others are checked', async () => {
  const file = await addChapter(1);
  const unnamable = Buffer.concat([Buffer.from(input('caf')), Buffer.from([0xe9])]);
  mkdirSync(unnamable);
  copyFileSync(file, Buffer.concat([unnamable, Buffer.from('/2.cbz')]));
  const { damaged, warnings, summary } = await verify();
  expect(warnings).toEqual([expect.stringContaining('Not checked')]);
  expect(damaged).toEqual([]);
  expect(summary).toMatchObject({ checked: 1, unreadableFolders: 1 });
});

test('an input that is missing, or is below a file, is a wrong command line', async () => {
  const file = await addChapter(1);
  for (const missing of [join(folder, 'none'), join(file, 'none')])
    await expect(verify(missing)).rejects.toMatchObject({ code: 'nothing-to-bind' });
});

test('progress counts bytes, and an interruption still gives the sums', async () => {
  await addChapter(1);
  const second = await addChapter(2);
  const controller = new AbortController();
  const events: VerifyEvent[] = [];
  const progress: number[] = [];
  const run = verifyFiles([join(folder, 'in')], {
    observe: (event) => events.push(event),
    onProgress: ({ bytes, totalBytes }) => {
      progress.push(bytes / totalBytes);
      if (bytes > 0) controller.abort();
    },
    ...opened(),
    signal: controller.signal,
  });
  await expect(run).rejects.toThrow();
  const [first, half = 0] = progress;
  expect(first).toBe(0);
  expect(half).toBeCloseTo(1 - (await stat(second)).size / (2 * (await stat(second)).size), 1);
  expect(events).toEqual([
    { type: 'verify-summary', checked: 1, damaged: 0, edited: 0, repaired: 0, links: 0 },
  ]);
});

describe('--since-last', () => {
  /** Does what `tankobon verify --since-last` does, for all files. */
  async function verifySinceLast(
    nowMs = Date.now(),
    file = join(folder, 'in'),
    onProgress: () => void = () => undefined,
  ) {
    const events: VerifyEvent[] = [];
    const index = opened(true, nowMs);
    await verifyFiles([file], {
      observe: (event) => events.push(event),
      onProgress,
      ...index,
      signal: new AbortController().signal,
    });
    await index.store.save();
    const damaged = events.flatMap((event) => (event.type === 'file-damaged' ? event.file : []));
    const summary = events.at(-1);
    if (summary?.type !== 'verify-summary') throw new Error('no summary');
    return { damaged, checked: summary.checked, unchanged: summary.unchanged };
  }

  const DAY_MS = 24 * 3_600_000;

  test('only files that are new, changed, or were not read for a month are read', async () => {
    const first = await addChapter(1);
    await addChapter(2);
    expect(await verifySinceLast()).toEqual({ damaged: [], checked: 2, unchanged: 0 });
    expect(await verifySinceLast()).toEqual({ damaged: [], checked: 0, unchanged: 2 });
    await utimes(first, new Date(0), new Date(0));
    await addChapter(3);
    expect(await verifySinceLast()).toEqual({ damaged: [], checked: 2, unchanged: 1 });
    const later = Date.now() + 31 * DAY_MS;
    expect(await verifySinceLast(later)).toMatchObject({ checked: 3 });
    expect(await verifySinceLast(later)).toMatchObject({ checked: 0 });
  });

  test('a damaged file is reported until it is mended', async () => {
    const file = await addChapter(1);
    const whole = await readFile(file);
    const { mtime } = await stat(file);
    await verifySinceLast();
    await truncate(file, 100);
    expect(await verifySinceLast()).toMatchObject({ damaged: [file], checked: 1 });
    expect(await verifySinceLast()).toMatchObject({ damaged: [file], checked: 1 });
    await writeFile(file, whole);
    await utimes(file, mtime, mtime);
    expect(await verifySinceLast()).toEqual({ damaged: [], checked: 1, unchanged: 0 });
  });

  test('a file that was replaced after it was listed is read again once it is restored', async () => {
    const file = await addChapter(1);
    await utimes(file, 1_000, 1_000);
    const listed = await readFile(file);
    const other = await readFile(await addChapter(10));
    rmSync(input('10.cbz'));
    const replace = () => {
      writeFileSync(file, other);
    };
    const first = await verifySinceLast(Date.now(), join(folder, 'in'), replace);
    expect(first).toMatchObject({ checked: 1 });
    await writeFile(file, listed);
    await utimes(file, 1_000, 1_000);
    expect(opened().store.folder(join(folder, 'in')).knows(file)).toBe(false);
    expect(await verifySinceLast()).toEqual({ damaged: [], checked: 1, unchanged: 0 });
  });

  test('an index that is not readable, or names other things, is like none', async () => {
    const file = await addChapter(1);
    await verifySinceLast();
    const [name = ''] = await readdir(join(folder, 'state', 'files'));
    const entries = { format: 1, files: { [basename(file)]: { size: 1, wholeAtMs: '1' } } };
    for (const content of ['{', '[]', JSON.stringify(entries)]) {
      await writeFile(join(folder, 'state', 'files', name), content);
      expect(await verifySinceLast()).toMatchObject({ checked: 1 });
    }
  });

  test('a file that was checked alone is known in the folders above it', async () => {
    const file = await addChapter(1);
    const { size } = await stat(file);
    await utimes(file, 1_000, 1_000);
    expect(await verifySinceLast(Date.now(), folder)).toMatchObject({ checked: 1 });
    expect(await verifySinceLast(Date.now(), file)).toMatchObject({ checked: 0, unchanged: 1 });
    await writeFile(file, Buffer.alloc(size));
    await utimes(file, 1_000, 1_000);
    const monthLater = Date.now() + 31 * DAY_MS;
    expect(await verifySinceLast(monthLater, file)).toMatchObject({ damaged: [file] });
    expect(await verifySinceLast(Date.now(), folder)).toMatchObject({ damaged: [file] });
  });

  test('a damaged file of another program stays reported in the folders above it', async () => {
    const file = await addChapter(1);
    await writeArchive(file, { '1.png': await testImage('png', 1) });
    const { size } = await stat(file);
    await utimes(file, 1_000, 1_000);
    expect(await verifySinceLast(Date.now(), folder)).toMatchObject({ checked: 1 });
    await writeFile(file, Buffer.alloc(size));
    await utimes(file, 1_000, 1_000);
    const monthLater = Date.now() + 31 * DAY_MS;
    expect(await verifySinceLast(monthLater, file)).toMatchObject({ damaged: [file] });
    expect(await verifySinceLast(Date.now(), folder)).toMatchObject({ damaged: [file] });
  });

  test('a book in a folder that was named itself is not read again', async () => {
    await addChapter(1);
    await bindFolder(folder, { format: 'folder' });
    const { folderBooks } = await listArchives(folder);
    const [book = ''] = folderBooks;
    expect(await verifySinceLast(Date.now(), book)).toMatchObject({ checked: 1 });
    expect(await verifySinceLast(Date.now(), relative('.', book))).toMatchObject({ unchanged: 1 });
  });
});
