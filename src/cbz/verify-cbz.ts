/**
 * Holds a finished archive against what was announced for it: the last look before a CBZ gets its final name.
 * It reads the central directory with another library than the one that wrote it.
 */
import { open, stat } from 'node:fs/promises';
import type { Entry, ZipFile } from 'yauzl';
import { StorageError } from '../core/errors.js';

export interface ExpectedEntry {
  readonly name: string;
  readonly bytes: number;
  readonly crc32: number;
}

const STORED = 0;
/** General purpose bit 3: size and CRC come after the data, where a reader that streams cannot use them. */
const DATA_DESCRIPTOR_BIT = 1 << 3;

/**
 * Resolves with the archive's bytes where it holds exactly these entries, in this order, stored, with this
 * comment. Rejects with StorageError `archive-wrong` otherwise.
 */
export async function verifyCbz(
  file: string,
  announced: readonly ExpectedEntry[],
  comment: string,
): Promise<number> {
  const { default: yauzl } = await import('yauzl');
  const wrong = (what: string, cause?: unknown) =>
    new StorageError('archive-wrong', `The archive is not as announced: ${what}.`, { cause });
  let zip: ZipFile;
  try {
    zip = await yauzl.openPromise(file, { lazyEntries: true, autoClose: false });
  } catch (error) {
    throw wrong('it cannot be read', error);
  }
  try {
    let count = 0;
    for await (const entry of zip.eachEntry()) {
      const expected = announced[count];
      if (expected === undefined) throw wrong(`${entry.fileName} is one too many`);
      const fault = difference(entry, expected);
      if (fault !== undefined) throw wrong(`${expected.name} ${fault}`);
      count += 1;
    }
    if (count !== announced.length) throw wrong(`${count} entries, not ${announced.length}`);
    if (!(await endsWith(file, zip.comment, comment))) throw wrong('its comment differs');
  } catch (error) {
    throw error instanceof StorageError ? error : wrong('its directory cannot be read', error);
  } finally {
    zip.close();
  }
  return (await stat(file)).size;
}

/** Whether the comment, which is the file's end, is this one: yauzl reads one letter from each byte, whatever it was. */
async function endsWith(file: string, read: string, comment: string): Promise<boolean> {
  const expected = Buffer.from(comment);
  if (read.length !== expected.length) return false;
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const end = Buffer.alloc(expected.length);
    await handle.read(end, 0, end.length, size - end.length);
    return end.equals(expected);
  } finally {
    await handle.close();
  }
}

/** In what an entry differs from its announcement; undefined where in nothing. */
function difference(entry: Entry, expected: ExpectedEntry): string | undefined {
  if (entry.fileName !== expected.name) return `is called ${entry.fileName}`;
  if (entry.uncompressedSize !== expected.bytes || entry.compressedSize !== expected.bytes) {
    return `has ${entry.uncompressedSize} bytes, not ${expected.bytes}`;
  }
  if (entry.crc32 !== expected.crc32) return 'has another checksum';
  if (entry.compressionMethod !== STORED) return 'is not stored';
  if ((entry.generalPurposeBitFlag & DATA_DESCRIPTOR_BIT) !== 0) return 'has its size after it';
  return undefined;
}
