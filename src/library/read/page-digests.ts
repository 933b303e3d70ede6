/** The digests of the pages of an archive, or of a folder of images. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ZipFile } from 'yauzl';
import { pageEntries, sortPages } from '../../config/names.js';
import { digestIfRegular } from '../../core/files.js';
import {
  listEntries,
  toZipEntry,
  withZip,
  type EntryReader,
  type GetBuffer,
} from '../../core/zip-file.js';
import { MAX_ENTRIES } from './zip-content.js';

/** An archive, or a folder of images. */
interface PagedFile {
  readonly file: string;
  readonly isFolder?: boolean;
  /** The images of a folder, in no order. */
  readonly images?: readonly string[];
}

/**
 * The sha256 of each page in reading order, as lower-case hex. Throws Error with what is wrong with a page.
 *
 * @param getBuffer one for all files of a run: a new one for each file takes longer than a small file
 */
export async function readPageDigests(
  { file, isFolder = false, images = [] }: PagedFile,
  getBuffer: GetBuffer,
  signal?: AbortSignal,
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
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const listed = await listEntries(zip, MAX_ENTRIES);
  const digests: string[] = [];
  for (const entry of sortPages(pageEntries(listed.map(toZipEntry)))) {
    signal?.throwIfAborted();
    const data = await reader.read(entry, getBuffer);
    digests.push(createHash('sha256').update(data).digest('hex'));
  }
  return digests;
}

async function digestsOfFolder(
  folder: string,
  images: readonly string[],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const digests: string[] = [];
  for (const { name } of sortPages(images.map((image) => ({ name: image })))) {
    signal?.throwIfAborted();
    const digest = await digestIfRegular(join(folder, name));
    if (digest === undefined || digest === '') throw new Error(`${name}: it is not a regular file`);
    digests.push(digest);
  }
  return digests;
}
