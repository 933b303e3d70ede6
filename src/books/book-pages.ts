/** Reads the pages of a book one by one, checked, in the order of the book. */
import { basename } from 'node:path';
import { otherImageType, pageName } from '../config/names.js';
import { decodedBytes, MAX_DECODED_BYTES } from '../core/decoded-size.js';
import { reusableBuffer, type ZipEntry } from '../core/zip-file.js';
import { StorageError, thrownMessage } from '../core/errors.js';
import { formatBytes } from '../core/human-format.js';
import { imageDimensions, type ImageDimensions } from '../core/image-dimensions.js';
import { imageExtension, type ImageExtension } from '../core/image-format.js';
import { hasValidTrailer } from '../core/image-trailer.js';
import { openPages } from '../library/file.js';
import {
  chapterPrefix,
  coverName,
  type Book,
  type BookGroup,
  type PreparedPages,
  type FormatOptions,
} from './book.js';
import { convertToPng } from './convert-image.js';
import type { PageKind } from './device/plan-page.js';
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
  /** Only of a book for a device. */
  readonly kind?: PageKind;
  /** Around the page on the screen; only of a book for a device. */
  readonly background?: 'black' | 'white';
}

type PageOptions = Pick<
  FormatOptions,
  'convert' | 'onPage' | 'onBrokenPage' | 'signal' | 'format' | 'accepted' | 'decoded'
>;

/** The beginning of an image contains its size in almost every file. */
const DIMENSIONS_BYTES = 512 * 1024;

/**
 * Yields the cover, if there is one, and the pages. A page's data is valid until the next one is requested, which calls
 * `onPage`. Throws StorageError: `archive-damaged` for a page that cannot be read or is not an image, `page-unsupported`
 * for a type that the format cannot contain.
 */
export async function* bookPages(book: Book, options: PageOptions): AsyncGenerator<BookPage> {
  if (book.prepared) yield* preparedPages(book, book.prepared, options.signal);
  else yield* originalPages(book, options);
}

async function* originalPages(
  { group, cover }: Book,
  options: PageOptions,
): AsyncGenerator<BookPage> {
  if (cover) {
    const image = await toAcceptedImage(cover.data, cover.file, options);
    const coverInfo = { chapter: undefined, page: 0, chapterTitle: undefined };
    yield { ...image, name: coverName(image.extension), ...coverInfo };
    options.onPage();
  }
  for await (const source of sourcePages(group, options.signal)) {
    const image = await toAcceptedImage(source.data, source.location, options);
    // Pages that tankobon saved were checked then.
    const wasSaved = group.chapters[source.chapter]?.record?.pages !== undefined;
    if (!wasSaved && !options.decoded.includes(image.extension))
      warnOfIncomplete(image, source, options);
    yield { ...image, ...positionOf(group, source.chapter, source.page, image.extension) };
    options.onPage();
  }
}

function warnOfIncomplete(
  { data, extension }: Pick<BookPage, 'data' | 'extension'>,
  { location }: SourcePage,
  { onBrokenPage }: PageOptions,
): void {
  if (hasValidTrailer(extension, data)) return;
  onBrokenPage(`A page is incomplete, and in the book as it is: ${location}`);
}

/** The pages of a book for a device: images may have several. */
async function* preparedPages(
  { group }: Book,
  prepared: PreparedPages,
  signal: AbortSignal,
): AsyncGenerator<BookPage> {
  for (const [index, image] of prepared.cover.entries()) {
    const name = nameOfPart(coverName(image.extension), index, prepared.cover.length);
    const coverInfo = { chapter: undefined, page: 0, chapterTitle: undefined };
    yield { ...image, data: await image.read(), name, ...coverInfo };
  }
  for (const [chapter, { pages }] of group.chapters.entries())
    for (const [page, entry] of pages.entries()) {
      const images = prepared.imagesOf(entry);
      for (const [index, image] of images.entries()) {
        signal.throwIfAborted();
        const position = positionOf(group, chapter, page, image.extension);
        const name = nameOfPart(position.name, index, images.length);
        const chapterTitle = index === 0 ? position.chapterTitle : undefined;
        yield { ...image, data: await image.read(), ...position, name, chapterTitle };
      }
    }
}

