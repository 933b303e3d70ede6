/** Books that a bind replaces or removes: one with pages that no other book has is kept for a while. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { formatRecord } from '../../../src/library/record.js';
import { removeExpired } from '../../../src/library/replaced-files.js';
import { readArchive, readComment, writeArchive } from '../../support/archive.js';
import { bindFolder, sha256 } from '../../support/bind-harness.js';
import {
  chapterId,
  testImage,
  writeChapterFile,
  type ChapterFile,
} from '../../support/chapter-files.js';

const NOW_MS = Date.UTC(2026, 10, 25, 12);
const DAY_MS = 86_400_000;
const DAY = '2026-11-25';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-kept-books-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const book = (volume: number, format: string): string =>
  `Lighthouse/Lighthouse Vol.0${volume}.${format}`;
const pathOf = (path: string): string => join(folder, 'out', path);
const replacedFolder = (): string => pathOf('.tankobon-replaced');

/** A chapter with one page, of which `version` gives another one. */
async function addChapter(
  number: number,
  version = 1,
  { hasRecord = true, ...chapter }: Partial<ChapterFile> & { readonly hasRecord?: boolean } = {},
): Promise<void> {
  const image = await testImage('png', 10 * version + number);
  const id = chapterId(number);
  const record = formatRecord({ chapterId: id, version, pages: [sha256(image)] });
  await writeChapterFile(join(folder, 'in', `Ch ${number}.cbz`), {
    id,
    version,
    number: String(number),
    volume: '1',
    images: [image],
    ...(hasRecord && { record }),
    ...chapter,
  });
}

const bind = (format: string, options: Parameters<typeof bindFolder>[1] = {}) =>
  bindFolder(folder, { format: format as 'cbz', nowMs: NOW_MS, ...options });

/** The paths of the kept files, and their digests. */
function kept(): Readonly<Record<string, string>> {
  const day = join(replacedFolder(), DAY);
  const names = existsSync(day) ? readdirSync(day, { recursive: true, encoding: 'utf8' }) : [];
  const files = names.filter((name) => statSync(join(day, name)).isFile()).sort();
  return Object.fromEntries(files.map((name) => [name, sha256(readFileSync(join(day, name)))]));
}

describe.each(['cbz', 'epub', 'pdf'])('%s', (format) => {
  test.each([true, false])(
    'a book that gets one more chapter is not kept (digests of the pages are known: %s)',
    async (hasRecord) => {
      await addChapter(1, 1, { hasRecord });
      await bind(format);
      await addChapter(2, 1, { hasRecord });
      const { events } = await bind(format);
      expect(events).toContainEqual(expect.objectContaining({ type: 'book-saved', chapters: 2 }));
      expect(existsSync(replacedFolder())).toBe(false);
    },
  );

  test.each([true, false])(
    'a book with older pages of a chapter is kept until its time is over (digests are known: %s)',
    async (hasRecord) => {
      await addChapter(1, 1, { hasRecord });
      await bind(format);
      const before = sha256(readFileSync(pathOf(book(1, format))));
      await addChapter(1, 2, { hasRecord });
      await bind(format);
      expect(kept()).toEqual({ [`${book(1, format)}.replaced`]: before });
      const maxAgeMs = 2 * DAY_MS;
      await removeExpired({
        output: dirname(replacedFolder()),
        maxAgeMs,
        nowMs: NOW_MS + maxAgeMs,
      });
      expect(Object.keys(kept())).toHaveLength(1);
      await removeExpired({
        output: dirname(replacedFolder()),
        maxAgeMs,
        nowMs: NOW_MS + maxAgeMs + DAY_MS,
      });
      expect(existsSync(replacedFolder())).toBe(false);
    },
  );

  test.each([1, 2])(
    'a book whose chapters all moved is kept if another one has other pages (version %d)',
    async (version) => {
      await addChapter(1);
      await bind(format);
      const before = sha256(readFileSync(pathOf(book(1, format))));
      await addChapter(1, version, { volume: '2' });
      await bind(format, { inputs: [join(folder, 'in'), join(folder, 'out')] });
      const isRemoved = format !== 'pdf';
      expect(existsSync(pathOf(book(1, format)))).toBe(!isRemoved);
      expect(kept()).toEqual(
        isRemoved && version === 2 ? { [`${book(1, format)}.replaced`]: before } : {},
      );
    },
  );

  test('with the setting 0 nothing is kept', async () => {
    await addChapter(1);
    await bind(format);
    await addChapter(1, 2);
    await bind(format, { keepReplaced: 0 });
    expect(existsSync(replacedFolder())).toBe(false);
  });
});

