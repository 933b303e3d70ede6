/** Reads a finished archive back before it is published: a book replaces files that have no other copy. */
import { verifyEntryData } from '../cbz/verify-cbz.js';
import type { Publish } from '../cbz/zip-file-writer.js';

/** Throws StorageError `archive-wrong` for an archive with an entry that cannot be read back. */
export function publishReadBack(publish: Publish): Publish {
  return async (tmpFile) => {
    await verifyEntryData(tmpFile);
    return publish(tmpFile);
  };
}
