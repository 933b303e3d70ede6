/**
 * Which pages of a file its replacement lacks, by the digests of their bytes. A book is compared by those in its manifest,
 * since its pages may have been converted; a chapter by its bytes, since its owner may have replaced a page.
 */
import { basename } from 'node:path';
import { imageExtension } from '../../core/image-format.js';
import { MANIFEST_NAME } from '../mark.js';
import { COMIC_INFO_NAME } from '../comic-info.js';
import type { ContainerName } from '../../config/containers.js';
import { openPages, readLibraryFile, type BookFile, type ChapterFile } from '../file.js';
import { reusableBuffer } from '../../core/zip-file.js';
import { sha256Of } from '../../core/sha256.js';

/** The pages of chapters in a book, which also has a cover. */
const BOOK_PAGE = /^c\d+-(?!cover\.)/;
/** Not compared: what tankobon writes beside the pages. */
const METADATA: readonly string[] = [MANIFEST_NAME, COMIC_INFO_NAME];

/**
 * Whether the file has a page that none of `others`, which have its format, has. Never rejects: a file that cannot be
 * compared may have one.
 */
export async function hasOtherPages(path: string, others: readonly string[]): Promise<boolean> {
  try {
    const file = await readComparable(path);
    const isBook = file.kind === 'book';
    const isReadable = file.hasReadablePages;
    if (isBook && file.isEdited && !isReadable) return true;
    const listed = isBook && !file.isEdited ? listedPages(file) : undefined;
    if (!listed && isBook && (!isReadable || file.copy)) return await lacksKeys(file, others);
    const missing = new Set(listed ?? (await readDigests(file)));
    const { container } = file;
    for (const other of others) {
      for (const digest of listedPages(await readComparable(other, container)) ?? [])
        missing.delete(digest);
      if (missing.size === 0) return false;
    }
    // Pages that have no digest in a manifest.
    for (const other of isReadable ? others : [])
      for (const digest of await readDigests(await readComparable(other, container), true))
        missing.delete(digest);
    return missing.size > 0;
  } catch {
    return true;
  }
}

type ReadableFile = ChapterFile | BookFile;

/** Throws for a file that cannot be read, and for a PDF that is not a whole book. */
async function readComparable(path: string, container?: ContainerName): Promise<ReadableFile> {
  const file = await readLibraryFile(path, container && { container });
  if (file.kind === 'missing' || file.kind === 'unreadable') throw file.cause;
  if (file.kind === 'book' && file.damage !== undefined && file.entries.length === 0)
    throw new Error('not a whole book', { cause: file.damage });
  if (!file.hasReadablePages && file.kind === 'chapter') throw new Error('not a whole book');
  return file;
}

/** Undefined unless the digests of all chapters are there. */
function listedPages(file: ReadableFile): readonly string[] | undefined {
  const chapters = file.kind === 'book' ? file.chapters : [file.chapter];
  return chapters.length > 0 && chapters.every(({ record }) => record?.pages !== undefined)
    ? chapters.flatMap(({ record }) => record?.acceptedPages ?? record?.pages ?? [])
    : undefined;
}

/** A key names the version of a chapter, and with it its pages. */
async function lacksKeys(
  { keys, container }: BookFile,
  others: readonly string[],
): Promise<boolean> {
  const known = new Set<string>();
  for (const path of others) {
    const other = await readComparable(path, container);
    for (const key of other.kind === 'book' ? other.keys : []) known.add(key);
  }
  return keys.length === 0 || keys.some((key) => !known.has(key));
}

/**
 * Of the pages in an archive: those of a book by their names, and in a chapter everything but the metadata, since its owner
 * may have added to it; with `all`, in a book too. Throws for one that cannot be read.
 */
async function readDigests(file: ReadableFile, all = false): Promise<readonly string[]> {
  const isBook = file.kind === 'book' && !all;
  const getBuffer = reusableBuffer();
  const reader = await openPages(file.path, file.container);
  try {
    const found: string[] = [];
    for (const entry of file.entries) {
      const { name } = entry;
      if (name.endsWith('/') || METADATA.includes(name)) continue;
      if (isBook && !BOOK_PAGE.test(basename(name))) continue;
      const data = await reader.read(entry, getBuffer);
      if (isBook && !imageExtension(data)) continue;
      found.push(sha256Of(data));
    }
    return found;
  } finally {
    await reader.close();
  }
}
