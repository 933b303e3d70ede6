/** Books for a device: formats, parts, what is replaced, what stays, and bad images. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { formatRecord } from '../../../src/library/record.js';
import { scanLibrary } from '../../../src/library/scan.js';
import { readArchive, readEntry, writeArchive } from '../../support/archive.js';
import { bindFolder, fileDigest, sha256 } from '../../support/bind-harness.js';
import {
  chapterId,
  testImage,
  writeChapterFile,
  type ChapterFile,
} from '../../support/chapter-files.js';
import { longRunRows } from '../../support/long-run.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-device-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const output = (name: string) => join(folder, 'out', 'Lighthouse', name);
const outputNames = () => readdirSync(output('.')).sort();

async function addChapter(number: number, chapter: Partial<ChapterFile> = {}): Promise<string> {
  return writeChapterFile(join(folder, 'in', `Ch ${number}.cbz`), {
    id: chapterId(number),
    version: 1,
    number: String(number),
    volume: '1',
    images: [await testImage('jpeg', number), await testImage('png', number)],
    ...chapter,
  });
}

/** A gray image of 300 × 450 pixels that no format makes small: a gradient, and noise of so many tones. */
function noise(seed: number, tones = 256): Promise<Buffer> {
  const [width, height] = [300, 450];
  const pixels = Buffer.alloc(width * height);
  let state = seed;
  for (const index of pixels.keys()) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    const gradient = ((index % width) / width) * (256 - tones);
    pixels[index] = gradient + (((state >> 16) & 255) * tones) / 256;
  }
  return sharp(pixels, { raw: { width, height, channels: 1 } })
    .jpeg({ quality: 85 })
    .toBuffer();
}

const statuses = ({ books }: Awaited<ReturnType<typeof bindFolder>>) =>
  books.map(({ status }) => status);

