/** Which image of a title becomes its cover on the page of an overview. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findTitleCovers, MAX_COVER_BYTES } from '../../../src/collection/title-cover.js';
import { pngHeader, PNG_SIGNATURE, pngChunk } from '../../../src/core/png.js';
import { writeArchive } from '../../support/archive.js';
import { SAMPLE_IMAGES } from '../../support/sample-images.js';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const { jpg, png, gif } = SAMPLE_IMAGES;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-covers-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, data: string | Buffer): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, data);
  return file;
}

async function chapter(name: string, entries: Readonly<Record<string, string | Buffer>>) {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  await writeArchive(file, entries);
  return file;
}

async function coversOf(...titles: readonly (readonly string[])[]) {
  const covers = await findTitleCovers(titles, new AbortController().signal);
  return covers.map((cover) => cover?.data);
}

/** Larger than allowed, and whole: data after the trailer is allowed. */
const tooLarge = Buffer.concat([jpg, Buffer.alloc(MAX_COVER_BYTES)]);

test('the cover beside the chapters is taken before one of a volume, and that before the first page', async () => {
  const file = await chapter('a/1.cbz', { '001.png': png });
  expect(await coversOf([file])).toEqual([png]);
  write('a/cover Vol.02.gif', gif);
  expect(await coversOf([file])).toEqual([gif]);
  write('a/cover.jpg', jpg);
  expect(await coversOf([file])).toEqual([jpg]);
});

test('the cover of a folder with chapters of several titles is not that of one title', async () => {
  write('cover.jpg', jpg);
  const files = [
    await chapter('1.cbz', { '1.png': png }),
    await chapter('2.cbz', { '1.gif': gif }),
  ];
  expect(await coversOf(...files.map((file) => [file]))).toEqual([png, gif]);
});

test('the first page of the next file is taken if the first one is too large', async () => {
  const files = [
    await chapter('a/10.cbz', { '1.gif': gif }),
    await chapter('a/2.cbz', { '1.jpg': tooLarge }),
    await chapter('a/3.cbz', { '10.jpg': jpg, '2.png': png }),
  ];
  expect(await coversOf(files)).toEqual([png]);
});

test('the first page of a chapter in a folder', async () => {
  write('a/2.png', png);
  write('a/10.jpg', jpg);
  expect(await coversOf([write('a/ComicInfo.xml', '<ComicInfo/>')])).toEqual([png]);
});

const bomb = Buffer.concat([
  PNG_SIGNATURE,
  pngHeader(50_000, 50_000),
  pngChunk('IEND', Buffer.alloc(0)),
]);

test.each([
  ['an SVG', SVG],
  ['a truncated image', jpg.subarray(0, 60)],
  ['a text', 'no image'],
  ['an image of more than 16 million pixels', bomb],
  ['a file that is too large', tooLarge],
])('%s is never a cover', async (_, data) => {
  write('a/cover.jpg', data);
  expect(await coversOf([await chapter('a/1.cbz', { '001.png': data })])).toEqual([undefined]);
});

test('a link is not followed, and a file that cannot be read has no cover', async () => {
  mkdirSync(join(folder, 'a'));
  symlinkSync(write('secret.jpg', jpg), join(folder, 'a/cover.jpg'));
  expect(await coversOf([write('a/1.cbz', 'not a ZIP')], [])).toEqual([undefined, undefined]);
});
