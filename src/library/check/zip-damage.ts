/**
 * What is wrong with a file: its structure, the checksum of each entry, and the end of each image. A whole file of tankobon
 * with other pages than its record names is edited. Reads the whole file once, and changes nothing.
 */
import { basename } from 'node:path';
import type { ZipFile } from 'yauzl';
import { thrownMessage } from '../../core/errors.js';
import { groupBy } from '../../core/group-by.js';
import { pluralize } from '../../core/human-format.js';
import { imageExtension } from '../../core/image-format.js';
import { hasValidTrailer } from '../../core/image-trailer.js';
import {
  hasBookDigest,
  isAcceptedBook,
  isBoundComment,
  isEditedBook,
  manifestIdentities,
  manifestKeys,
  markedIdentity,
  MANIFEST_NAME,
  MAX_MANIFEST_BYTES,
  parseIdentityComment,
  recordedDigests,
} from '../mark.js';
import { COMIC_INFO_NAME, findComicInfo, MAX_COMIC_INFO_BYTES } from '../comic-info.js';
import { NO_CONTENT } from '../read/content.js';
import {
  listEntries,
  toZipEntry,
  withZip,
  type EntryReader,
  type ZipEntry,
} from '../../core/zip-file.js';
import { sha256Of } from '../../core/sha256.js';
import { pageEntries, sortPages } from '../../config/names.js';
import type { ChapterRecord } from '../record.js';
import { damaged, type CheckOptions, type PageEdits } from './damage.js';

/** Checks every entry of an archive in the order of the file. */
export async function checkZip(
  path: string,
  options: CheckOptions,
): Promise<PageEdits | undefined> {
  const check = async (zip: ZipFile, reader: EntryReader) => ({
    edits: await checkContent(zip, reader, options),
  });
  // A check uses no bytes of the file.
  const checked = await withZip(path, check, { anyOwner: true, isRegular: options.isRegular });
  if (!checked) throw new Error('it is not a regular file');
  return checked.edits;
}

/** A copy, such as a book for a device, names no chapters. */
function markBook(manifest: string, onMark: CheckOptions['onMark']): void {
  const chapters = manifestIdentities(manifest);
  if (chapters.length > 0) onMark({ chapters, isBook: true });
}

async function checkContent(
  zip: ZipFile,
  reader: EntryReader,
  { onMark, onContent, ...options }: CheckOptions,
): Promise<PageEdits | undefined> {
  const { comment } = zip;
  const chapter = parseIdentityComment(comment);
  // Its record, which has the rest, may be damaged.
  if (chapter) onMark({ chapters: [chapter], isBook: false });
  const listed = await listEntries(zip);
  const entries = listed.map(toZipEntry);
  const textOf = async (name: string, maxBytes: number): Promise<string | undefined> => {
    const entry = listed.find((each) => each.fileName === name);
    if (!entry || entry.uncompressedSize > maxBytes) return undefined;
    return reader.readText(entry).catch((error: unknown) => {
      throw damaged('entry-damaged', `${name}: ${thrownMessage(error)}`);
    });
  };
  const manifest = (await textOf(MANIFEST_NAME, MAX_MANIFEST_BYTES)) ?? '';
  const identity = markedIdentity(comment, manifest);
  if (identity) onMark({ chapters: [identity], isBook: false });
  const isBook = isBoundComment(comment);
  if (isBook) {
    if ((manifestKeys(manifest) ?? []).length === 0)
      throw damaged('unreadable', `its list of chapters, ${MANIFEST_NAME}, is missing or damaged`);
    markBook(manifest, onMark);
  }
  const comicInfoName = findComicInfo(entries)?.name ?? COMIC_INFO_NAME;
  const comicInfo = await textOf(comicInfoName, MAX_COMIC_INFO_BYTES);
  const pages = sortPages(pageEntries(entries));
  if (pages.length === 0) throw damaged('page-missing', 'it contains no images');
  const { parseRecords } = await import('../record.js');
  const records = parseRecords(manifest) ?? [];
  const saved = isBook ? undefined : savedPages(records);
  const isOrWasBook = isBook || records.some(({ prefix }) => prefix !== undefined);
  // In a file with a record, fewer pages are an edit.
  if (!isOrWasBook && !saved) checkCount(pages.length, comicInfo);
  // The pages of a book are those that bind found, which said what is broken in them.
  const isAsBound = isBook && hasBookDigest(comment) && !isEditedBook(comment, entries);
  const known = { saved: new Set(saved), isAsBound };
  const digests = await checkEntries(reader, entries, known, options);
  const recorded = chapter || isBook ? new Set() : recordedDigests(manifest);
  const hasRecordedPage = [...digests.values()].some((digest) => recorded.has(digest));
  // Otherwise the next reader decides, which also compares other entries than pages, and records that are damaged.
  if (hasRecordedPage || recorded.size === 0)
    onContent({
      ...NO_CONTENT,
      mark: isBook ? 'book' : chapter ? 'chapter' : 'none',
      comment,
      manifest,
      comicInfo,
      entries,
      hasRecordedPage,
      isEdited: isBook && isEditedBook(comment, entries),
    });
  if (saved)
    return editsOf(
      pages.map((page) => digests.get(page) ?? ''),
      saved,
    );
  if (!isOrWasBook || isAcceptedBook(manifest, entries)) return undefined;
  return bookEdits(comment, entries, records);
}

