/** Which entries of an archive, or files of a folder, are pages, their order, and the digests by which it is proved which chapter they are. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ZipFile } from 'yauzl';
import { digestIfRegular } from '../core/files.js';
import { listEntries } from '../core/zip-entries.js';
import { MAX_ENTRIES } from './read/zip-content.js';
import { toZipEntry, withZip, type EntryReader, type GetBuffer } from '../core/zip-file.js';

/** Types that pages have elsewhere are pages too: they must not be left out silently. */
const PAGE_NAME = /\.(jpe?g|png|gif|webp|avif|jxl|bmp|tiff?|heic)$/i;
export const NATURAL_ORDER = new Intl.Collator('en', { numeric: true });

interface Named {
  readonly name: string;
}

/** The pages among the entries. */
export function pageEntries<Page extends Named>(entries: readonly Page[]): Page[] {
  return entries.filter(({ name }) => isPage(name));
}

/** In the order of a chapter of any program. */
export function sortPages<Page extends Named>(pages: readonly Page[]): Page[] {
  return [...pages].sort((a, b) => NATURAL_ORDER.compare(a.name, b.name));
}

/** Images of other programs' folders, such as those of macOS, are not pages. */
export function isPage(name: string): boolean {
  const isHidden = name.split('/').some((part) => part.startsWith('.') || part === '__MACOSX');
  return PAGE_NAME.test(name) && !isHidden;
}

/** An archive, or a folder of images. */
export interface PagedFile {
  readonly file: string;
  readonly isFolder: boolean;
  /** The images of a folder, in no order. */
  readonly images: readonly string[];
}

/**
 * The sha256 of each page in reading order, as lower-case hex. Throws Error with what is wrong with a page.
 *
 * @param getBuffer one for all files of a run: a new one for each file takes longer than a small file
 */
export async function readPageDigests(
  { file, isFolder, images }: PagedFile,
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
