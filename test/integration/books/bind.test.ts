/** Chapters bound into books: the bytes of the images, what is skipped and rebuilt, and bad input. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { formatRecord, parseRecords } from '../../../src/library/record.js';
import { scanLibrary } from '../../../src/library/scan.js';
import { readArchive, readEntry, writeArchive } from '../../support/archive.js';
import { bindFolder, fileDigest, imageDigests, sha256 } from '../../support/bind-harness.js';
import {
  chapterId,
  testImage,
  writeChapterFile,
  type ChapterFile,
} from '../../support/chapter-files.js';
import { schemaErrors } from '../../support/comic-info-schema.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-bind-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const input = (name: string) => join(folder, 'in', name);
const output = (name: string) => join(folder, 'out', 'Lighthouse', name);

async function addChapter(number: number, chapter: Partial<ChapterFile> = {}): Promise<string> {
  return writeChapterFile(input(`Ch ${number}.cbz`), {
    id: chapterId(number),
    version: 1,
    number: String(number),
    volume: '1',
    title: `Part ${number}`,
    translators: ['Group A'],
    images: [await testImage('jpeg', number), await testImage('png', number)],
    ...chapter,
  });
}

describe('every format', () => {
  test('contains the images byte for byte, in reading order', async () => {
    const images = await Promise.all(
      (['jpeg', 'png', 'gif', 'webp'] as const).map((format) => testImage(format, 5)),
    );
    const [jpg, png, gif, webp] = images.map(sha256);
    await addChapter(2, { images: images.slice(2) });
    await addChapter(1, { images: images.slice(0, 2) });
    const { books } = await bindFolder(folder);
    await bindFolder(folder, { format: 'epub' });
    await bindFolder(folder, { format: 'folder' });
    expect(books.map(({ status }) => status)).toEqual(['saved']);
    for (const name of ['Lighthouse Vol.01.cbz', 'Lighthouse Vol.01.epub'])
      expect(await imageDigests(output(name))).toEqual([jpg, png, gif, webp]);
    const files = ['Ch.001/001.jpg', 'Ch.001/002.png', 'Ch.002/001.gif', 'Ch.002/002.webp'];
    const digests = files.map((name) => sha256(readFileSync(join(output('Vol.01'), name))));
    expect(digests).toEqual([jpg, png, gif, webp]);
  });

  test.each(['cbz', 'epub', 'pdf'] as const)(
    '%s: the same input gives the same bytes',
    async (format) => {
      await addChapter(1, { images: [await testImage('png', 1, { alpha: true })] });
      await addChapter(2);
      const name = output(`Lighthouse Vol.01.${format}`);
      await bindFolder(folder, { format });
      const first = await fileDigest(name);
      await bindFolder(folder, { format, force: true, inputs: [input('Ch 2.cbz'), input('.')] });
      expect(await fileDigest(name)).toBe(first);
    },
  );

  test.each([
    ['cbz', 'Lighthouse Vol.01.cbz'],
    ['epub', 'Lighthouse Vol.01.epub'],
    ['pdf', 'Lighthouse Vol.01.pdf'],
    ['folder', 'Vol.01'],
  ] as const)(
    '%s: is skipped if it has all chapters, and rebuilt if one is new',
    async (format, name) => {
      await addChapter(1);
      await bindFolder(folder, { format });
      expect((await bindFolder(folder, { format })).events).toContainEqual({
        type: 'book-skipped',
        file: output(name),
        reason: 'already-there',
      });
      await addChapter(3);
      const { books, events } = await bindFolder(folder, { format });
      expect(books.map(({ status }) => status)).toEqual(['saved']);
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'book-planned', missing: ['2'] }),
      );
      expect(readdirSync(join(folder, 'out', 'Lighthouse'))).toEqual([name]);
    },
  );

  test('leaves a foreign folder with a name like our temporary ones', async () => {
    await addChapter(1);
    const hash = sha256(Buffer.from('Lighthouse Vol.01.cbz')).slice(0, 12);
    const names = [
      `.Lighthouse Vol.01.cbz.${hash}.tmp`,
      `.Lighthouse Vol.01.cbz.${hash}.old`,
      `.Lighthouse Vol.01.cbz.${hash}.0123abcd-1-0123456789ab.tmp`,
      `.Vol.01.0123456789ab.tmp`,
    ];
    for (const name of names) {
      mkdirSync(output(name), { recursive: true });
      for (const file of ['mine.txt', '001.png']) writeFileSync(output(join(name, file)), 'mine');
    }
    expect((await bindFolder(folder)).books).toMatchObject([{ status: 'saved' }]);
    expect(readdirSync(output('.')).sort()).toEqual([...names, 'Lighthouse Vol.01.cbz'].sort());
    for (const name of names)
      expect(readdirSync(output(name)).sort()).toEqual(['001.png', 'mine.txt']);
  });

  test.each(['cbz', 'epub', 'pdf', 'folder'] as const)(
    '%s: a scan of the library finds the chapters in it',
    async (format) => {
      await addChapter(1);
      await addChapter(2);
      await bindFolder(folder, { format });
      const library = await scanLibrary(join(folder, 'out'));
      expect([library.find(chapterId(1)), library.find(chapterId(2))]).toEqual([
        expect.objectContaining({ chapterId: chapterId(1), isBound: true }),
        expect.objectContaining({ chapterId: chapterId(2), isBound: true }),
      ]);
      expect([library.damaged, library.unidentified]).toEqual([[], []]);
    },
  );
});

describe('a volume', () => {
  test('begins with its cover and has a bookmark for each chapter and merged credits', async () => {
    const cover = await testImage('jpeg', 9);
    await addChapter(1, { writers: ['Ann'] });
    await addChapter(2, { writers: ['Ann', 'Bob'], translators: ['Group B'] });
    writeFileSync(input('cover Vol.01.jpg'), cover);
    await bindFolder(folder);
    const file = output('Lighthouse Vol.01.cbz');
    const names = (await readArchive(file)).map(({ name }) => name);
    expect(names).toEqual([
      'META-INF/tankobon.json',
      'c000-cover.jpg',
      'c001-001.jpg',
      'c001-002.png',
      'c002-001.jpg',
      'c002-002.png',
      'ComicInfo.xml',
    ]);
    const xml = await readEntry(file, 'ComicInfo.xml');
    expect(await schemaErrors([xml])).toEqual([]);
    expect(xml).toContain('<Volume>1</Volume>');
    expect(xml).toContain('<Writer>Ann, Bob</Writer>');
    expect(xml).toContain('<Translator>Group A, Group B</Translator>');
    expect(xml).toMatch(/Image="0" Type="FrontCover"/);
    expect(xml).toMatch(/Image="1" [^>]*Bookmark="Ch. 1 – Part 1"/);
    expect(xml).toMatch(/Image="3" [^>]*Bookmark="Ch. 2 – Part 2"/);
  });

  test('names what was known of each chapter, also after its files are gone', async () => {
    const images = [await testImage('jpeg', 1)];
    const known = {
      chapterId: chapterId(1),
      titleId: chapterId(100),
      version: 1,
      updatedAt: new Date(Date.UTC(2026, 0, 2)),
      quality: 'data',
      pages: images.map(sha256),
    } as const;
    const gone = await addChapter(1, { images, record: formatRecord(known) });
    await bindFolder(folder);
    rmSync(gone);
    await addChapter(2);
    await bindFolder(folder);
    const records = parseRecords(
      await readEntry(output('Lighthouse Vol.01.cbz'), 'META-INF/tankobon.json'),
    );
    expect(records).toMatchObject([known, { chapterId: chapterId(2), version: 1 }]);
  });

  test('keeps the chapters whose files are gone, and can become an EPUB', async () => {
    const gone = await addChapter(1);
    const digests = await imageDigests(gone);
    await bindFolder(folder);
    rmSync(gone);
    digests.push(...(await imageDigests(await addChapter(2))));
    const { books } = await bindFolder(folder);
    expect(books.map(({ status }) => status)).toEqual(['saved']);
    const volume = output('Lighthouse Vol.01.cbz');
    expect(await imageDigests(volume)).toEqual(digests);
    await bindFolder(folder, { format: 'epub', inputs: [volume] });
    expect(await imageDigests(output('Lighthouse Vol.01.epub'))).toEqual(digests);
  });

  test('is made of CBZ files of other programs too: compressed, with other names, without ComicInfo', async () => {
    const [second, tenth] = await Promise.all([testImage('png', 2), testImage('jpeg', 10)]);
    const [jfif, jpe] = await Promise.all([testImage('jpeg', 11), testImage('jpeg', 12)]);
    const [dotted, large] = await Promise.all([testImage('jpeg', 13), testImage('jpeg', 14)]);
    mkdirSync(join(folder, 'in'));
    await writeArchive(input('[Group] Lighthouse v01 c001.cbz'), {
      '__MACOSX/2.png': 'not a page',
      '@eaDir/2.png': 'not a page',
      'notes.txt': 'not a page',
      '10.jpg': tenth,
      '2.png': second,
      // Windows and old browsers save JPEG files under these names.
      '11.jfif': jfif,
      '12.jpe': jpe,
      // Twitter gives images such names.
      '13.jpg_large': large,
      '...and before/13.jpg': dotted,
    });
    expect((await bindFolder(folder)).errors).toEqual([]);
    const file = output('Lighthouse Vol.01.cbz');
    const pages = [dotted, second, tenth, jfif, jpe, large];
    expect(await imageDigests(file)).toEqual(pages.map(sha256));
    const names = (await readArchive(file)).map(({ name }) => name);
    expect(names.filter((name) => /\.(jpg|png)$/.test(name))).toHaveLength(pages.length);
  });

  test.each(['cbz', 'epub', 'pdf', 'folder'] as const)(
    '%s: has the new pages of a chapter whose file was replaced, wherever the book is',
    async (format) => {
      mkdirSync(join(folder, 'in'));
      const put = async (number: number, seeds: readonly number[], comicInfo?: string) =>
        writeArchive(input(`Lighthouse v01 c00${number}.cbz`), {
          ...Object.fromEntries(
            await Promise.all(
              seeds.map(
                async (seed, page) => [`${page}.png`, await testImage('png', seed)] as const,
              ),
            ),
          ),
          ...(comicInfo !== undefined && { 'ComicInfo.xml': comicInfo }),
        });
      for (const number of [1, 2, 3]) await put(number, [number]);
      // The names of one folder come before those of the chapters, and those of the other after them.
      const outputs = [join(folder, 'a'), join(folder, 'z')];
      for (const output of outputs) await bindFolder(folder, { format, output });
      await put(2, [20, 21, 22]);
      await put(3, [3], '<ComicInfo><Title>The end</Title></ComicInfo>');
      for (const output of outputs) {
        const { errors, events } = await bindFolder(folder, { format, output });
        expect(errors).toEqual([]);
        expect(events).toContainEqual(expect.objectContaining({ type: 'book-saved', pages: 5 }));
        const again = await bindFolder(folder, { format, output });
        expect(again.books.map(({ status }) => status)).toEqual(['skipped']);
      }
    },
  );

  test('is bound into the folder of its chapters without a word of a chapter whose file was replaced', async () => {
    mkdirSync(join(folder, 'in'));
    for (const seed of [1, 2]) {
      await writeArchive(input('Lighthouse v01 c001.cbz'), {
        '1.png': await testImage('png', seed),
      });
      const { events } = await bindFolder(folder, { output: join(folder, 'in') });
      expect(events.map(({ type }) => type)).toEqual([
        'book-planned',
        'book-saved',
        'bind-summary',
      ]);
    }
    const book = input('Lighthouse/Lighthouse Vol.01.cbz');
    expect(await imageDigests(book)).toEqual([sha256(await testImage('png', 2))]);
  });

  test('keeps a chapter whose file is gone, if it is not certain which of several replaced it', async () => {
    mkdirSync(join(folder, 'in'));
    const put = async (name: string, seed: number) =>
      writeArchive(input(name), { '1.png': await testImage('png', seed) });
    await put('Lighthouse v01 c001.cbz', 1);
    await put('Lighthouse v01 c001 - Extra.cbz', 2);
    await bindFolder(folder);
    rmSync(input('Lighthouse v01 c001 - Extra.cbz'));
    await put('Lighthouse v01 c001.cbz', 3);
    await bindFolder(folder, { force: true });
    const digests = await imageDigests(output('Lighthouse Vol.01.cbz'));
    expect(digests).toContain(sha256(await testImage('png', 2)));
  });

  test('has the pages of an archive that has them in a folder with a dot', async () => {
    mkdirSync(join(folder, 'in'));
    const image = await testImage('png', 1);
    await writeArchive(input('Lighthouse v01 c001.cbz'), {
      '.hack 01/1.png': image,
      '.hack 01/._1.png': 'not a page',
      '__MACOSX/.hack 01/._1.png': 'not a page',
    });
    expect((await bindFolder(folder)).errors).toEqual([]);
    expect(await imageDigests(output('Lighthouse Vol.01.cbz'))).toEqual([sha256(image)]);
  });

  test('has all pages of such an archive with a cover outside the folder, and none of thumbnails', async () => {
    mkdirSync(join(folder, 'in'));
    const images = await Promise.all([1, 2, 3, 4].map((page) => testImage('png', page)));
    const [cover = Buffer.of(), ...pages] = images;
    await writeArchive(input('Lighthouse v01 c001.cbz'), {
      ...Object.fromEntries(pages.map((page, index) => [`.hack 01/${index}.png`, page])),
      ...Object.fromEntries(pages.map((_, index) => [`.thumbnails/${index}.png`, cover])),
      'a cover.png': cover,
    });
    expect((await bindFolder(folder)).errors).toEqual([]);
    const digests = await imageDigests(output('Lighthouse Vol.01.cbz'));
    expect(new Set(digests)).toEqual(new Set(images.map(sha256)));
    expect(digests).toHaveLength(4);
  });

  test('has all files of one number whose names say different things, and one of each release', async () => {
    const names = [
      'Ch. 5 [Owls]',
      'Ch. 5 - Fog [Larks]',
      'Ch. 6',
      'Ch. 6 (1)',
      'Ch. 6 - Extra',
      'Ch. 7 (前編)',
      'Ch. 7 (後編)',
      'Ch. 8',
      'Ch. 8 & 9',
    ];
    mkdirSync(join(folder, 'in', 'Lighthouse'), { recursive: true });
    for (const [index, name] of names.entries())
      await writeArchive(input(`Lighthouse/${name}.cbz`), {
        '1.png': await testImage('png', index),
      });
    const chosen = async () => {
      const { errors, events } = await bindFolder(folder, { by: 'title', inputs: [folder] });
      const digests = await imageDigests(output('Lighthouse (all).cbz'));
      const images = await Promise.all(names.map((_, index) => testImage('png', index)));
      return {
        errors,
        warnings: events.flatMap((event) => (event.type === 'warning' ? [event.message] : [])),
        names: names.filter((_, index) => digests.includes(sha256(images[index] ?? Buffer.of()))),
      };
    };
    const all = [
      expect.stringMatching(/^Ch\. 5/),
      expect.stringMatching(/^Ch\. 6( \(1\))?$/),
      'Ch. 6 - Extra',
      'Ch. 7 (前編)',
      'Ch. 7 (後編)',
      'Ch. 8',
      'Ch. 8 & 9',
    ];
    const warning =
      /^Several files have one number, and all are bound, since the rest of their names differs: Ch\. 6.*, Ch\. 7 \(前編\)\.cbz, Ch\. 7 \(後編\)\.cbz$/;
    const warnings = [expect.stringMatching(warning)];
    expect(await chosen()).toEqual({ errors: [], warnings, names: all });
    // The book is read too now, and stays as it is, also without the files.
    expect(await chosen()).toEqual({ errors: [], warnings, names: all });
    rmSync(join(folder, 'in'), { recursive: true });
    expect(await chosen()).toEqual({ errors: [], warnings: [], names: all });
  });

  test('has the numbers that names of files say for certain, in the order of the numbers', async () => {
    const image = await testImage('png', 1);
    const names = ['010', '2 - Storm', 'ch 7,5', '第8話', '3-5', '6v2', '[0001] Fog 12 13 x'];
    for (const name of names) {
      mkdirSync(join(folder, 'in', 'Lighthouse', 'Volume 1'), { recursive: true });
      await writeArchive(input(`Lighthouse/Volume 1/${name}.cbz`), { '1.png': image });
    }
    const { errors } = await bindFolder(folder, { format: 'folder', by: 'title' });
    const [book = ''] = readdirSync(join(folder, 'out', 'Lighthouse'));
    const chapters = readdirSync(output(book)).filter((name) => !name.includes('.json'));
    const numbered = ['Ch.002', 'Ch.003-5', 'Ch.006', 'Ch.007.5', 'Ch.008', 'Ch.010'];
    expect([errors, chapters]).toEqual([[], [...numbered, 'Chapter']]);
  });

  test('has each part of a chapter, between the chapters before and after it', async () => {
    mkdirSync(join(folder, 'in', 'Lighthouse'), { recursive: true });
    const names = ['Ch 2', 'Ch 3 part 1', 'Ch 3 part 2', 'Ch 4 (1of2)', 'Ch 4 (2of2)', 'Ch 10_5'];
    for (const [index, name] of names.entries())
      await writeArchive(input(`Lighthouse/${name}.cbz`), {
        '1.png': await testImage('png', index),
      });
    const { errors } = await bindFolder(folder, { format: 'folder', by: 'title' });
    const [book = ''] = readdirSync(join(folder, 'out', 'Lighthouse'));
    const chapters = readdirSync(output(book)).filter((name) => !name.includes('.json'));
    expect([errors, chapters]).toEqual([
      [],
      ['Ch.002', 'Ch.003.1', 'Ch.003.2', 'Ch.004.1', 'Ch.004.2', 'Ch.010.5'],
    ]);
  });
});

describe('books in two languages under one name', () => {
  const names = () => readdirSync(join(folder, 'out', 'Lighthouse')).sort();
  const inLanguage = (number: number, language: string) =>
    addChapter(number, { language, volume: '1' });

  test('end with their language, also in a later run that has only one of them', async () => {
    await inLanguage(1, 'en');
    await inLanguage(2, 'fr');
    const books = ['Lighthouse Vol.01 [en].cbz', 'Lighthouse Vol.01 [fr].cbz'];
    expect((await bindFolder(folder)).errors).toEqual([]);
    expect(names()).toEqual(books);
    rmSync(input('Ch 2.cbz'));
    const inputs = [join(folder, 'in'), output(books[0] ?? '')];
    expect((await bindFolder(folder, { inputs })).events.map(({ type }) => type)).toEqual([
      'book-planned',
      'book-skipped',
      'bind-summary',
    ]);
    expect(names()).toEqual(books);
  });

  test('a book that exists keeps its name', async () => {
    await inLanguage(1, 'en');
    await bindFolder(folder);
    const digest = await fileDigest(output('Lighthouse Vol.01.cbz'));
    await inLanguage(2, 'fr');
    const inputs = [join(folder, 'in'), join(folder, 'out')];
    expect((await bindFolder(folder, { inputs })).errors).toEqual([]);
    expect(names()).toEqual(['Lighthouse Vol.01 [fr].cbz', 'Lighthouse Vol.01.cbz']);
    expect(await fileDigest(output('Lighthouse Vol.01.cbz'))).toBe(digest);
  });

  test('a language from a hostile file stays part of the name', async () => {
    await inLanguage(1, 'en');
    await writeArchive(input('Ch 2.cbz'), {
      '1.png': await testImage('png', 2),
      'ComicInfo.xml':
        '<ComicInfo><Series>Lighthouse</Series><Number>2</Number><Volume>1</Volume>' +
        '<LanguageISO>../../../x</LanguageISO></ComicInfo>',
    });
    expect((await bindFolder(folder)).errors).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(['in', 'out']);
    expect(names()).toHaveLength(2);
  });
});

describe('bad input', () => {
  const codesOf = async (options: Parameters<typeof bindFolder>[1] = {}) => {
    try {
      return (await bindFolder(folder, options)).errors.map(({ code }) => code);
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const written = () => readdirSync(join(folder, 'out'), { recursive: true });

  test('a folder without chapters, and a missing file', async () => {
    mkdirSync(join(folder, 'in'));
    mkdirSync(join(folder, 'out'));
    expect(await codesOf()).toBe('nothing-to-bind');
    expect(await codesOf({ inputs: [input('missing.cbz')] })).toBe('nothing-to-bind');
    expect(written()).toEqual([]);
  });

  test('a damaged CBZ, and a page that is not an image', async () => {
    await addChapter(1, { images: [Buffer.from('<html>')] }).catch(() => undefined);
    mkdirSync(join(folder, 'in'), { recursive: true });
    await writeArchive(input('Lighthouse v02 c001.cbz'), { '1.png': '<html>' });
    await writeArchive(input('Lighthouse v03 c001.cbz'), { 'readme.txt': 'no images' });
    writeFileSync(input('Lighthouse v04 c001.cbz'), 'not an archive');
    rmSync(input('Ch 1.cbz.pages'), { recursive: true, force: true });
    expect(await codesOf()).toEqual(['archive-damaged', 'archive-damaged', 'archive-damaged']);
    expect(readdirSync(folder)).toEqual(['in']);
  });

  test('an image that no book can contain is named as that, and not as damaged', async () => {
    mkdirSync(join(folder, 'in'), { recursive: true });
    for (const type of ['bmp', 'jxl', 'tif'])
      await writeArchive(input(`Sea v01 c001 ${type}.cbz`), {
        '1.png': await testImage('png', 1),
        [`2.${type}`]: 'an image',
      });
    const { errors } = await bindFolder(folder);
    const [{ message, hint } = { message: '', hint: '' }] = errors;
    expect(message).toMatch(/^A book cannot contain a (BMP|JXL|TIF) image: 2\.(bmp|jxl|tif) of /);
    expect(hint).toContain('PNG or JPEG');
  });

  test('a page whose bytes were changed', async () => {
    const file = await addChapter(1);
    const bytes = readFileSync(file);
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    mkdirSync(join(folder, 'out'));
    expect(await codesOf()).toEqual(['archive-damaged']);
    expect(written()).toEqual([]);
  });

  test('two books of one language under one name, before anything is written', async () => {
    await addChapter(1);
    await addChapter(2, { volume: '9' });
    mkdirSync(join(folder, 'out'));
    expect(await codesOf({ name: '{series}' })).toBe('bad-option');
    expect(written()).toEqual([]);
    expect(await codesOf({ name: '{series} {volume}' })).toEqual([]);
  });

  test('a cover that is missing, not an image, or truncated', async () => {
    await addChapter(1);
    const cover = join(folder, 'cover.jpg');
    expect(await codesOf({ cover })).toBe('bad-cover');
    writeFileSync(cover, 'text');
    expect(await codesOf({ cover })).toBe('bad-cover');
    writeFileSync(cover, (await testImage('jpeg')).subarray(0, -50));
    expect(await codesOf({ cover })).toBe('bad-cover');
  });

  test('a type that the format cannot contain is named, and converted on demand', async () => {
    await addChapter(1, { images: [await testImage('avif')] });
    const { errors } = await bindFolder(folder, { format: 'epub' });
    expect(errors.map(({ code }) => code)).toEqual(['page-unsupported']);
    expect(errors[0]?.message).toContain('001.avif');
    expect(await codesOf({ format: 'pdf' })).toEqual(['page-unsupported']);
    expect(await codesOf({ format: 'epub', convert: true })).toEqual([]);
  });

  test('an interlaced PNG of few bits is an error in a PDF, unless it is converted', async () => {
    const png = sharp(await testImage('png')).png({
      palette: true,
      colours: 16,
      progressive: true,
    });
    await addChapter(1, { images: [await png.toBuffer()] });
    expect(await codesOf({ format: 'pdf' })).toEqual(['page-unsupported']);
    expect(await codesOf({ format: 'pdf', convert: true })).toEqual([]);
  });

  test.each([
    ['pdf', 'Lighthouse Vol.01.pdf', '%PDF of another program'],
    ['cbz', 'Lighthouse Vol.01.cbz', 'not an archive'],
  ] as const)('a %s of another program in the way stays, also with --force', async (...book) => {
    const [format, name, content] = book;
    await addChapter(1);
    mkdirSync(join(folder, 'out', 'Lighthouse'), { recursive: true });
    writeFileSync(output(name), content);
    for (const force of [false, true]) {
      const { errors } = await bindFolder(folder, { format, force });
      expect(errors).toMatchObject([
        {
          code: 'name-taken',
          hint: 'Remove it or move it away, then run the same command again.',
        },
      ]);
      expect(readFileSync(output(name), 'utf8')).toBe(content);
    }
  });

  test('a PDF is not replaced by one that lacks its chapters', async () => {
    rmSync(
      await addChapter(1).then(async (file) => {
        await bindFolder(folder, { format: 'pdf' });
        return file;
      }),
    );
    await addChapter(2);
    for (const force of [false, true])
      expect(await codesOf({ format: 'pdf', force })).toEqual(['book-incomplete']);
  });

  test('a book does not replace the chapter that it is made of', async () => {
    await addChapter(1);
    const options = { by: 'chapter', output: join(folder, 'in'), name: 'Ch {chapter}' } as const;
    expect(await codesOf(options)).toBe('bad-option');
  });
});