function checkCount(pages: number, comicInfo = ''): void {
  const announced = Number(/<PageCount>\s*(\d{1,6})\s*</.exec(comicInfo)?.[1] ?? pages);
  if (pages < announced)
    throw damaged('page-missing', `ComicInfo.xml lists ${announced} pages, and it has ${pages}`);
}

/** The sha256 of the pages that a chapter's file has by its record; undefined without one. */
function savedPages([record, ...others]: readonly ChapterRecord[]): readonly string[] | undefined {
  const { prefix, pages: saved = [], acceptedPages: pages = saved } = record ?? {};
  return others.length === 0 && prefix === undefined && pages.length > 0 ? pages : undefined;
}

/** Undefined if the pages are those that were saved, in their order. */
function editsOf(pages: readonly string[], saved: readonly string[]): PageEdits | undefined {
  if (pages.length === saved.length && pages.every((page, index) => page === saved[index]))
    return undefined;
  const [there, known] = [new Set(pages), new Set(saved)];
  const missing = saved.filter((page) => !there.has(page)).length;
  const others = pages.filter((page) => !known.has(page)).length;
  const details = [
    ...(missing > 0 ? [`${missing} of ${pluralize(saved.length, 'saved page')} missing`] : []),
    ...(others > 0 ? [pluralize(others, 'other page')] : []),
  ];
  return {
    pages: pages.length,
    detail: details.join(', ') || 'its pages are in another order, or there twice',
  };
}

/** By the digest of its entries in the mark of the book; where it has none, by the number of pages of each chapter. */
function bookEdits(
  comment: string,
  entries: readonly ZipEntry[],
  records: readonly ChapterRecord[],
): PageEdits | undefined {
  const pages = pageEntries(entries);
  const isEdited = isEditedBook(comment, entries);
  if (!isEdited && hasBookDigest(comment)) return undefined;
  const byPrefix = groupBy(pages, ({ name }) => /^c\d+-/.exec(basename(name))?.[0]);
  const missing = records.reduce(
    (sum, { prefix = '', pages: saved = [], acceptedPages = saved }) => {
      return sum + Math.max(0, acceptedPages.length - (byPrefix.get(prefix)?.length ?? 0));
    },
    0,
  );
  if (missing > 0)
    return { pages: pages.length, detail: `${pluralize(missing, 'saved page')} missing` };
  return isEdited
    ? { pages: pages.length, detail: 'another program changed it after it was bound' }
    : undefined;
}

/** Resolves with the sha256 of each page where there are saved ones. Several pages may have one name. */
export async function checkEntries(
  reader: Pick<EntryReader, 'read'>,
  entries: readonly ZipEntry[],
  { saved, isAsBound }: { readonly saved: ReadonlySet<string>; readonly isAsBound: boolean },
  { signal, getBuffer }: Pick<CheckOptions, 'signal' | 'getBuffer'>,
): Promise<ReadonlyMap<ZipEntry, string>> {
  const isPage = new Set(pageEntries(entries));
  const digests = new Map<ZipEntry, string>();
  for (const entry of entries) {
    signal.throwIfAborted();
    const { name } = entry;
    const data = await reader.read(entry, getBuffer).catch((error: unknown) => {
      throw damaged('entry-damaged', `${name}: ${thrownMessage(error)}`);
    });
    if (!isPage.has(entry)) continue;
    const digest = saved.size > 0 ? sha256Of(data) : '';
    digests.set(entry, digest);
    // The end of a page that was saved need not be found.
    if (!saved.has(digest) && !isAsBound) checkImage(name, data);
  }
  return digests;
}

/** The first bytes of images that are not bound, but may be whole: BMP, TIFF, PSD, JPEG XL, JPEG 2000. */
const OTHER_IMAGES = [
  'BM',
  'II*\0',
  'MM\0*',
  '8BPS',
  '\xff\x0a',
  '\xff\x4f\xff\x51',
  '\0\0\0\x0cJXL ',
  '\0\0\0\x0cjP  ',
] as const;

function isOtherImage(data: Buffer): boolean {
  const start = data.toString('latin1', 0, 12);
  // HEIC and its successors are ISO media files.
  return start.startsWith('ftyp', 4) || OTHER_IMAGES.some((each) => start.startsWith(each));
}

function checkImage(name: string, data: Buffer): void {
  const extension = imageExtension(data);
  if (!extension && !isOtherImage(data))
    throw damaged('page-incomplete', `${name} is not an image`);
  if (extension && !hasValidTrailer(extension, data))
    throw damaged('page-incomplete', `${name} is incomplete`);
}
