/**
 * The covers of titles from their files: an image that `download --cover` saved beside the chapters, or the first page of
 * one of the first files. Nothing decodes them: they stay as they are, and those that are too large are left out.
 */
import { basename, dirname, join } from 'node:path';
import { readdirIfReadable } from '../core/read-folder.js';
import { COMIC_INFO_NAME } from '../library/comic-info.js';
import { isReadableBook } from '../library/file.js';
import { readRegularFileIfExists } from '../core/files.js';
import { coverNames } from '../books/find-cover.js';
import { isPage, pageEntries, sortPages } from '../config/names.js';
import { imageDimensions } from '../core/image-dimensions.js';
import { imageExtension, type ImageExtension } from '../core/image-format.js';
import { hasValidTrailer } from '../core/image-trailer.js';
import { listEntries, toZipEntry, withZip } from '../core/zip-file.js';

export interface TitleCover {
  readonly extension: ImageExtension;
  readonly data: Buffer;
}

export const MAX_COVER_BYTES = 512 * 2 ** 10;
/** The sum of all covers: a page of several thousand titles stays one that a phone can open. */
const MAX_TOTAL_BYTES = 32 * 2 ** 20;
/** A few bytes can announce an image that takes gigabytes once it is shown. */
const MAX_COVER_PIXELS = 2 ** 24;
/** How many files of a title are tried: the first page may be too large in one, and small in the next. */
const MAX_OPENED_FILES = 3;

/**
 * The cover of each title, in this order; undefined where there is none, and once 32 MiB are reached.
 *
 * @param titles the files of each title
 */
export async function findTitleCovers(
  titles: readonly (readonly string[])[],
  signal: AbortSignal,
): Promise<readonly (TitleCover | undefined)[]> {
  const titlesIn = new Map<string, number>();
  for (const files of titles)
    for (const folder of new Set(files.map((file) => dirname(file))))
      titlesIn.set(folder, (titlesIn.get(folder) ?? 0) + 1);
  const covers: (TitleCover | undefined)[] = [];
  let remainingBytes = MAX_TOTAL_BYTES;
  for (const files of titles) {
    signal.throwIfAborted();
    const ownFolders = [...new Set(files.map((file) => dirname(file)))].filter(
      (it) => titlesIn.get(it) === 1,
    );
    const cover = remainingBytes > 0 ? await findTitleCover(files, ownFolders) : undefined;
    const isKept = cover !== undefined && cover.data.length <= remainingBytes;
    covers.push(isKept ? cover : undefined);
    remainingBytes -= isKept ? cover.data.length : 0;
  }
  return covers;
}

/** `ownFolders`: those without chapters of other titles, whose cover could be that of another one. */
async function findTitleCover(
  files: readonly string[],
  ownFolders: readonly string[],
): Promise<TitleCover | undefined> {
  for (const folder of ownFolders.slice(0, MAX_OPENED_FILES)) {
    const names = (await readdirIfReadable(folder)).map(({ name }) => name);
    for (const name of coverNames(names).slice(0, MAX_OPENED_FILES)) {
      const cover = await usable(() => readSmallFile(join(folder, name)));
      if (cover) return cover;
    }
  }
  const first = sortPages([...new Set(files)].map((name) => ({ name })));
  for (const { name } of first.slice(0, MAX_OPENED_FILES)) {
    const cover = await usable(() => firstPage(name));
    if (cover) return cover;
  }
  return undefined;
}

/** Undefined for anything but a whole image of one of the known formats, none of which contains scripts. */
async function usable(read: () => Promise<Buffer | undefined>): Promise<TitleCover | undefined> {
  // A file that cannot be read is one without a cover: `verify` reports it.
  const data = await read().catch(() => undefined);
  if (!data || data.length > MAX_COVER_BYTES) return undefined;
  const extension = imageExtension(data);
  if (!extension || !hasValidTrailer(extension, data)) return undefined;
  const dimensions = await imageDimensions(data);
  const pixels = dimensions ? dimensions.width * dimensions.height : Infinity;
  return pixels <= MAX_COVER_PIXELS ? { extension, data } : undefined;
}

async function readSmallFile(file: string): Promise<Buffer | undefined> {
  return readRegularFileIfExists(file, { maxBytes: MAX_COVER_BYTES });
}

/** Undefined for a PDF. */
async function firstPage(file: string): Promise<Buffer | undefined> {
  if (basename(file) === COMIC_INFO_NAME) {
    const names = (await readdirIfReadable(dirname(file))).map(({ name }) => name).filter(isPage);
    const [first] = sortPages(names.map((each) => ({ name: each })));
    return first && readSmallFile(join(dirname(file), first.name));
  }
  if (!isReadableBook(file)) return undefined;
  return withZip(file, async (zip, reader) => {
    const entries = (await listEntries(zip)).map(toZipEntry);
    const [page] = sortPages(pageEntries(entries));
    if (!page || Math.max(page.bytes, page.compressedBytes) > MAX_COVER_BYTES) return undefined;
    return reader.read(page, (bytes) => Buffer.alloc(bytes));
  });
}
