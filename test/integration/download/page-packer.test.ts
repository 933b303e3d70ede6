/** Packing on the way gives the very archive that packing at the end gives, or none. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

function packerOf(kept: ReadonlyMap<number, KeptPage>, aside: string): PagePacker {
  return new PagePacker(kept, () =>
    CbzWriter.create({ tmpFile: aside, pages: pages.length, comment: COMMENT }),
  );
}

test('pages that come in any order make the archive that all of them make at once', async () => {
  const kept = new Map<number, KeptPage>();
  const packer = packerOf(kept, join(folder, 'grown.part'));
  for (const page of [...pages].sort((a, b) => (a.page % 5) - (b.page % 5))) {
    kept.set(page.page, page);
    packer.packAvailable();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const grown = join(folder, 'grown.cbz');
  await (
    await packer.finishedArchive(pages.length)
  )?.finish(async (tmpFile) => {
    await rename(tmpFile, grown);
    return grown;
  });
  await packer.discard();
  const atOnce = join(folder, 'at-once.cbz');
  await writeCbz({ file: atOnce, pages, comment: COMMENT });
  expect(readFileSync(grown).equals(readFileSync(atOnce))).toBe(true);
});

test('a page that is missing: no archive, and nothing left of it', async () => {
  const aside = join(folder, 'partial.part');
  const packer = packerOf(new Map(pages.slice(1).map((page) => [page.page, page])), aside);
  expect(await packer.finishedArchive(pages.length)).toBeUndefined();
  await packer.discard();
  expect(existsSync(aside)).toBe(false);
});

test('a page that changed on the disk: no archive, and nothing left of it', async () => {
  const aside = join(folder, 'changed.part');
  const changed = pages.map((page) => ({ ...page, bytes: page.bytes + 1 }));
  const packer = packerOf(new Map(changed.map((page) => [page.page, page])), aside);
  expect(await packer.finishedArchive(pages.length)).toBeUndefined();
  await packer.discard();
  expect(existsSync(aside)).toBe(false);
});
