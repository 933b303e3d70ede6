/** Reads a finished archive back before it is published: a book replaces files that have no other copy. */
import {
  reusableBuffer,
  toZipEntry,
  withZip,
  ZipEntryReader,
  type ZipEntry,
} from '../cbz/zip-file.js';
import type { Publish } from '../cbz/zip-file-writer.js';
import { StorageError, thrownMessage } from '../core/errors.js';

/** Throws StorageError `archive-wrong` for an archive with an entry whose bytes have not its checksum. */
export function publishReadBack(publish: Publish): Publish {
  return async (tmpFile) => {
    const entries: ZipEntry[] = [];
    await withZip(tmpFile, async (zip) => {
      for await (const entry of zip.eachEntry()) entries.push(toZipEntry(entry));
    });
    const reader = await ZipEntryReader.open(tmpFile);
    try {
      const getBuffer = reusableBuffer();
      for (const entry of entries)
        await reader.read(entry, getBuffer).catch((cause: unknown) => {
          const message = `${entry.name} cannot be read back: ${thrownMessage(cause)}`;
          throw new StorageError('archive-wrong', message, { cause });
        });
    } finally {
      await reader.close();
    }
    return publish(tmpFile);
  };
}
