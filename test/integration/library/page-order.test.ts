/** Pages that are added in any order, while later ones load, give the same archive as all pages at once, or none. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { CbzWriter, writeCbz, type CbzPage } from '../../../src/library/cbz-writer.js';
import { ZipFileWriter } from '../../../src/core/zip-file-writer.js';
import { SAMPLE_IMAGES } from '../../support/sample-images.js';

const COMMENT = 'a comment';
let folder: string;
let pages: CbzPage[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-order-'));
  pages = Array.from({ length: 12 }, (_, index) => {
    const file = join(folder, `${index + 1}.part`);
    const content = Buffer.concat([SAMPLE_IMAGES.png, Buffer.alloc(1_000 * index, index)]);
    writeFileSync(file, content);
    const sha256 = createHash('sha256').update(content).digest('hex');
    return { file, bytes: content.length, sha256, crc32: crc32(content) };
  });
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const writerOf = (tmpFile: string) =>
  new CbzWriter({ tmpFile, pages: pages.length, comment: COMMENT });
const refuse = () => Promise.reject(new Error('published'));

test('in any order', async () => {
  const writer = writerOf(join(folder, 'packed.part'));
  for (const [index, page] of [...pages.entries()].sort(([a], [b]) => (a % 5) - (b % 5))) {
    void writer.add(index + 1, page);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const packed = join(folder, 'packed.cbz');
  await writer.finish(async (tmpFile) => {
    await rename(tmpFile, packed);
    return packed;
  });
  await writer.discard();
  const atOnce = join(folder, 'at-once.cbz');
  await writeCbz({ file: atOnce, pages, comment: COMMENT });
  expect(readFileSync(packed).equals(readFileSync(atOnce))).toBe(true);
});

test('a page whose predecessors are there is packed from its bytes in memory, another one from its file', async () => {
  const writer = writerOf(join(folder, 'from-memory.part'));
  const inMemory = pages.map((page) => {
    const content = Buffer.allocUnsafeSlow(2 ** 20).subarray(0, page.bytes);
    content.set(readFileSync(page.file));
    return { ...page, content };
  });
  const early = inMemory[7];
  if (!early) throw new Error('There is no such page.');
  await writer.add(8, early, early.content);
  // Its buffer has another page by now.
  early.content.fill(0);
  for (const [index, { content, ...page }] of inMemory.entries()) {
    if (index === 7) continue;
    await writer.add(
      index + 1,
      index < 7 ? { ...page, file: 'there is no such file' } : page,
      content,
    );
    content.fill(0);
  }
  const packed = join(folder, 'from-memory.cbz');
  await writer.finish(async (tmpFile) => {
    await rename(tmpFile, packed);
    return packed;
  });
  await writer.discard();
  const atOnce = join(folder, 'all-from-files.cbz');
  await writeCbz({ file: atOnce, pages, comment: COMMENT });
  expect(readFileSync(packed).equals(readFileSync(atOnce))).toBe(true);
});

test('the bytes of a page are used until it is packed, not until the pages after it are', async () => {
  const tmpFile = join(folder, 'one-by-one.part');
  const writer = writerOf(tmpFile);
  const [first, ...others] = pages;
  if (!first) throw new Error('There is no page.');
  for (const [index, page] of others.entries()) void writer.add(index + 2, page);
  await writer.add(1, first, readFileSync(first.file));
  const { size } = statSync(tmpFile);
  await writer.dimensions();
  const total = statSync(tmpFile).size;
  await writer.discard();
  expect(size).toBeGreaterThan(first.bytes);
  expect(size).toBeLessThan(total / 2);
});

test('bytes in memory that are not those of the page fail the archive', async () => {
  const tmpFile = join(folder, 'wrong-memory.part');
  const writer = writerOf(tmpFile);
  for (const [index, page] of pages.entries()) {
    const content = Buffer.from(readFileSync(page.file));
    if (index === 2) content[content.length - 1] = 0xff;
    await writer.add(index + 1, page, content);
  }
  await expect(writer.finish(refuse)).rejects.toMatchObject({ code: 'page-changed' });
  await writer.discard();
});

test('a missing page fails the archive, and leaves no file', async () => {
  const tmpFile = join(folder, 'partial.part');
  const writer = writerOf(tmpFile);
  for (const [index, page] of pages.entries()) if (index !== 3) void writer.add(index + 1, page);
  await expect(writer.finish(refuse)).rejects.toMatchObject({ code: 'archive-wrong' });
  await writer.discard();
  expect(existsSync(tmpFile)).toBe(false);
});

test('a page that changed on disk fails the archive, however many pages follow, and leaves no file', async () => {
  const tmpFile = join(folder, 'changed.part');
  const writer = writerOf(tmpFile);
  for (const [index, page] of pages.entries())
    void writer.add(index + 1, { ...page, bytes: page.bytes + (index === 2 ? 1 : 0) });
  await expect(writer.finish(refuse)).rejects.toMatchObject({ code: 'page-changed' });
  await writer.discard();
  expect(existsSync(tmpFile)).toBe(false);
});

test('a page of other bytes than were verified fails the archive when it is read back', async () => {
  const tmpFile = join(folder, 'other-bytes.part');
  const writer = writerOf(tmpFile);
  for (const [index, page] of pages.entries())
    void writer.add(index + 1, { ...page, crc32: (page.crc32 ?? 0) + (index === 2 ? 1 : 0) });
  await expect(writer.finish(refuse)).rejects.toMatchObject({ code: 'page-changed' });
  await writer.discard();
  const zip = await ZipFileWriter.create({ tmpFile });
  const content = readFileSync(pages[0]?.file ?? '');
  await zip.write('right.png', content, crc32(content));
  await expect(zip.write('wrong.png', content, 1)).rejects.toMatchObject({ code: 'archive-wrong' });
  await zip.discard();
  expect(existsSync(tmpFile)).toBe(false);
});

test('an archive that is given up while it is packed leaves no file', async () => {
  const tmpFile = join(folder, 'given-up.part');
  const writer = writerOf(tmpFile);
  for (const [index, page] of pages.entries()) void writer.add(index + 1, page);
  while (!existsSync(tmpFile)) await new Promise((resolve) => setImmediate(resolve));
  await writer.discard();
  expect(existsSync(tmpFile)).toBe(false);
});

test('discarding an archive never fails, whatever has its name by then', async () => {
  const tmpFile = join(folder, 'replaced.part');
  const writer = writerOf(tmpFile);
  for (const [index, page] of pages.slice(1).entries()) void writer.add(index + 1, page);
  await expect(writer.finish(refuse)).rejects.toMatchObject({ code: 'archive-wrong' });
  rmSync(tmpFile);
  mkdirSync(tmpFile);
  await expect(writer.discard()).resolves.toBeUndefined();
});
