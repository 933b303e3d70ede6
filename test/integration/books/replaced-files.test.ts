/** What a bind removes and replaces: only its own files, and only when what replaces them is whole. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArchive, readComment, writeArchive } from '../../support/archive.js';
import { bindFolder, fileDigest, imageDigests } from '../../support/bind-harness.js';
import {
  chapterId,
  testImage,
  writeChapterFile,
  type ChapterFile,
} from '../../support/chapter-files.js';
import { posixTest } from '../../support/platform.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-replaced-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const input = (name: string) => join(folder, 'in', name);
const output = (name: string) => join(folder, 'out', 'Lighthouse', name);
const BOOKS = {
  cbz: 'Lighthouse Vol.01.cbz',
  epub: 'Lighthouse Vol.01.epub',
  pdf: 'Lighthouse Vol.01.pdf',
  folder: 'Vol.01',
} as const;
type Format = keyof typeof BOOKS;
const FORMATS = Object.keys(BOOKS) as readonly Format[];
const FILES = ['cbz', 'epub', 'pdf'] as const;

async function addChapter(number: number, chapter: Partial<ChapterFile> = {}): Promise<string> {
  return writeChapterFile(input(`Ch ${number}.cbz`), {
    id: chapterId(number),
    version: 1,
    number: String(number),
    volume: '1',
    images: [await testImage('jpeg', number), await testImage('png', number)],
    ...chapter,
  });
}

/** Does what `download --bind` does. */
const bindAndRemove = (format: Format, options: Parameters<typeof bindFolder>[1] = {}) =>
  bindFolder(folder, { format, removeChapters: true, ...options });

/** A digest for each file of the book, without what changes by itself. */
async function contentOf(format: Format): Promise<readonly string[]> {
  const book = output(BOOKS[format]);
  if (format !== 'folder') return [await fileDigest(book)];
  const names = readdirSync(book, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => statSync(join(book, name)).isFile());
  return Promise.all(files.map(async (name) => `${name} ${await fileDigest(join(book, name))}`));
}

const typesOf = (events: readonly { readonly type: string }[]) =>
  events.map(({ type }) => type).filter((type) => /^book-(saved|skipped|failed)$/.test(type));