describe('a book in a folder', () => {
  const page = 'Lighthouse/Vol.01/Ch.001/001.png';

  test('is not kept where it gets one more chapter', async () => {
    await addChapter(1);
    await bind('folder');
    await addChapter(2);
    await bind('folder');
    expect(existsSync(pathOf('Lighthouse/Vol.01/Ch.002/001.png'))).toBe(true);
    expect(existsSync(replacedFolder())).toBe(false);
  });

  test('has its replaced pages kept, with its manifest, until their time is over', async () => {
    await addChapter(1);
    await bind('folder');
    const manifest = 'Lighthouse/Vol.01/.tankobon.json';
    const before = [manifest, page].map((path) => sha256(readFileSync(pathOf(path))));
    await addChapter(1, 2);
    await bind('folder');
    expect(sha256(readFileSync(pathOf(page)))).not.toBe(before[1]);
    expect(kept()).toEqual({
      [`${manifest}.replaced`]: before[0],
      [`${page}.replaced`]: before[1],
    });
    const mine = join(replacedFolder(), DAY, 'Lighthouse/Vol.01/Ch.001/mine.png.replaced');
    writeFileSync(mine, await testImage('png', 99));
    const options = { maxAgeMs: DAY_MS, nowMs: NOW_MS + 2 * DAY_MS };
    await removeExpired({ output: dirname(replacedFolder()), ...options });
    expect(Object.keys(kept())).toHaveLength(2);
    rmSync(mine);
    await removeExpired({ output: dirname(replacedFolder()), ...options });
    expect(existsSync(replacedFolder())).toBe(false);
  });
});

test('a book that loses a chapter to another one, which has its pages, is not kept', async () => {
  await addChapter(1);
  await addChapter(2);
  await bind('cbz');
  await addChapter(2, 1, { volume: '2' });
  const { events } = await bind('cbz', { inputs: [join(folder, 'in'), join(folder, 'out')] });
  expect(events.filter(({ type }) => type === 'book-saved')).toHaveLength(2);
  expect(existsSync(replacedFolder())).toBe(false);
});

test.each(['cbz', 'epub'])(
  '%s: a book of which the owner replaced a page is kept when --force writes it again',
  async (format) => {
    await addChapter(1);
    await bind(format);
    const file = pathOf(book(1, format));
    const image = await testImage('png', 99);
    const entries = await readArchive(file);
    const changed = entries.map(({ name, bytes }) =>
      /c\d+-\d+\.png$/.test(name) ? ([name, image] as const) : ([name, bytes] as const),
    );
    await writeArchive(file, Object.fromEntries(changed), await readComment(file));
    const before = sha256(readFileSync(file));
    await bind(format, { force: true });
    expect(kept()).toEqual({ [`${book(1, format)}.replaced`]: before });
  },
);

test('a book for a device is kept only if it had another version of a chapter', async () => {
  const device = { device: 'kobo-libra' };
  await addChapter(1);
  await bind('cbz', device);
  await addChapter(2);
  await bind('cbz', { ...device, gamma: 1.4 });
  expect(kept()).toEqual({});
  await addChapter(2, 2);
  await bind('cbz', { ...device, gamma: 1.4 });
  expect(Object.keys(kept())).toHaveLength(1);
});
