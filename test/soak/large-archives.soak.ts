/** Books beyond the limits of the first ZIP format: more than 4 GiB, and more than 65,535 entries. */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import yauzl, { type Entry } from 'yauzl';
import { writeCbz } from '../../src/library/cbz-writer.js';
import { formatIdentityComment } from '../../src/library/mark.js';
import { scanLibrary } from '../../src/library/scan.js';
import { bindFolder, sha256 } from '../support/bind-harness.js';
import { chapterId } from '../support/chapter-files.js';
import { SAMPLE_IMAGES } from '../support/sample-images.js';

const TIME_LIMIT_MS = 30 * 60_000;
const CHAPTER = 'Lighthouse v01 c001.cbz';
const ID = chapterId(1);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-large-'));
  mkdirSync(join(folder, 'in'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A chapter of equal pages; bytes after the end of a JPEG are allowed. */
async function writeChapter(pages: number, bytesPerPage: number): Promise<Buffer> {
  const image = Buffer.alloc(bytesPerPage);
  SAMPLE_IMAGES.jpg.copy(image);
  const page = { file: join(folder, 'page.jpg'), bytes: bytesPerPage };
  writeFileSync(page.file, image);
  await writeCbz({
    file: join(folder, 'in', CHAPTER),
    pages: Array.from({ length: pages }, () => page),
    comment: formatIdentityComment({ chapterId: ID, version: 1, quality: 'data' }),
  });
  return image;
}

/** How many images an archive has, and the digest of the last one. */
async function summary(file: string) {
  const zip = await yauzl.openPromise(file, { lazyEntries: true, autoClose: false });
  try {
    let images = 0;
    let last: Entry | undefined;
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith('.jpg')) continue;
      images += 1;
      last = entry;
    }
    const bytes = last ? await buffer(await zip.openReadStreamPromise(last)) : Buffer.alloc(0);
    return { images, last: sha256(bytes), bytes: statSync(file).size };
  } finally {
    zip.close();
  }
}

const book = (extension: string) =>
  join(folder, 'out', 'Lighthouse', `Lighthouse Vol.01.${extension}`);

test.each([
  ['more than 4 GiB', 4_200, 2 ** 20],
  // An EPUB has two entries for each page.
  ['more than 65,535 entries', 33_000, SAMPLE_IMAGES.jpg.length],
])(
  '%s: a chapter becomes a CBZ, and that an EPUB, with every page',
  async (_, pages, bytesPerPage) => {
    const last = sha256(await writeChapter(pages, bytesPerPage));
    const input = join(folder, 'in', CHAPTER);
    const expected = { images: pages, last, bytes: expect.any(Number) };
    expect(await summary(input)).toEqual(expected);
    expect((await bindFolder(folder)).errors).toEqual([]);
    expect(await summary(book('cbz'))).toEqual(expected);
    rmSync(input);
    const inputs = [book('cbz')];
    expect((await bindFolder(folder, { inputs, format: 'epub' })).errors).toEqual([]);
    expect(await summary(book('epub'))).toEqual(expected);
    expect(statSync(book('epub')).size).toBeGreaterThan(pages * bytesPerPage);
    const again = await bindFolder(folder, { inputs, format: 'epub' });
    expect(again.books.map(({ status }) => status)).toEqual(['skipped']);
    rmSync(book('cbz'));
    expect((await scanLibrary(join(folder, 'out'))).find(ID)?.file).toBe(book('epub'));
  },
  TIME_LIMIT_MS,
);
