import { createHash } from 'node:crypto';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { verifyZip } from '../../../src/core/verify-zip.js';
import { writeCbz, type CbzPage } from '../../../src/library/cbz-writer.js';
import { pageName } from '../../../src/config/names.js';
import { interruptedError } from '../../../src/core/errors.js';
import { MAX_IMAGE_BYTES } from '../../../src/core/image-format.js';
import { SAMPLE_IMAGES } from '../../support/sample-images.js';
import { readArchive, readComment } from '../../support/archive.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankobon-cbz-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function pagesOf(...contents: readonly Buffer[]) {
  await mkdir(join(folder, 'loaded'), { recursive: true });
  return Promise.all(
    contents.map(async (bytes, index): Promise<CbzPage> => {
      const file = join(folder, 'loaded', `page-${index}`);
      await writeFile(file, bytes);
      return { file, bytes: bytes.length };
    }),
  );
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const samplePages = () => pagesOf(...Object.values(SAMPLE_IMAGES));
const XML = '<?xml version="1.0"?><ComicInfo><Title>Über 漫画</Title></ComicInfo>';
const RECORD = '{"chapters":[]}\n';
const COMMENT = 'tankobon chapter=5f2d0c1e-7a44-4c39-9d10-0b6f6f3a1c01 version=2';
const leftIn = async (of: string) => (await readdir(of)).filter((name) => name !== 'loaded');

test('no pages, and a comment that does not fit, are refused, and nothing is written', async () => {
  const file = join(folder, 'a.cbz');
  const pages = await samplePages();
  for (const options of [{ pages: [] }, { comment: 'ü'.repeat(35_000) }])
    await expect(writeCbz({ file, pages, ...options })).rejects.toMatchObject({
      code: 'archive-wrong',
    });
  expect(await leftIn(folder)).toEqual([]);
});

test('a page that no reader of archives takes is not packed', async () => {
  const file = join(folder, 'a.cbz');
  const [page] = await samplePages();
  const pages = [{ file: page?.file ?? '', bytes: MAX_IMAGE_BYTES + 1 }];
  await truncate(pages[0]?.file ?? '', MAX_IMAGE_BYTES + 1);
  await expect(writeCbz({ file, pages })).rejects.toMatchObject({ code: 'archive-wrong' });
  expect(await leftIn(folder)).toEqual([]);
});

test('a missing page is named, and an upper-case digest is accepted', async () => {
  const file = join(folder, 'a.cbz');
  const [page] = await samplePages();
  const pages = [{ ...page, file: page?.file ?? '', bytes: page?.bytes ?? 0 }];
  const gone = { file: join(folder, 'gone.png'), bytes: 1 };
  await expect(writeCbz({ file, pages: [...pages, gone] })).rejects.toMatchObject({
    code: 'storage-failed',
    message: `File system error, no such file or directory (open: ENOENT): ${gone.file}`,
  });
  const digest = sha256(await readFile(pages[0]?.file ?? '')).toUpperCase();
  await writeCbz({ file, pages: pages.map((each) => ({ ...each, sha256: digest })) });
  expect(await readArchive(file)).toHaveLength(1);
});

