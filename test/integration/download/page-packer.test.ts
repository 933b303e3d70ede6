/** Packing during the download gives the same archive as packing all pages at once, or none. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CbzWriter, writeCbz } from '../../../src/cbz/cbz-writer.js';
import { PagePacker } from '../../../src/download/page-packer.js';
import type { KeptPage } from '../../../src/download/workspace.js';
import { SAMPLE_IMAGES } from '../../support/sample-images.js';

const COMMENT = 'a comment';
let folder: string;
let pages: KeptPage[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-packer-'));
  pages = Array.from({ length: 12 }, (_, index) => {
    const file = join(folder, `${index + 1}.part`);
    const content = Buffer.concat([SAMPLE_IMAGES.png, Buffer.alloc(1_000 * index, index)]);
    writeFileSync(file, content);
    const sha256 = createHash('sha256').update(content).digest('hex');
    return { page: index + 1, file, bytes: content.length, sha256 };
  });
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function createPacker(kept: ReadonlyMap<number, KeptPage>, tmpFile: string): PagePacker {
  return new PagePacker(kept, () =>
    CbzWriter.create({ tmpFile, pages: pages.length, comment: COMMENT }),
  );
}

test('pages in any order give the same archive as all pages at once', async () => {
  const kept = new Map<number, KeptPage>();
  const packer = createPacker(kept, join(folder, 'packed.part'));
  for (const page of [...pages].sort((a, b) => (a.page % 5) - (b.page % 5))) {
    kept.set(page.page, page);
    packer.packAvailable();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const packed = join(folder, 'packed.cbz');
  await (
    await packer.complete()
  ).finish(async (tmpFile) => {
    await rename(tmpFile, packed);
    return packed;
  });
  await packer.discard();
  const atOnce = join(folder, 'at-once.cbz');
  await writeCbz({ file: atOnce, pages, comment: COMMENT });
  expect(readFileSync(packed).equals(readFileSync(atOnce))).toBe(true);
});

test('an archive that is given up before its last page leaves no file', async () => {
  const tmpFile = join(folder, 'partial.part');
  const packer = createPacker(new Map(pages.slice(0, 3).map((page) => [page.page, page])), tmpFile);
  packer.packAvailable();
  await packer.discard();
  expect(existsSync(tmpFile)).toBe(false);
});

test('a page that changed on disk fails the archive, however many pages follow, and leaves no file', async () => {
  const tmpFile = join(folder, 'changed.part');
  const changed = pages.map((page) => ({ ...page, bytes: page.bytes + 1 }));
  const packer = createPacker(new Map(changed.map((page) => [page.page, page])), tmpFile);
  changed.forEach(() => {
    packer.packAvailable();
  });
  await expect(packer.complete()).rejects.toMatchObject({ code: 'page-changed' });
  await packer.discard();
  expect(existsSync(tmpFile)).toBe(false);
});

test('discarding an archive never fails, whatever has its name by then', async () => {
  const tmpFile = join(folder, 'replaced.part');
  const writer = await CbzWriter.create({ tmpFile, pages: pages.length });
  rmSync(tmpFile);
  mkdirSync(tmpFile);
  await expect(writer.discard()).resolves.toBeUndefined();
});
