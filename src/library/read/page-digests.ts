/** The digests of the pages of an archive, or of a folder of images. */
import { join } from 'node:path';
import { pageEntries, sortPages } from '../../config/names.js';
import { digestIfRegular } from '../../core/files.js';
import type { GetBuffer, ZipEntry } from '../../core/zip-file.js';
import { sha256Of } from '../../core/sha256.js';
import type { PageReader } from './content.js';

/** The sha256 of each page among the entries, in reading order. Throws Error with what is wrong with a page. */
export async function digestsOfPages(
  entries: readonly ZipEntry[],
  reader: Pick<PageReader, 'read'>,
  getBuffer: GetBuffer,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const digests: string[] = [];
  for (const entry of sortPages(pageEntries(entries))) {
    signal?.throwIfAborted();
    const data = await reader.read(entry, getBuffer);
    digests.push(sha256Of(data));
  }
  return digests;
}

/** Does the same for the images in a folder. */
export async function digestsOfFolder(
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