function positionOf(
  { chapters }: BookGroup,
  chapter: number,
  page: number,
  extension: ImageExtension,
) {
  const { metadata = {}, pages = [] } = chapters[chapter] ?? {};
  const prefix = chapterPrefix(chapter, chapters.length);
  return {
    name: prefix + pageName(page, pages.length, extension),
    chapter,
    page,
    chapterTitle: page === 0 ? chapterLabel(metadata) : undefined,
  };
}

/** Such as `c001-012-2.png`. */
function nameOfPart(name: string, index: number, parts: number): string {
  return parts === 1 ? name : name.replace(/(?=\.\w+$)/, `-${paddedPart(index, parts)}`);
}

function paddedPart(index: number, parts: number): string {
  return String(index + 1).padStart(String(parts).length, '0');
}

/** A page as it is in the file of its chapter. */
export interface SourcePage {
  /** Both count from 0. */
  readonly chapter: number;
  readonly page: number;
  readonly entry: ZipEntry;
  /** Valid until the next page is requested. */
  readonly data: Buffer;
  /** For errors: `001.png of a.cbz`. */
  readonly location: string;
}

/** Throws StorageError `archive-damaged` for a page that cannot be read. */
export async function* sourcePages(
  { chapters }: Pick<BookGroup, 'chapters'>,
  signal: AbortSignal,
): AsyncGenerator<SourcePage> {
  const getBuffer = reusableBuffer();
  for (const [chapter, { file, pages }] of chapters.entries()) {
    const reader = await openPages(file).catch((cause: unknown) => {
      const message = `Cannot open the archive: ${file}`;
      throw new StorageError('archive-damaged', message, { cause, path: file });
    });
    try {
      for (const [page, entry] of pages.entries()) {
        signal.throwIfAborted();
        const location = `${basename(entry.name)} of ${file}`;
        const data = await reader.read(entry, getBuffer).catch((error: unknown) => {
          throw damagedPage(thrownMessage(error), location, error);
        });
        yield { chapter, page, entry, data, location };
      }
    } finally {
      await reader.close();
    }
  }
}

export function damagedPage(problem: string, location: string, cause?: unknown): StorageError {
  return new StorageError('archive-damaged', `Damaged page: ${problem}: ${location}`, { cause });
}

/**
 * Images of other types may be whole: other programs show some of them.
 *
 * @param location such as `001.png of a.cbz`
 */
export function notAnImage(location: string): StorageError {
  const [type] = location.split(' of ').flatMap((part) => otherImageType(part) ?? []);
  if (type === undefined)
    return damagedPage('it is not a JPEG, PNG, GIF, WebP or AVIF image', location);
  return new StorageError('archive-damaged', `A book cannot contain a ${type} image: ${location}`, {
    hint: 'Replace it in its archive by a PNG or JPEG image, then try again.',
  });
}

async function toAcceptedImage(original: Buffer, location: string, options: PageOptions) {
  const { format, accepted, convert, signal } = options;
  let data = original;
  let extension = imageExtension(data);
  if (!extension) throw notAnImage(location);
  if (!accepted.includes(extension)) {
    const type = extension.toUpperCase();
    if (!convert)
      throw new StorageError('page-unsupported', `${format} cannot contain ${type}: ${location}`);
    await assertDecodable(data, location);
    try {
      data = await convertToPng(data, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw damagedPage(`it cannot be converted from ${type}`, location, error);
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
  if (bytes === undefined) throw damagedPage('its size cannot be read', location);
  if (bytes > MAX_DECODED_BYTES)
    throw damagedPage(`it has ${formatBytes(bytes)} decoded`, location);
}

/** For formats whose pages have the size of their images. Throws StorageError `archive-damaged`. */
export function requireDimensions({ dimensions, name }: BookPage): ImageDimensions {
  if (dimensions) return dimensions;
  throw damagedPage('its size cannot be read', name);
}