describe('a CBZ', () => {
  test('has the comment, also outside ASCII', async () => {
    const file = join(folder, 'Commented.cbz');
    await writeCbz({ file, pages: await samplePages(), comment: '第1話 – naïve' });
    expect(await readComment(file)).toBe('第1話 – naïve');
  });

  test('contains the pages in order, stored, with padded names, then the record and ComicInfo.xml', async () => {
    const file = join(folder, 'Series', 'Chapter 1.cbz');
    const { bytes } = await writeCbz({
      file,
      pages: await samplePages(),
      comicInfo: XML,
      record: RECORD,
      comment: COMMENT,
    });
    const written = await readFile(file);
    expect(bytes).toBe(written.length);
    expect(await readComment(file)).toBe(COMMENT);
    const entries = await readArchive(file);
    expect(entries.map(({ name }) => name)).toEqual([
      '001.jpg',
      '002.png',
      '003.gif',
      '004.webp',
      '005.avif',
      'META-INF/tankobon.json',
      'ComicInfo.xml',
    ]);
    for (const { record } of entries) {
      expect(record).toMatchObject({
        compressionMethod: 0,
        generalPurposeBitFlag: 0,
        lastModFileDate: 0x21,
        lastModFileTime: 0,
      });
    }
    expect(entries.map((entry) => entry.bytes)).toEqual([
      ...Object.values(SAMPLE_IMAGES),
      Buffer.from(RECORD),
      Buffer.from(XML),
    ]);
  });

  test('has size and checksum before each entry, for streaming readers', async () => {
    const file = join(folder, 'a.cbz');
    const pages = await samplePages();
    await writeCbz({ file, pages, comicInfo: XML });
    const bytes = await readFile(file);
    let at = 0;
    for (const content of [...Object.values(SAMPLE_IMAGES), Buffer.from(XML)]) {
      expect(bytes.readUInt32LE(at)).toBe(0x04034b50);
      expect(bytes.readUInt16LE(at + 6) & 8).toBe(0);
      expect(bytes.readUInt32LE(at + 14)).toBe(crc32(content));
      expect(bytes.readUInt32LE(at + 18)).toBe(content.length);
      at += 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28) + content.length;
    }
    expect(bytes.readUInt32LE(at)).toBe(0x02014b50);
  });

  test('is byte-identical each time, in every time zone', async () => {
    const pages = await samplePages();
    const before = process.env['TZ'];
    const made: Buffer[] = [];
    try {
      for (const zone of ['UTC', 'Asia/Tokyo', 'America/St_Johns']) {
        process.env['TZ'] = zone;
        const file = join(folder, zone.replace('/', '-'), 'a.cbz');
        await writeCbz({ file, pages, comicInfo: XML, comment: COMMENT });
        made.push(await readFile(file));
      }
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
    expect(made[1]).toEqual(made[0]);
    expect(made[2]).toEqual(made[0]);
  });

  test('contains large and small pages unchanged', async () => {
    const large = (seed: number) =>
      Buffer.concat([SAMPLE_IMAGES.png, Buffer.alloc(2 ** 20 + seed, seed)]);
    const contents = [large(1), SAMPLE_IMAGES.gif, large(2), large(3), SAMPLE_IMAGES.png];
    const file = join(folder, 'a.cbz');
    const pages = await pagesOf(...contents);
    await writeCbz({ file, pages, comicInfo: XML });
    const entries = await readArchive(file);
    expect(entries.map((entry) => sha256(entry.bytes))).toEqual(
      [...contents, Buffer.from(XML)].map(sha256),
    );
  });

  test('replaces an existing file and leaves no temporary file', async () => {
    const file = join(folder, `${'漫'.repeat(83)}.cbz`);
    await writeFile(file, 'an older one');
    await writeCbz({ file, pages: await samplePages() });
    expect((await readFile(file)).readUInt32LE(0)).toBe(0x04034b50);
    expect(await leftIn(folder)).toHaveLength(1);
  });
});

describe('an unfinished CBZ is removed', () => {
  test('a page whose size changed after it was verified: page-changed', async () => {
    const pages = await samplePages();
    await writeFile(pages[1]?.file ?? '', 'something else');
    const file = join(folder, 'a.cbz');
    await expect(writeCbz({ file, pages })).rejects.toMatchObject({ code: 'page-changed' });
    expect(await leftIn(folder)).toEqual([]);
  });

  test('a page of the same size and other bytes: page-changed', async () => {
    const verified = await Promise.all(
      (await samplePages()).map(async (page) => ({
        ...page,
        sha256: sha256(await readFile(page.file)),
      })),
    );
    const file = join(folder, 'a.cbz');
    await writeCbz({ file, pages: verified });
    await rm(file);
    const changed = await readFile(verified[3]?.file ?? '');
    changed[20] = (changed[20] ?? 0) ^ 1;
    await writeFile(verified[3]?.file ?? '', changed);
    await expect(writeCbz({ file, pages: verified })).rejects.toMatchObject({
      code: 'page-changed',
    });
    expect(await leftIn(folder)).toEqual([]);
  });

  test('a file that is not an image: page-changed', async () => {
    const pages = await pagesOf(SAMPLE_IMAGES.png, Buffer.from('<!doctype html><html></html>'));
    await expect(writeCbz({ file: join(folder, 'a.cbz'), pages })).rejects.toMatchObject({
      code: 'page-changed',
    });
    expect(await leftIn(folder)).toEqual([]);
  });

  test('a link in place of a page: unsafe-path, even if it leads to the same bytes', async () => {
    const [page] = await pagesOf(SAMPLE_IMAGES.png);
    const link = join(folder, 'loaded', 'link');
    await symlink(page?.file ?? '', link);
    const pages = [{ file: link, bytes: SAMPLE_IMAGES.png.length }];
    await expect(writeCbz({ file: join(folder, 'a.cbz'), pages })).rejects.toMatchObject({
      code: 'unsafe-path',
    });
  });

  test('a missing page: the error of the system', async () => {
    const pages = await samplePages();
    await rm(pages[2]?.file ?? '');
    await expect(writeCbz({ file: join(folder, 'a.cbz'), pages })).rejects.toThrow('ENOENT');
    expect(await leftIn(folder)).toEqual([]);
  });

  test('an interruption: its reason, and the existing file is unchanged', async () => {
    const pages = await samplePages();
    const file = join(folder, 'a.cbz');
    await writeFile(file, 'an older one');
    const stop = new AbortController();
    const reason = interruptedError();
    const writing = writeCbz({ file, pages, signal: stop.signal });
    stop.abort(reason);
    await expect(writing).rejects.toBe(reason);
    expect(await readFile(file, 'utf8')).toBe('an older one');
    expect(await leftIn(folder)).toEqual(['a.cbz']);
  });

  test('a folder in its place: name-taken', async () => {
    const file = join(folder, 'a.cbz');
    await mkdir(file);
    await expect(writeCbz({ file, pages: await samplePages() })).rejects.toMatchObject({
      code: 'name-taken',
    });
    expect(await leftIn(folder)).toEqual(['a.cbz']);
  });

  test('a name that is too long for the file system: name-too-long', async () => {
    const file = join(folder, `${'x'.repeat(300)}.cbz`);
    await expect(writeCbz({ file, pages: await samplePages() })).rejects.toMatchObject({
      code: 'name-too-long',
    });
  });
});

