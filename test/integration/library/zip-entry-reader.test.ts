/** Reads entries of an archive by their positions. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { reusableBuffer, ZipEntryReader, type ZipEntry } from '../../../src/core/zip-file.js';

const DATA = Buffer.from('the bytes of a page');
const ENTRY: ZipEntry = {
  name: 'ä.jpg',
  bytes: DATA.length,
  compressedBytes: DATA.length,
  crc32: crc32(DATA),
  method: 0,
  isEncrypted: false,
  offset: 7,
};

let file: string;
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'tankobon-entry-')), 'a.zip');
});
afterEach(() => {
  rmSync(join(file, '..'), { recursive: true });
});

/** The entry with this many bytes in the extra field of its header, and bytes of others around it. */
function writeEntry(extraBytes: number, end = Infinity, data: Buffer = DATA): void {
  const name = Buffer.from(ENTRY.name);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(extraBytes, 28);
  const parts = [Buffer.alloc(ENTRY.offset), header, name, Buffer.alloc(extraBytes, 1), data];
  writeFileSync(file, Buffer.concat(parts).subarray(0, end));
}

async function read(entry: ZipEntry = ENTRY): Promise<Buffer> {
  const reader = await ZipEntryReader.open(file);
  return reader.read(entry, reusableBuffer()).finally(() => reader.close());
}

test.each([0, 9, 60_000])(
  'an entry with an extra field of %i bytes has its data',
  async (extra) => {
    writeEntry(extra);
    expect(await read()).toEqual(DATA);
  },
);

test.each([0, 9])(
  'an archive that ends within an entry, or before it, is damaged',
  async (extra) => {
    for (const end of [ENTRY.offset + 30 + 6 + extra + DATA.length - 1, ENTRY.offset + 20, 0]) {
      writeEntry(extra, end);
      await expect(read()).rejects.toThrow('the archive ends within it');
    }
  },
);

test('a wrong position and a wrong checksum are damage', async () => {
  writeEntry(0);
  await expect(read({ ...ENTRY, offset: 0 })).rejects.toThrow('it has no header');
  await expect(read({ ...ENTRY, crc32: 1 })).rejects.toThrow('its checksum is wrong');
});

test('an entry with more bytes than the directory says, or than a page can have, is refused', async () => {
  const data = deflateRawSync(DATA);
  writeEntry(0, Infinity, data);
  const deflated = { ...ENTRY, method: 8, compressedBytes: data.length };
  expect(await read(deflated)).toEqual(DATA);
  await expect(read({ ...deflated, bytes: 10 })).rejects.toThrow('its size is wrong');
  const large = { ...deflated, compressedBytes: 2 ** 31 };
  await expect(read(large)).rejects.toThrow(`it has ${2 ** 31} bytes`);
});
