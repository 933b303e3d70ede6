/**
 * The bounds of what is inflated and decoded, checked before either: `bind` and `retag` read archives of any origin.
 * Use listEntries, or assertNotBomb with the sizes, before any entry is inflated, and decodedBytes, compared
 * with MAX_DECODED_BYTES, with each image before it is decoded.
 */
import type { Entry, ZipFile } from 'yauzl';
import { toZipEntry } from './zip-file.js';

/** Archives that inflate to less are never refused. */
const MIN_BOMB_BYTES = 256 * 2 ** 20;
/** Images hardly become smaller in a ZIP: an archive that inflates to more than this multiple is a zip bomb. */
const MAX_COMPRESSION = 100;

/** The archive's directory. Throws Error for one with more entries, and as assertNotBomb does. */
export async function listEntries(zip: ZipFile, maxEntries: number): Promise<readonly Entry[]> {
  if (zip.entryCount > maxEntries) throw new Error(`it has ${zip.entryCount} entries`);
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  assertNotBomb(entries.map(toZipEntry), zip.fileSize);
  return entries;
}

/** Throws Error for an archive that inflates to more than 256 MiB and to more than 100 times its size. */
export function assertNotBomb(
  entries: Iterable<{ readonly bytes: number }>,
  archiveBytes: number,
): void {
  let bytes = 0;
  for (const entry of entries) bytes += entry.bytes;
  if (bytes > Math.max(MIN_BOMB_BYTES, archiveBytes * MAX_COMPRESSION))
    throw new Error(`its entries would have ${bytes} bytes`);
}