describe('chapters of other programs with the same number, title and count of pages', () => {
  const addForeign = async (name: string, seed: number, format: 'png' | 'webp' = 'png') => {
    mkdirSync(join(folder, 'in'), { recursive: true });
    await writeArchive(input(name), {
      [`1.${format}`]: await testImage(format, seed),
      'ComicInfo.xml':
        '<ComicInfo><Series>Lighthouse</Series><Number>1</Number><Volume>1</Volume><LanguageISO>en</LanguageISO></ComicInfo>',
    });
  };

  test.each(FORMATS)(
    '%s: one that only the book has makes way for another, and its pages are kept',
    async (format) => {
      await addForeign('a.cbz', 1);
      await bindFolder(folder, { format });
      rmSync(input('a.cbz'));
      await addForeign('b.cbz', 2);
      expect(typesOf((await bindFolder(folder, { format })).events)).toEqual(['book-saved']);
      const files = readdirSync(join(folder, 'out'), { recursive: true, encoding: 'utf8' });
      expect(files.filter((name) => name.endsWith('.replaced'))).not.toEqual([]);
    },
  );

  test.each(FORMATS)(
    '%s: the same pages in a renamed file are the same chapter',
    async (format) => {
      await addForeign('a.cbz', 1);
      await bindFolder(folder, { format });
      renameSync(input('a.cbz'), input('b.cbz'));
      expect(typesOf((await bindFolder(folder, { format })).events)).toEqual(['book-skipped']);
    },
  );

  test('a book with the shorter keys of an earlier version is written again', async () => {
    await addForeign('a.cbz', 1);
    await bindFolder(folder, { format: 'folder' });
    const manifest = join(output(BOOKS.folder), '.tankobon.json');
    const whole = readFileSync(manifest, 'utf8');
    const older = whole.replace(/("key":"1\|\|1)\|\d+"/, '$1"');
    expect(older).not.toBe(whole);
    writeFileSync(manifest, older);
    expect(typesOf((await bindFolder(folder, { format: 'folder' })).events)).toEqual([
      'book-saved',
    ]);
    expect(readFileSync(manifest, 'utf8')).toBe(whole);
  });

  test.each(['cbz', 'epub', 'pdf'] as const)(
    '%s: converted pages leave the chapter what it was',
    async (format) => {
      await addForeign('a.cbz', 1, 'webp');
      await bindFolder(folder, { format, convert: true });
      const again = await bindFolder(folder, { format, convert: true });
      expect(typesOf(again.events)).toEqual(['book-skipped']);
    },
  );
});

describe.each(['cbz', 'epub'] as const)('a %s that another program changed', (format) => {
  /** Like tools for metadata, it keeps the other entries and the comment. */
  const edit = async () => {
    const book = output(BOOKS[format]);
    const comment = await readComment(book);
    const entries = (await readArchive(book)).map(({ name, bytes }) => [name, bytes] as const);
    await writeArchive(book, { ...Object.fromEntries(entries), 'notes.txt': 'mine' }, comment);
  };
  beforeEach(async () => {
    await addChapter(1);
    await bindFolder(folder, { format });
  });

  test('stays, and so do the chapters that it lacks, until --force is given', async () => {
    await edit();
    const before = await contentOf(format);
    await addChapter(2);
    const { events, errors } = await bindAndRemove(format);
    expect([errors, typesOf(events)]).toEqual([[], ['book-skipped']]);
    expect(events).toContainEqual({
      type: 'warning',
      message: expect.stringContaining('; it lacks chapter 2') as unknown,
      hint: expect.stringContaining('tankobon bind --force ') as unknown,
    });
    expect(await contentOf(format)).toEqual(before);
    expect(readdirSync(join(folder, 'in'))).toEqual(['Ch 1.cbz', 'Ch 2.cbz']);
    expect(typesOf((await bindAndRemove(format, { force: true })).events)).toEqual(['book-saved']);
    expect(readdirSync(join(folder, 'in'))).toEqual([]);
  });

  test('stays if its pages have other names, so that its chapters cannot be read', async () => {
    const book = output(BOOKS[format]);
    const names = (await readArchive(book)).map(({ name }) => name);
    const bytes = readFileSync(book);
    for (const name of names.filter((each) => /c\d+-\d+\.(jpg|png)$/.test(each)))
      // In the entry and in the directory.
      for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name, at + 1))
        if (
          bytes.readUInt32LE(at - 30) === 0x04034b50 ||
          bytes.readUInt32LE(at - 46) === 0x02014b50
        )
          bytes.write('m', at + name.lastIndexOf('c'));
    writeFileSync(book, bytes);
    const before = await contentOf(format);
    await addChapter(2);
    const { events } = await bindAndRemove(format);
    expect(typesOf(events)).toEqual(['book-skipped']);
    expect(await contentOf(format)).toEqual(before);
    expect(readdirSync(join(folder, 'in'))).toEqual(['Ch 1.cbz', 'Ch 2.cbz']);
    expect(typesOf((await bindAndRemove(format, { force: true })).events)).toEqual(['book-saved']);
  });

  test('stays beside its chapters, which are not removed', async () => {
    await edit();
    expect(typesOf((await bindAndRemove(format)).events)).toEqual(['book-skipped']);
    expect(readdirSync(join(folder, 'in'))).toEqual(['Ch 1.cbz']);
  });
});

test.each([
  [
    'a table',
    (at: number, before: number) =>
      `xref\n900 1\n${String(at).padStart(10, '0')} 00000 n \ntrailer\n<< /Size 901 /Prev ${before} >>\n`,
  ],
  [
    'a stream',
    (_: number, before: number) =>
      `901 0 obj\n<< /Type /XRef /Prev ${before} /Length 4 >>\nstream\n\x01\x02\x03\x04\nendstream\nendobj\n`,
  ],
])('a PDF to which a reader appended annotations, with %s, stays', async (_, tableOf) => {
  await addChapter(1);
  await bindFolder(folder, { format: 'pdf' });
  const book = output(BOOKS.pdf);
  const bytes = readFileSync(book);
  const before = Number(/startxref\n(\d+)\n/.exec(bytes.toString('latin1'))?.[1]);
  const note = '900 0 obj\n(mine)\nendobj\n';
  const table = tableOf(bytes.length, before);
  appendFileSync(book, `${note}${table}startxref\r\n${bytes.length + note.length}\r\n%%EOF\r\n`);
  const edited = await contentOf('pdf');
  await addChapter(2);
  expect(typesOf((await bindAndRemove('pdf')).events)).toEqual(['book-skipped']);
  expect([await contentOf('pdf'), readdirSync(join(folder, 'in'))]).toEqual([
    edited,
    ['Ch 1.cbz', 'Ch 2.cbz'],
  ]);
  expect(typesOf((await bindAndRemove('pdf', { force: true })).events)).toEqual(['book-saved']);
});