describe('verifyZip', () => {
  const entry = (name: string, content: Buffer) => ({
    name,
    bytes: content.length,
    crc32: crc32(content),
    isReadBack: true,
  });
  const expectedEntries = [
    entry('001.jpg', SAMPLE_IMAGES.jpg),
    entry('002.png', SAMPLE_IMAGES.png),
  ];
  const make = async () => {
    const file = join(folder, 'a.cbz');
    const pages = await pagesOf(SAMPLE_IMAGES.jpg, SAMPLE_IMAGES.png);
    await writeCbz({ file, pages, comment: COMMENT });
    return file;
  };

  test('accepts an archive with the expected entries', async () => {
    const file = await make();
    expect(await verifyZip(file, expectedEntries, COMMENT)).toBe((await readFile(file)).length);
  });

  test.each([
    ['an entry too few', expectedEntries.slice(0, 1), COMMENT],
    ['an entry too many', [...expectedEntries, entry('003.gif', SAMPLE_IMAGES.gif)], COMMENT],
    ['another order', [...expectedEntries].reverse(), COMMENT],
    ['another checksum', expectedEntries.map((one) => ({ ...one, crc32: 1 })), COMMENT],
    ['another size', expectedEntries.map((one) => ({ ...one, bytes: 1 })), COMMENT],
    ['another comment', expectedEntries, ''],
  ])('refuses %s', async (_, expected, comment) => {
    const file = await make();
    await expect(verifyZip(file, expected, comment)).rejects.toMatchObject({
      code: 'archive-wrong',
    });
  });

  test('reads back what was not read back before, and refuses other bytes', async () => {
    const file = await make();
    const unread = expectedEntries.map((one) => ({ ...one, isReadBack: false }));
    expect(await verifyZip(file, unread, COMMENT)).toBe((await readFile(file)).length);
    const damaged = await readFile(file);
    // Within the first entry, behind its header and its name.
    damaged[60] = (damaged[60] ?? 0) ^ 1;
    await writeFile(file, damaged);
    await expect(verifyZip(file, unread, COMMENT)).rejects.toMatchObject({ code: 'archive-wrong' });
  });

  test('refuses a truncated file', async () => {
    const file = await make();
    const whole = await readFile(file);
    for (let length = 0; length < whole.length; length += 7) {
      await writeFile(file, whole.subarray(0, length));
      await expect(verifyZip(file, expectedEntries, COMMENT)).rejects.toMatchObject({
        code: 'archive-wrong',
      });
    }
  });
});

test('entry names have three digits, or as many as the last page needs', () => {
  expect([pageName(0, 2, 'png'), pageName(1, 2, 'jpg')]).toEqual(['001.png', '002.jpg']);
  expect([pageName(0, 1000, 'png'), pageName(999, 1000, 'png')]).toEqual(['0001.png', '1000.png']);
});
