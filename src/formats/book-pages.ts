/** Reads the pages of a book one by one, checked, in the order of the book. */
import { basename } from 'node:path';
import { pageName } from '../cbz/page-name.js';
import { decodedBytes, MAX_DECODED_BYTES } from '../cbz/decode-limits.js';
import { reusableBuffer, ZipEntryReader, type GetBuffer, type ZipEntry } from '../cbz/zip-file.js';
import { StorageError, thrownMessage } from '../core/errors.js';
import { formatBytes } from '../core/human-format.js';
import { imageDimensions, type ImageDimensions } from '../image/dimensions.js';
import { imageExtension, type ImageExtension } from '../image/format.js';
import { chapterPrefix, coverName, type Book, type WriteOptions } from './book.js';
import { convertToPng } from './convert-image.js';
import { chapterLabel } from './source-chapter.js';

export interface BookPage {
  /** Such as `c001-012.png`. */
  readonly name: string;
  readonly data: Buffer;
  readonly extension: ImageExtension;
  /** In pixels; unknown for a damaged image. */
  readonly dimensions: ImageDimensions | undefined;
  /** Counts from 0; undefined for the cover. */
  readonly chapter: number | undefined;
  /** Counts from 0. */
  readonly page: number;
  /** The title of the chapter that begins with this page. */
  readonly chapterTitle: string | undefined;
}

interface PageOptions extends Pick<WriteOptions, 'convert' | 'onPage' | 'signal'> {
  /** For the error: `EPUB`. */
  readonly format: string;
  readonly accepted: readonly ImageExtension[];
}

/** Larger pages do not exist: a number like this in an archive is wrong. */
const MAX_PAGE_BYTES = 2 ** 28;
/** The beginning of an image contains its size in almost every file. */
const DIMENSIONS_BYTES = 512 * 1024;

/**
 * Yields the cover, if there is one, and the pages. A page's data is valid until the next one is requested, which calls
 * `onPage`. Throws StorageError: `archive-damaged` for a page that cannot be read or is not an image, `page-unsupported`
 * for a type that the format cannot contain.
 */
export async function* bookPages(
  { group, cover }: Book,
  options: PageOptions,
): AsyncGenerator<BookPage> {
  const getBuffer = reusableBuffer();
  if (cover) {
    const image = await toAcceptedImage(cover.data, cover.file, options);
    const coverInfo = { chapter: undefined, page: 0, chapterTitle: undefined };
    yield { ...image, name: coverName(image.extension), ...coverInfo };
    options.onPage();
  }
  for (const [chapter, { file, pages, metadata }] of group.chapters.entries()) {
    const prefix = chapterPrefix(chapter, group.chapters.length);
    const reader = await openReader(file);
    try {
      for (const [page, entry] of pages.entries()) {
        options.signal.throwIfAborted();
        const location = `${basename(entry.name)} of ${file}`;
        const image = await toAcceptedImage(
          await read(reader, entry, getBuffer, location),
          location,
          options,
        );
        const name = prefix + pageName(page, pages.length, image.extension);
        const chapterTitle = page === 0 ? chapterLabel(metadata) : undefined;
        yield { ...image, name, chapter, page, chapterTitle };
        options.onPage();
      }
    } finally {
      await reader.close();
    }
  }
}

function damaged(problem: string, location: string, cause?: unknown): StorageError {
  return new StorageError('archive-damaged', `Damaged page: ${problem}: ${location}`, { cause });
}

async function openReader(file: string): Promise<ZipEntryReader> {
  try {
    return await ZipEntryReader.open(file);
  } catch (cause) {
    throw new StorageError('archive-damaged', `Cannot open the archive: ${file}`, { cause });
  }
}

async function read(
  reader: ZipEntryReader,
  entry: ZipEntry,
  getBuffer: GetBuffer,
  location: string,
): Promise<Buffer> {
  try {
    if (Math.max(entry.bytes, entry.compressedBytes) > MAX_PAGE_BYTES)
      throw new Error(`it has ${entry.bytes} bytes`);
    return await reader.read(entry, getBuffer);
  } catch (error) {
    throw damaged(thrownMessage(error), location, error);
  }
}

async function toAcceptedImage(original: Buffer, location: string, options: PageOptions) {
  const { format, accepted, convert, signal } = options;
  let data = original;
  let extension = imageExtension(data);
  if (!extension) throw damaged('it is not an image', location);
  if (!accepted.includes(extension)) {
    const type = extension.toUpperCase();
    if (!convert)
      throw new StorageError('page-unsupported', `${format} cannot contain ${type}: ${location}`);
    await assertDecodable(data, location);
    try {
      data = await convertToPng(data, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw damaged(`it cannot be converted from ${type}`, location, error);
    }
    extension = 'png';
  }
  const dimensions =
    (await imageDimensions(data.subarray(0, DIMENSIONS_BYTES))) ?? (await imageDimensions(data));
  return { data, extension, dimensions };
}

/** For images that are to be decoded. Throws StorageError `archive-damaged`. */
export async function assertDecodable(image: Buffer, location: string): Promise<void> {
  const bytes = await decodedBytes(image);
  if (bytes === undefined) throw damaged('its size cannot be read', location);
  if (bytes > MAX_DECODED_BYTES) throw damaged(`it has ${formatBytes(bytes)} decoded`, location);
}

/** For formats whose pages have the size of their images. Throws StorageError `archive-damaged`. */
export function requireDimensions({ dimensions, name }: BookPage): ImageDimensions {
  if (dimensions) return dimensions;
  throw damaged('its size cannot be read', name);
}