describe('chapter files are removed only when a whole book has them', () => {
  test.each(FORMATS)('%s: after this run saved the book', async (format) => {
    await addChapter(1);
    await addChapter(2);
    expect(typesOf((await bindAndRemove(format)).events)).toEqual(['book-saved']);
    expect(readdirSync(join(folder, 'in'))).toEqual([]);
  });

  test.each(FORMATS)(
    '%s: after it wrote the book again and found the same bytes',
    async (format) => {
      await addChapter(1);
      await bindFolder(folder, { format });
      const [before, { ino }] = [await contentOf(format), statSync(output(BOOKS[format]))];
      expect(typesOf((await bindAndRemove(format)).events)).toEqual(['book-skipped']);
      expect(readdirSync(join(folder, 'in'))).toEqual([]);
      expect(await contentOf(format)).toEqual(before);
      expect(statSync(output(BOOKS[format])).ino).toBe(ino);
      expect(readdirSync(output('.'))).toEqual([BOOKS[format]]);
    },
  );

  test.each([
    ...FILES.flatMap((format) => [
      [format, 'one byte is wrong', flipByte] as const,
      [format, 'half of it is gone', halve] as const,
    ]),
    ['pdf', 'it is forged', forgePdf] as const,
    ['folder', 'a page is gone', removePage] as const,
  ])('%s: a book of which %s is written again', async (format, _, damage) => {
    await addChapter(1);
    await addChapter(2);
    await bindFolder(folder, { format });
    const whole = await contentOf(format);
    damage(output(BOOKS[format]));
    expect(await contentOf(format)).not.toEqual(whole);
    expect(typesOf((await bindAndRemove(format)).events)).toEqual(['book-saved']);
    expect(await contentOf(format)).toEqual(whole);
    expect(readdirSync(join(folder, 'in'))).toEqual([]);
  });

  test.each(FORMATS)(
    '%s: they stay if the damaged book cannot be written again',
    async (format) => {
      await addChapter(1);
      const second = await addChapter(2);
      await bindFolder(folder, { format });
      const book = output(BOOKS[format]);
      if (format === 'folder') removePage(book);
      else halve(book);
      const damaged = await contentOf(format);
      flipByte(second);
      expect(typesOf((await bindAndRemove(format)).events)).toEqual(['book-failed']);
      expect(await contentOf(format)).toEqual(damaged);
      expect(readdirSync(join(folder, 'in'))).toEqual(['Ch 1.cbz', 'Ch 2.cbz']);
    },
  );

  test.each(['pdf', 'folder'] as const)(
    '%s: they stay beside a book with further chapters, which cannot be written again',
    async (format) => {
      await addChapter(1);
      const second = await addChapter(2);
      await bindFolder(folder, { format });
      const before = await contentOf(format);
      rmSync(second);
      expect(typesOf((await bindAndRemove(format, { force: false })).events)).toEqual([
        'book-skipped',
      ]);
      expect(await contentOf(format)).toEqual(before);
      expect(readdirSync(join(folder, 'in'))).toEqual(['Ch 1.cbz']);
    },
  );

  test.each(['pdf', 'folder'] as const)(
    '%s: a newer version that only the book has is not replaced by an older one',
    async (format) => {
      await addChapter(1, { version: 3 });
      await bindAndRemove(format);
      const before = await contentOf(format);
      await addChapter(1, { version: 2, images: [await testImage('png', 9)] });
      for (const force of [false, true])
        expect((await bindAndRemove(format, { force })).errors).toMatchObject([
          { code: 'book-incomplete' },
        ]);
      expect(await contentOf(format)).toEqual(before);
      expect(readdirSync(join(folder, 'in'))).toEqual(['Ch 1.cbz']);
    },
  );

  test('a truncated book whose other chapters are gone stays, and so do the chapters', async () => {
    rmSync(await addChapter(1).then((file) => bindFolder(folder).then(() => file)));
    await addChapter(2);
    halve(output(BOOKS.cbz));
    const before = await contentOf('cbz');
    expect((await bindAndRemove('cbz')).errors).toMatchObject([{ code: 'book-incomplete' }]);
    expect(await contentOf('cbz')).toEqual(before);
    expect(readdirSync(join(folder, 'in'))).toEqual(['Ch 2.cbz']);
  });

  posixTest('a file without the mark, a link, and one that changed meanwhile stay', async () => {
    const page = await testImage('png', 3);
    await addChapter(1);
    await addChapter(2);
    await writeArchive(input('Ch 3.cbz'), {
      '1.png': page,
      'ComicInfo.xml': `<ComicInfo><Series>Lighthouse</Series><Number>3</Number><Volume>1</Volume><LanguageISO>en</LanguageISO><Web>https://mangadex.org/chapter/${chapterId(3)}</Web></ComicInfo>`,
    });
    const aside = join(folder, 'Ch 4.cbz');
    renameSync(await addChapter(4), aside);
    symlinkSync(aside, input('Ch 4.cbz'));
    const inputs = [1, 2, 3, 4].map((number) => input(`Ch ${number}.cbz`));
    const onPage = () => {
      utimesSync(input('Ch 2.cbz'), 1, 1);
    };
    const { books } = await bindAndRemove('cbz', { inputs, onPage });
    expect(books).toMatchObject([{ status: 'saved' }]);
    expect(await imageDigests(output(BOOKS.cbz))).toHaveLength(7);
    expect(readdirSync(join(folder, 'in'))).toEqual(['Ch 2.cbz', 'Ch 3.cbz', 'Ch 4.cbz']);
    expect(existsSync(aside)).toBe(true);
  });
});

