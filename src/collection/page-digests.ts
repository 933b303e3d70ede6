/** The digests of the pages of a file, and whether they are those in the names that the service gives to a chapter's pages. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ZipFile } from 'yauzl';
import { MAX_ENTRIES } from '../library/archive-content.js';
import { listEntries } from '../library/decode-limits.js';
import { toZipEntry, withZip, type EntryReader, type GetBuffer } from '../library/zip-file.js';
import { digestIfRegular } from '../core/files.js';
import { pageEntries, sortPages } from '../books/read-chapters.js';
import { pageFileNames, type AtHomeMetadata, digestInFileName } from '../service/at-home.js';
import { QUALITIES, type Quality } from '../config/quality.js';
import type { AdoptableFile } from './adoptable-files.js';

/**
 * The sha256 of each page in reading order, as lower-case hex. Throws Error with what is wrong with a page.
 *
 * @param getBuffer one for all files of a run: a new one for each file takes longer than a small file
 */
export async function readPageDigests(
  { file, isFolder, images }: Pick<AdoptableFile, 'file' | 'isFolder' | 'images'>,
  getBuffer: GetBuffer,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (isFolder) return digestsOfFolder(file, images, signal);
  const found = await withZip(file, (zip, reader) =>
    readOpenPageDigests(zip, reader, getBuffer, signal),
  );
  if (!found) throw new Error('it is not a regular file');
  return found;
}

/** Does the same for an archive that is open. */
export async function readOpenPageDigests(
  zip: ZipFile,
  reader: EntryReader,
  getBuffer: GetBuffer,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const listed = await listEntries(zip, MAX_ENTRIES);
  const digests: string[] = [];
  for (const entry of sortPages(pageEntries(listed.map(toZipEntry)))) {
    signal.throwIfAborted();
    const data = await reader.read(entry, getBuffer);
    digests.push(createHash('sha256').update(data).digest('hex'));
  }
  return digests;
}

async function digestsOfFolder(
  folder: string,
  images: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const digests: string[] = [];
  for (const { name } of sortPages(images.map((image) => ({ name: image })))) {
    signal.throwIfAborted();
    const digest = await digestIfRegular(join(folder, name));
    if (digest === undefined || digest === '') throw new Error(`${name}: it is not a regular file`);
    digests.push(digest);
  }
  return digests;
}

/** The quality of which the file has all pages; it may have more, such as covers. */
export function matchingQuality(
  metadata: AtHomeMetadata | undefined,
  pages: readonly string[],
): Quality | undefined {
  if (!metadata) return undefined;
  const known = new Set(pages);
  return QUALITIES.find((quality) => {
    const names = pageFileNames(metadata, quality);
    return names.length > 0 && names.every((name) => known.has(digestInFileName(name) ?? ''));
  });
}
