/** Reads what is in an archive: the chapter of a CBZ, or the chapters of a bound CBZ or EPUB. Reads no page. */
import { basename, dirname, extname, resolve } from 'node:path';
import type { ZipFile } from 'yauzl';
import {
  isBoundComment,
  isEditedBook,
  manifestIdentities,
  MANIFEST_NAME,
  MAX_MANIFEST_BYTES,
} from '../library/bound-manifest.js';
import { listEntries } from '../library/decode-limits.js';
import { COMIC_INFO_NAME, MAX_COMIC_INFO_BYTES } from '../library/comic-info.js';
import { readComicInfo } from '../library/comic-info-reader.js';
import { plainTitle } from '../library/numbered-title.js';
import { parseComicInfoIdentity, parseIdentityComment } from '../library/identity.js';
import { parseRecords, type ChapterRecord } from '../library/record.js';
import { fileChanged, readFileState, type FileState } from '../library/ownership.js';
import { readEntryText, toZipEntry, withZip, type ZipEntry } from '../library/zip-file.js';
import { isOwnFile } from '../core/files.js';
import { groupBy } from '../core/group-by.js';
import { manifestCopy } from './book-copy.js';
import { parseManifest } from './book-manifest.js';
import { guessName } from './guess-name.js';
import {
  damagedChapter,
  sourceKey,
  wasRead,
  withGuesses,
  type ReadChapter,
  type SourceChapter,
} from './source-chapter.js';

/** Enough for an EPUB of 100,000 pages. */
export const MAX_ENTRIES = 250_000;
/** Types that pages have elsewhere are pages too: they must not be left out silently. */
const PAGE_NAME = /\.(jpe?g|png|gif|webp|avif|jxl|bmp|tiff?|heic)$/i;
export const NATURAL_ORDER = new Intl.Collator('en', { numeric: true });

/** Throws StorageError `archive-damaged` for a file that is not an archive with pages. */
export async function readChapters(file: string): Promise<readonly ReadChapter[]> {
  try {
    const state = await readFileState(file);
    const chapters = await withZip(file, (zip) => chaptersOf(zip, file, state));
    if (!chapters) throw new Error('it is not a regular file');
    return chapters;
  } catch (cause) {
    throw damagedChapter(file, cause);
  }
}

/**
 * The chapters with their pages, for the volumes in which the plan has them: those that it took from the index are read
 * now. Throws StorageError: `archive-damaged`, `file-changed`.
 */
export async function withPages(chapters: readonly SourceChapter[]): Promise<ReadChapter[]> {
  const files = new Map<string, readonly ReadChapter[]>();
  const complete: ReadChapter[] = [];
  for (const chapter of chapters) {
    if (wasRead(chapter)) {
      complete.push(chapter);
      continue;
    }
    const { file, record, metadata, listed } = chapter;
    const inFile = files.get(file) ?? (await readChapters(file));
    files.set(file, inFile);
    const read = inFile.find((each) => sourceKey(each) === sourceKey(chapter));
    if (!read) throw fileChanged(file);
    complete.push({
      ...read,
      listed,
      record: record && { ...read.record, ...record },
      metadata: { ...read.metadata, volume: metadata.volume },
    });
  }
  return complete;
}

async function chaptersOf(
  zip: ZipFile,
  file: string,
  state: FileState | undefined,
): Promise<readonly ReadChapter[]> {
  const isBound = isBoundComment(zip.comment);
  const entries = await listEntries(zip, MAX_ENTRIES);
  const zipEntries = entries.map(toZipEntry);
  const pages = pageEntries(zipEntries);
  if (pages.length === 0) throw new Error('it contains no images');
  const textOf = async (name: string, maxBytes: number): Promise<string> => {
    const entry = entries.find(({ fileName }) => fileName === name);
    return entry && entry.uncompressedSize <= maxBytes ? readEntryText(zip, entry) : '';
  };
  const comicInfo = await textOf(COMIC_INFO_NAME, MAX_COMIC_INFO_BYTES);
  const manifest = await textOf(MANIFEST_NAME, MAX_MANIFEST_BYTES);
  if (isBound) {
    const count = /<Count>(\d{1,6})<\/Count>/.exec(comicInfo)?.[1];
    const volumeCount = count === undefined ? undefined : Number(count);
    const chapters = boundChapters(file, manifest, pages);
    const isBookEdited = isEditedBook(zip.comment, zipEntries);
    const copy = manifestCopy(manifest);
    return chapters.map((chapter) => ({ ...chapter, volumeCount, isBookEdited, copy }));
  }
  const name = basename(file, extname(file));
  const metadata = withGuesses(await readComicInfo(comicInfo), guessName(name));
  const marked = parseIdentityComment(zip.comment);
  const [recorded] = manifestIdentities(manifest);
  const identity = marked ?? recorded ?? parseComicInfoIdentity(comicInfo);
  const ownState = marked && state && isOwnFile(file, state) ? state : undefined;
  const record = marked && recordOf(manifest, marked.chapterId);
  // The path may be relative to that folder; the index has the chapter for every spelling of the path.
  const series = metadata.series ?? basename(dirname(resolve(file)));
  const title = marked ? plainTitle(metadata.title) : metadata.title;
  return [
    {
      file,
      isBound,
      ownState,
      identity,
      record,
      metadata: { ...metadata, series, title },
      pages: sortPages(pages),
    },
  ];
}

function boundChapters(file: string, manifest: string, pages: readonly ZipEntry[]): ReadChapter[] {
  const chapters = parseManifest(manifest);
  if (!chapters) throw new Error('its manifest is invalid');
  // Otherwise a short manifest could name the same pages millions of times.
  if (new Set(chapters.map(({ prefix }) => prefix)).size < chapters.length)
    throw new Error('its manifest names pages twice');
  const byPrefix = groupBy(pages, ({ name }) => /^c\d+-/.exec(basename(name))?.[0]);
  return chapters.map(({ prefix, ...chapter }) => {
    const own = byPrefix.get(prefix) ?? [];
    if (own.length === 0) throw new Error(`it lacks the pages ${prefix}`);
    return { file, isBound: true, ...chapter, pages: own };
  });
}

function recordOf(text: string, chapterId: string): ChapterRecord | undefined {
  return parseRecords(text)?.find((record) => record.chapterId === chapterId);
}

/** The pages among the entries. */
export function pageEntries(entries: readonly ZipEntry[]): ZipEntry[] {
  return entries.filter(({ name }) => isPage(name));
}

/** In the order of a chapter of any program. */
export function sortPages<Page extends { readonly name: string }>(pages: readonly Page[]): Page[] {
  return [...pages].sort((a, b) => NATURAL_ORDER.compare(a.name, b.name));
}

/** Images of other programs' folders, such as those of macOS, are not pages. */
export function isPage(name: string): boolean {
  const isHidden = name.split('/').some((part) => part.startsWith('.') || part === '__MACOSX');
  return PAGE_NAME.test(name) && !isHidden;
}