describe('a folder book', () => {
  const manifest = () => output('Vol.01/.tankobon.json');

  test('keeps what the owner added or changed; an edited page is a warning', async () => {
    const first = await addChapter(1);
    await bindFolder(folder, { format: 'folder' });
    mkdirSync(output('Vol.01/scans'));
    const own = ['notes.txt', 'scans/mine.png', 'Ch.001/002.png', 'Ch.001/mine.jpg'];
    for (const name of own) writeFileSync(output(`Vol.01/${name}`), `mine: ${name}`);
    // A new version of the first chapter has one page; the second chapter is new.
    await addChapter(1, { version: 2, images: [await testImage('png', 8)] });
    await addChapter(2);
    const { books, events } = await bindAndRemove('folder');
    expect(books).toMatchObject([{ status: 'saved' }]);
    for (const name of own)
      expect(readFileSync(output(`Vol.01/${name}`), 'utf8')).toBe(`mine: ${name}`);
    expect(readdirSync(output('Vol.01/Ch.001'))).toEqual([
      '001.png',
      '002.png',
      'ComicInfo.xml',
      'mine.jpg',
    ]);
    expect(readdirSync(output('Vol.01/Ch.002'))).toEqual(['001.jpg', '002.png', 'ComicInfo.xml']);
    expect(readdirSync(output('.'))).toEqual(['Vol.01']);
    expect(existsSync(first)).toBe(false);
    expect(events).toContainEqual({ type: 'warning', message: expect.stringContaining('002.png') });
  });

  test('with an edited page is not whole: the warning names the page, and the chapters stay', async () => {
    await addChapter(1);
    await bindFolder(folder, { format: 'folder' });
    writeFileSync(output('Vol.01/Ch.001/001.jpg'), 'edited');
    for (const force of [false, true]) {
      const { events } = await bindAndRemove('folder', { force });
      expect(events).toContainEqual({
        type: 'warning',
        message: `Kept, since it was changed after it was bound: Ch.001/001.jpg in ${output('Vol.01')}`,
      });
      expect(readFileSync(output('Vol.01/Ch.001/001.jpg'), 'utf8')).toBe('edited');
      expect(readdirSync(join(folder, 'in'))).toEqual(['Ch 1.cbz']);
    }
  });

  test('a folder of another program is not a book, whatever its manifest is', async () => {
    await addChapter(1);
    const link = join(folder, 'manifest.json');
    const makers: readonly (() => void)[] = [
      () => undefined,
      () => {
        writeFileSync(manifest(), '{"chapters":[]}');
      },
      () => {
        writeFileSync(link, JSON.stringify({ chapters: [{ key: `${chapterId(1)}@1` }] }));
        symlinkSync(link, manifest());
      },
      () => {
        execFileSync('mkfifo', [manifest()]);
      },
      () => {
        writeFileSync(manifest(), JSON.stringify({ chapters: [{ key: `${chapterId(1)}@1` }] }));
        truncateSync(manifest(), 2 ** 31);
      },
    ];
    for (const make of makers.slice(0, process.platform === 'win32' ? 2 : undefined)) {
      mkdirSync(output('Vol.01'), { recursive: true });
      writeFileSync(output('Vol.01/notes.txt'), 'mine');
      make();
      for (const force of [false, true]) {
        const { errors } = await bindAndRemove('folder', { force });
        expect(errors).toMatchObject([{ code: 'name-taken' }]);
        expect(readFileSync(output('Vol.01/notes.txt'), 'utf8')).toBe('mine');
      }
      rmSync(output('.'), { recursive: true });
    }
    expect(readdirSync(join(folder, 'in'))).toEqual(['Ch 1.cbz']);
  });

  test('a manifest cannot name files outside of the folder', async () => {
    await addChapter(1);
    await bindFolder(folder, { format: 'folder' });
    writeFileSync(join(folder, 'outside.txt'), 'kept');
    const digest = await fileDigest(join(folder, 'outside.txt'));
    const text = readFileSync(manifest(), 'utf8').replace(
      '"files":{',
      `"files":{"../../../outside.txt":"${digest}","../outside.txt":"${digest}",`,
    );
    writeFileSync(manifest(), text);
    writeFileSync(output('outside.txt'), 'kept');
    await addChapter(2);
    expect((await bindAndRemove('folder')).books).toMatchObject([{ status: 'saved' }]);
    expect(existsSync(output('outside.txt'))).toBe(true);
    expect(existsSync(join(folder, 'outside.txt'))).toBe(true);
  });
});