async function imagesIn(file: string) {
  const entries = await readArchive(file);
  const images = entries.filter(({ name }) => /\.(jpg|png)$/.test(name));
  return Promise.all(
    images.map(async ({ name, bytes }) => {
      const { width, height, channels, format } = await sharp(bytes).metadata();
      return { name: name.replace(/^.*\//, ''), width, height, channels, format };
    }),
  );
}

describe('pages', () => {
  test('have the size and the colors of the screen, and the chapters stay as they are', async () => {
    const wide = await testImage('png', 3, { width: 90, height: 60 });
    const colored = await sharp({
      create: { width: 60, height: 90, channels: 3, background: '#d03040' },
    })
      .png()
      .toBuffer();
    const chapter = await addChapter(1, { images: [await testImage('jpeg', 1), wide, colored] });
    const before = await fileDigest(chapter);
    await bindFolder(folder, { device: '30x40', name: 'color', crop: false });
    expect(await imagesIn(join(folder, 'out', 'color.cbz'))).toMatchObject([
      { name: 'c001-001.png', width: 27, height: 40 },
      { name: 'c001-002-1.jpg', width: 30, height: 40 },
      { name: 'c001-002-2.jpg', width: 30, height: 40 },
      { name: 'c001-003.jpg', width: 27, height: 40, channels: 3 },
    ]);
    await bindFolder(folder, { device: 'kobo-nia', name: 'gray', format: 'cbz', crop: false });
    const gray = await imagesIn(join(folder, 'out', 'gray.cbz'));
    expect(gray.map(({ channels }) => channels)).toEqual([1, 1, 1, 1]);
    expect(gray.at(-1)).toMatchObject({ width: 60, height: 90 });
    expect(await fileDigest(chapter)).toBe(before);
  });

  test('of every type of image are accepted, with transparency as paper, and 16 bits', async () => {
    const images = await Promise.all(
      (['jpeg', 'png', 'gif', 'webp', 'avif'] as const).map((format) => testImage(format, 2)),
    );
    const clear = await sharp({
      create: { width: 60, height: 90, channels: 4, background: '#00000000' },
    })
      .png()
      .toBuffer();
    const deep = await sharp(images[0]).toColourspace('rgb16').png().toBuffer();
    const turned = await sharp(images[0]).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    await addChapter(1, { images: [...images, clear, deep, turned] });
    const result = await bindFolder(folder, { device: 'boox-page', spread: 'keep' });
    expect(statuses(result)).toEqual(['saved']);
    const file = output('Lighthouse Vol.01.cbz');
    expect(await imagesIn(file)).toHaveLength(8);
    const entries = await readArchive(file);
    const page = entries.find(({ name }) => name.startsWith('c001-006'))?.bytes;
    const { data } = await sharp(page).raw().toBuffer({ resolveWithObject: true });
    expect(Math.min(...data)).toBe(255);
    expect((await imagesIn(file)).at(-1)).toMatchObject({ width: 90, height: 60 });
  });

  test('of gray are PNG of 16 levels where that is smaller than JPEG', async () => {
    const flat = await sharp({
      create: { width: 600, height: 900, channels: 3, background: '#888888' },
    })
      .png()
      .toBuffer();
    const soft = await noise(1, 24);
    await addChapter(1, { images: [flat, soft] });
    await bindFolder(folder, { device: 'boox-page' });
    const file = output('Lighthouse Vol.01.cbz');
    const pages = await imagesIn(file);
    expect(pages.map(({ format }) => format)).toEqual(['png', 'jpeg']);
    const png = (await readArchive(file)).find(({ name }) => name.endsWith('.png'))?.bytes;
    // Bit depth and color type (PNG, 11.2.1).
    expect([png?.[24], png?.[25]]).toEqual([4, 0]);
    const { data } = await sharp(png, { failOn: 'warning' })
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(new Set(data)).toEqual(new Set([0x88]));
  });

  test('are the same bytes for the same input', async () => {
    await addChapter(1);
    await addChapter(2);
    await bindFolder(folder, { device: 'kindle-basic' });
    const first = await fileDigest(output('Lighthouse Vol.01.epub'));
    await bindFolder(folder, { device: 'kindle-basic', force: true });
    expect(await fileDigest(output('Lighthouse Vol.01.epub'))).toBe(first);
  });

  test('that are hostile, or damaged since they were saved, fail the book, and nothing is left', async () => {
    const jpeg = await testImage('jpeg', 1, { width: 300, height: 300 });
    const half = jpeg.subarray(0, jpeg.length / 2);
    const bomb = await testImage('png', 1);
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    const saved = await testImage('jpeg', 1);
    const record = formatRecord({ chapterId: chapterId(1), pages: [saved, jpeg].map(sha256) });
    for (const [image, message] of [
      [bomb, 'GB decoded'],
      [half, 'Damaged page'],
    ] as const) {
      await addChapter(1, { images: [saved, image], record });
      const result = await bindFolder(folder, { device: 'kobo-libra' });
      expect(statuses(result)).toEqual(['failed']);
      expect(result.errors[0]).toMatchObject({ code: 'archive-damaged' });
      expect(result.errors[0]?.message).toContain(message);
      expect(existsSync(join(folder, 'out'))).toBe(false);
      rmSync(join(folder, 'in'), { recursive: true });
    }
  });

  test('that are broken as they were uploaded end no book: what can be read of them is there', async () => {
    const jpeg = await testImage('jpeg', 1, { width: 300, height: 300 });
    const half = jpeg.subarray(0, jpeg.length / 2);
    const png = await testImage('png', 7, { width: 200, height: 300 });
    png.fill(0xff, png.length / 2, png.length - 20);
    const noSize = Buffer.from('ffd8ffe000104a46494600ffd9', 'hex');
    const images = [await testImage('jpeg', 1), half, png, noSize, await testImage('png', 2)];
    const record = formatRecord({ chapterId: chapterId(1), pages: images.map(sha256) });
    await addChapter(1, { images, record });
    for (const format of ['cbz', 'epub', 'pdf'] as const) {
      const result = await bindFolder(folder, { device: 'kobo-libra', format, force: true });
      expect([format, result.errors, statuses(result)]).toEqual([format, [], ['saved']]);
      const warnings = result.events.flatMap((each) =>
        each.type === 'warning' ? each.message : [],
      );
      const ofPage = (page: string) => warnings.find((each) => each.includes(`00${page} of `));
      expect(warnings).toHaveLength(3);
      for (const page of ['2.jpg', '3.png'])
        expect(ofPage(page)).toContain('what can be read of it is in the book');
      expect(ofPage('4.jpg')).toContain(
        format === 'pdf' ? 'an empty page is in its place' : 'it is in the book as it is',
      );
    }
    const book = await readArchive(output('Lighthouse Vol.01.cbz'));
    const pages = book.filter(({ name }) => /\.(jpg|png)$/.test(name));
    expect(pages).toHaveLength(5);
    expect(pages[3]?.bytes).toEqual(noSize);
    const { data, info } = await sharp(pages[1]?.bytes).raw().toBuffer({ resolveWithObject: true });
    const rows = (from: number, to: number) =>
      new Set(data.subarray(Math.floor(data.length * from), Math.floor(data.length * to)));
    expect(info.height).toBeGreaterThan(100);
    expect(rows(0, 0.3).size).toBeGreaterThan(3);
  });

  test('that are not images of the supported types are never passed to the decoder', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    mkdirSync(join(folder, 'in'));
    const images = { '001.jpg': await testImage('jpeg', 1), '002.png': svg };
    await writeArchive(join(folder, 'in', 'Lighthouse v01 c001.cbz'), images);
    const { errors } = await bindFolder(folder, { device: 'kobo-libra' });
    expect(errors[0]?.message).toMatch(
      /^Damaged page: it is not a JPEG, PNG, GIF, WebP or AVIF image: 002.png of /,
    );
  });

  test('that are interrupted leave nothing', async () => {
    const images = await Promise.all([1, 2, 3, 4, 5, 6].map((seed) => testImage('jpeg', seed)));
    await addChapter(1, { images });
    const controller = new AbortController();
    const bound = bindFolder(folder, {
      device: '30x40',
      format: 'epub',
      signal: controller.signal,
      onPage: () => {
        controller.abort(new Error('stopped'));
      },
    });
    await expect(bound).rejects.toThrow('stopped');
    expect(existsSync(join(folder, 'out'))).toBe(false);
  });
});

describe('formats', () => {
  test.each([
    ['kobo-libra', 'Lighthouse Vol.01.kepub.epub'],
    ['remarkable-2', 'Lighthouse Vol.01.pdf'],
    // The tests of properties and of covers have them too.
    ...longRunRows(
      ['kindle-paperwhite', 'Lighthouse Vol.01.epub'],
      ['boox-page', 'Lighthouse Vol.01.cbz'],
    ),
  ])('%s reads %s, and a second run does nothing', async (device, name) => {
    await addChapter(1);
    expect(statuses(await bindFolder(folder, { device }))).toEqual(['saved']);
    expect(outputNames()).toEqual([name]);
    const again = await bindFolder(folder, { device });
    expect(statuses(again)).toEqual(['skipped']);
    expect(again.events.some(({ type }) => type === 'book-saved')).toBe(false);
  });

  test('another profile means other pages', async () => {
    await addChapter(1);
    const options = { device: '30x40', format: 'epub' } as const;
    expect(statuses(await bindFolder(folder, options))).toEqual(['saved']);
    expect(statuses(await bindFolder(folder, { ...options, gamma: 1.5 }))).toEqual(['saved']);
    expect(outputNames()).toEqual(['Lighthouse Vol.01.epub']);
  });

  test('--format overrides that of the device', async () => {
    await addChapter(1);
    await bindFolder(folder, { device: 'kobo-libra', format: 'folder' });
    await bindFolder(folder, { device: 'kobo-libra', format: 'cbz' });
    expect(outputNames()).toEqual(['Lighthouse Vol.01.cbz', 'Vol.01']);
    expect(statuses(await bindFolder(folder, { device: 'kobo-libra', format: 'folder' }))).toEqual([
      'skipped',
    ]);
  });

  test('an EPUB has the screen as viewport and resolution, and the properties that the maker reads', async () => {
    await addChapter(1, {
      images: await Promise.all([1, 2, 3].map((seed) => testImage('jpeg', seed))),
    });
    for (const [device, file, property] of [
      ['kindle-paperwhite', 'Lighthouse Vol.01.epub', '"page-spread-right"'],
      ['kobo-libra', 'Lighthouse Vol.01.kepub.epub', '"rendition:page-spread-right"'],
    ] as const) {
      await bindFolder(folder, { device });
      const opf = await readEntry(output(file), 'OEBPS/content.opf');
      const size = device === 'kobo-libra' ? '1264x1680' : '1272x1696';
      expect(opf).toContain(`<meta name="original-resolution" content="${size}"/>`);
      expect(opf).toContain(`properties=${property}`);
      const page = await readEntry(output(file), 'OEBPS/pages/c001-002.xhtml');
      expect(page).toContain(`content="width=${size.replace('x', ', height=')}"`);
      expect(page.length).toBeLessThanOrEqual(1_024);
    }
  });
});

describe('covers', () => {
  const withCover = async () => {
    await addChapter(1);
    writeFileSync(
      join(folder, 'in', 'cover.jpg'),
      await testImage('jpeg', 9, { width: 200, height: 300 }),
    );
  };
  test('have "cover" in the name of their entry', async () => {
    await withCover();
    await bindFolder(folder, { device: 'boox-page' });
    const [first] = await imagesIn(output('Lighthouse Vol.01.cbz'));
    expect(first?.name).toMatch(/^c000-cover\.(jpg|png)$/);
  });

  test('are left out with --cover none', async () => {
    await withCover();
    await bindFolder(folder, { device: 'boox-page', cover: 'none' });
    const names = (await imagesIn(output('Lighthouse Vol.01.cbz'))).map(({ name }) => name);
    expect(names.filter((name) => name.includes('cover'))).toEqual([]);
  });

  test('that cannot be decoded are left out with a warning, and one that was named ends the book', async () => {
    await addChapter(1);
    const file = join(folder, 'in', 'cover.png');
    const broken = await testImage('png', 9, { width: 200, height: 300 });
    broken.fill(0xff, broken.length / 2, broken.length - 20);
    writeFileSync(file, broken);
    const { errors, events } = await bindFolder(folder, { device: 'boox-page' });
    expect(errors).toEqual([]);
    expect(events.flatMap((each) => (each.type === 'warning' ? each.message : []))).toEqual([
      expect.stringMatching(/^Bound without a cover: Damaged page: .*cover\.png/),
    ]);
    const names = (await imagesIn(output('Lighthouse Vol.01.cbz'))).map(({ name }) => name);
    expect(names.filter((name) => name.includes('cover'))).toEqual([]);
    const named = await bindFolder(folder, { device: 'boox-page', cover: file, force: true });
    expect(named.errors).toMatchObject([{ code: 'archive-damaged' }]);
  });
});

describe('--max-size', () => {
  const addLarge = async (number: number, pages: number) =>
    addChapter(number, {
      images: await Promise.all(
        Array.from({ length: pages }, (_, page) => noise(number * 10 + page)),
      ),
    });
  const sizes = () => outputNames().map((name) => readFileSync(output(name)).length);

  test.each<['epub' | 'pdf' | 'cbz', string | undefined]>([
    ['cbz', undefined],
    ...longRunRows<['epub' | 'pdf', string]>(
      ['epub', '300x450'],
      ['epub', 'kindle-paperwhite'],
      ['pdf', 'remarkable-2'],
    ),
  ])('cuts a book between chapters: %s for %s', async (format, device) => {
    for (const number of [1, 2, 3]) await addLarge(number, 1);
    const maxSize = 125_000;
    const options = { format, device, maxSize };
    const { events } = await bindFolder(folder, options);
    const names = outputNames();
    expect(names.length).toBeGreaterThan(1);
    expect(names[0]).toBe(`Lighthouse Vol.01 part 1.${format}`);
    for (const size of sizes()) expect(size).toBeLessThanOrEqual(maxSize);
    expect(events.filter(({ type }) => type === 'warning')).toEqual([]);
    const chapters = events.flatMap((event) => (event.type === 'book-saved' ? event.chapters : []));
    expect(chapters.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(statuses(await bindFolder(folder, options))).toEqual(['skipped']);
    // A part that is gone is written again.
    rmSync(output(names[1] ?? ''));
    await bindFolder(folder, options);
    expect(outputNames()).toEqual(names);
  });

  test('names the part in the title, and removes parts that the book no longer has', async () => {
    for (const number of [1, 2, 3]) await addLarge(number, 1);
    const options = { format: 'epub', device: '300x450' } as const;
    await bindFolder(folder, { ...options, maxSize: 125_000 });
    const total = outputNames().length;
    const opf = await readEntry(output('Lighthouse Vol.01 part 2.epub'), 'OEBPS/content.opf');
    expect(opf).toContain(`<dc:title>Lighthouse, Vol. 1 (2 of ${total})</dc:title>`);
    writeFileSync(output(`Lighthouse Vol.01 part ${total + 1}.epub`), 'mine');
    await bindFolder(folder, options);
    expect(outputNames()).toEqual(
      ['Lighthouse Vol.01.epub', `Lighthouse Vol.01 part ${total + 1}.epub`].sort(),
    );
    await bindFolder(folder, { ...options, maxSize: 125_000 });
    expect(outputNames()).not.toContain('Lighthouse Vol.01.epub');
  });

  test.each(['cbz', 'epub'] as const)('%s: the whole book replaces its parts', async (format) => {
    for (const number of [1, 2, 3]) await addLarge(number, 1);
    await bindFolder(folder, { format, maxSize: 125_000 });
    expect(outputNames().length).toBeGreaterThan(1);
    expect((await bindFolder(folder, { format })).errors).toEqual([]);
    expect(outputNames()).toEqual([`Lighthouse Vol.01.${format}`]);
    expect(statuses(await bindFolder(folder, { format }))).toEqual(['skipped']);
  });

  test('cuts a larger chapter between pages, with a warning', async () => {
    await addLarge(1, 3);
    const { events } = await bindFolder(folder, { maxSize: 125_000 });
    expect(events).toContainEqual({
      type: 'warning',
      message: `Cut 1 chapter larger than 125 kB between pages (Ch. 1): ${output('Lighthouse Vol.01.cbz')}`,
    });
    const pages = await Promise.all(outputNames().map((name) => imagesIn(output(name))));
    expect(pages.flat()).toHaveLength(3);
    for (const size of sizes()) expect(size).toBeLessThanOrEqual(125_000);
  });
});

describe('what exists', () => {
  test('a book with the original pages is not replaced by one for a device', async () => {
    const chapter = await addChapter(1);
    await bindFolder(folder, {});
    rmSync(chapter);
    const file = output('Lighthouse Vol.01.cbz');
    const before = await fileDigest(file);
    const result = await bindFolder(folder, { device: 'boox-page', inputs: [join(folder, 'out')] });
    expect(statuses(result)).toEqual(['failed']);
    expect(result.errors[0]).toMatchObject({ code: 'name-taken' });
    expect(await fileDigest(file)).toBe(before);
  });

  test('a book for a device is neither bound again nor found as the chapters in it', async () => {
    await addChapter(1);
    await bindFolder(folder, { device: 'boox-page' });
    const { archives } = await scanLibrary(join(folder, 'out'));
    expect(archives).toEqual([]);
    await expect(bindFolder(folder, { inputs: [join(folder, 'out')] })).rejects.toThrow(
      'No chapters found',
    );
  });

  test('a file of another program stays', async () => {
    await addChapter(1);
    await bindFolder(folder, { device: 'boox-page' });
    writeFileSync(output('Lighthouse Vol.01.cbz'), 'mine');
    const result = await bindFolder(folder, { device: 'boox-page', force: true });
    expect(statuses(result)).toEqual(['failed']);
    expect(readFileSync(output('Lighthouse Vol.01.cbz'), 'utf8')).toBe('mine');
  });
});

test('an EPUB of long strips without --for is scrolled, and its pages have no sides', async () => {
  const strip = await testImage('jpeg', 1, { width: 30, height: 200 });
  await addChapter(1, { images: [strip, strip] });
  await bindFolder(folder, { format: 'epub' });
  const opf = await readEntry(output('Lighthouse Vol.01.epub'), 'OEBPS/content.opf');
  expect(opf).toContain('<meta property="rendition:spread">none</meta>');
  expect(opf).toContain('<meta property="rendition:flow">scrolled-continuous</meta>');
  expect(opf).not.toContain('page-spread');
  await addChapter(2, { volume: '2', tags: ['Long Strip'] });
  await bindFolder(folder, { format: 'epub' });
  expect(await readEntry(output('Lighthouse Vol.02.epub'), 'OEBPS/content.opf')).toContain(
    'scrolled-continuous',
  );
});
