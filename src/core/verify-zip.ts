/** Verifies a finished archive before it is published, with another library than the one that wrote it. */
import type { Entry, ZipFile } from 'yauzl';
import { hasCode, StorageError, thrownMessage } from './errors.js';
import { fileErrorReason } from './files.js';
import { namedEntry, reusableBuffer, toZipEntry, withZip, type EntryReader } from './zip-file.js';

export interface ExpectedEntry {
  readonly name: string;
  readonly bytes: number;
  readonly crc32: number;
  /** Its bytes were read back already, when they were written. */
  readonly isReadBack: boolean;
}

const STORED = 0;
/** General purpose bit 3: size and CRC follow the data, where a streaming reader cannot use them. */
const DATA_DESCRIPTOR_BIT = 1 << 3;

/**
 * Resolves with the archive's size if it has exactly these entries, in this order, stored, and this comment, and if the
 * bytes of those that were not read back have their checksum. Rejects with StorageError `archive-wrong` otherwise.
 */
export async function verifyZip(
  file: string,
  expected: readonly ExpectedEntry[],
  comment: string | Buffer,
): Promise<number> {
  const wrong = (problem: string, cause?: unknown) =>
    new StorageError('archive-wrong', `The archive failed verification: ${problem}`, { cause });
  const commentBytes = typeof comment === 'string' ? Buffer.from(comment) : comment;
  const verify = async (zip: ZipFile, reader: EntryReader): Promise<number> => {
    const unread: Entry[] = [];
    let count = 0;
    for await (const entry of zip.eachEntry()) {
      const expectedEntry = expected[count];
      if (!expectedEntry) throw wrong(`unexpected entry ${nameOf(entry)}`);
      const problem = difference(entry, expectedEntry);
      if (problem !== undefined) throw wrong(`${expectedEntry.name} ${problem}`);
      if (!expectedEntry.isReadBack) unread.push(entry);
      count += 1;
    }
    if (count !== expected.length) throw wrong(`${count} of ${expected.length} entries`);
    if (!Buffer.from(zip.comment, 'latin1').equals(commentBytes)) throw wrong('wrong comment');
    const getBuffer = reusableBuffer();
    for (const entry of unread) await reader.read(namedEntry(entry, nameOf(entry)), getBuffer);
    return zip.fileSize;
  };
  try {
    const bytes = await withZip(file, verify, { isRegular: true });
    if (bytes === undefined) throw wrong('it is not a regular file');
    return bytes;
  } catch (error) {
    throw hasCode(error, 'archive-wrong') ? error : wrong(fileErrorReason(error), error);
  }
}

/**
 * Reads every entry back, as is done before anything is removed that the archive replaces. Rejects with StorageError
 * `archive-wrong` for an entry that cannot be read or whose checksum is wrong.
 */
export async function verifyEntryData(file: string): Promise<void> {
  const getBuffer = reusableBuffer();
  try {
    await withZip(file, async (zip, reader) => {
      for await (const entry of zip.eachEntry()) await reader.read(toZipEntry(entry), getBuffer);
    });
  } catch (cause) {
    const message = `The archive cannot be read back (${thrownMessage(cause)}): ${file}`;
    throw new StorageError('archive-wrong', message, { cause });
  }
}

function nameOf({ fileNameRaw }: Entry): string {
  return fileNameRaw.toString('utf8');
}

function difference(entry: Entry, expected: ExpectedEntry): string | undefined {
  if (nameOf(entry) !== expected.name) return `is named ${nameOf(entry)}`;
  if (entry.uncompressedSize !== expected.bytes || entry.compressedSize !== expected.bytes)
    return `has ${entry.uncompressedSize} bytes, not ${expected.bytes}`;
  if (entry.crc32 !== expected.crc32) return 'has a different checksum';
  if (entry.compressionMethod !== STORED) return 'is not stored';
  if ((entry.generalPurposeBitFlag & DATA_DESCRIPTOR_BIT) !== 0) return 'has a data descriptor';
  return undefined;
}