posixTest.each(FORMATS)('%s: a file that is rewritten keeps its mode', async (format) => {
  await addChapter(1);
  await bindFolder(folder, { format });
  const file = output(format === 'folder' ? 'Vol.01/Ch.001/001.jpg' : BOOKS[format]);
  chmodSync(file, 0o640);
  await addChapter(1, { version: 2, images: [await testImage('jpeg', 7)] });
  expect((await bindFolder(folder, { format })).books).toMatchObject([{ status: 'saved' }]);
  expect(statSync(file).mode & 0o777).toBe(0o640);
});

posixTest('a link in the place of a book stays', async () => {
  await addChapter(1);
  await bindFolder(folder);
  const elsewhere = join(folder, 'elsewhere.cbz');
  renameSync(output(BOOKS.cbz), elsewhere);
  symlinkSync(elsewhere, output(BOOKS.cbz));
  const before = await fileDigest(elsewhere);
  await addChapter(2);
  expect((await bindAndRemove('cbz', { force: true })).errors).toMatchObject([
    { code: 'name-taken' },
  ]);
  expect(await fileDigest(elsewhere)).toBe(before);
  expect(readdirSync(join(folder, 'in'))).toEqual(['Ch 1.cbz', 'Ch 2.cbz']);
});

test('a bad cover beside the chapters is a warning', async () => {
  await addChapter(1);
  writeFileSync(input('cover.jpg'), 'not an image');
  const { books, events } = await bindFolder(folder);
  expect(books).toMatchObject([{ status: 'saved' }]);
  expect(events).toContainEqual({
    type: 'warning',
    message: `Bound without a cover: The cover is not an image: ${input('cover.jpg')}`,
  });
});

test('a cover beside the chapters that the format cannot contain is a warning', async () => {
  await addChapter(1);
  writeFileSync(input('cover.webp'), await testImage('webp'));
  const { books, events } = await bindFolder(folder, { format: 'pdf' });
  expect(books).toMatchObject([{ status: 'saved' }]);
  expect(events).toContainEqual({
    type: 'warning',
    message: `Bound without a cover: PDF cannot contain WEBP: ${input('cover.webp')}`,
  });
});

test.each(['png', 'gif'] as const)(
  'a damaged %s cover beside the chapters is a warning, and the PDF has every page',
  async (format) => {
    await addChapter(1);
    const cover = input(`cover.${format}`);
    const image = await testImage(format, 9, { alpha: format === 'png' });
    writeFileSync(cover, image.fill(0xff, image.length - 90, image.length - 30));
    const { books, errors, events } = await bindFolder(folder, { format: 'pdf' });
    expect({ books, errors }).toMatchObject({ books: [{ status: 'saved' }], errors: [] });
    expect(events).toContainEqual({
      type: 'warning',
      message: expect.stringMatching(
        /^Bound without a cover: Damaged page: .*cover\.(png|gif)/,
      ) as unknown,
    });
    expect(events).toContainEqual(expect.objectContaining({ type: 'book-saved', pages: 2 }));
  },
);

function flipByte(file: string): void {
  const bytes = readFileSync(file);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

function halve(file: string): void {
  truncateSync(file, statSync(file).size >> 1);
}

function forgePdf(file: string): void {
  const chapters = [1, 2].map((number) => ({
    chapterId: chapterId(number),
    key: `${chapterId(number)}@1`,
  }));
  writeFileSync(file, `%PDF-1.5\n%tankobon ${JSON.stringify({ chapters })}\n`);
  appendFileSync(file, 'startxref\n0\n%%EOF\n');
}

function removePage(book: string): void {
  rmSync(join(book, 'Ch.001', '001.jpg'));
}
