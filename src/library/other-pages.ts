/**
 * Which pages of a file its replacement lacks, by the digests of their bytes. A book is compared by those in its manifest,
 * since its pages may have been converted; a chapter by its bytes, since its owner may have replaced a page.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { imageExtension } from '../core/image-format.js';
import { entryTexts } from './archive-content.js';
import {
  bookKeys,
  isBoundComment,
  isCopy,
  isEditedBook,
  MANIFEST_NAME,
  readPdfManifest,
} from './bound-manifest.js';
import { COMIC_INFO_NAME } from './comic-info.js';
import { listEntries } from './decode-limits.js';
import { parseRecords } from './record.js';
import { reusableBuffer, toZipEntry, withZip } from './zip-file.js';

/** Enough for a book of 100,000 pages. */
const MAX_ENTRIES = 250_000;
/** The pages of chapters in a book, which also has a cover. */
const BOOK_PAGE = /^c\d+-(?!cover\.)/;
/** Not compared: what tankobon writes beside the pages. */
const METADATA: readonly string[] = [MANIFEST_NAME, COMIC_INFO_NAME];

/**
 * Whether the file has a page that none of `others`, which have its format, has. Never rejects: a file that cannot be
 * compared may have one.
 */
export async function hasOtherPages(file: string, others: readonly string[]): Promise<boolean> {
  try {
    const format = /\.pdf$/i.test(file) ? 'pdf' : 'zip';
    const manifest = await readManifest(file, format);
    if (manifest.isEdited && format === 'pdf') return true;
    const isBook = manifest.keys !== undefined;
    const listed = isBook && !manifest.isEdited ? listedPages(manifest) : undefined;
    if (!listed && isBook && (format === 'pdf' || manifest.isCopy))
      return await lacksKeys(manifest.keys, others, format);
    const missing = new Set(listed ?? (await readDigests(file, isBook)));
    for (const other of others) {
      for (const digest of listedPages(await readManifest(other, format)) ?? [])
        missing.delete(digest);
      if (missing.size === 0) return false;
    }
    // Pages that have no digest in a manifest.
    for (const other of format === 'zip' ? others : [])
      for (const digest of await readDigests(other)) missing.delete(digest);
    return missing.size > 0;
  } catch {
    return true;
  }
}

type Format = 'pdf' | 'zip';

interface Manifest {
  readonly text: string;
  /** The chapters of a book; undefined for a file of one chapter. */
  readonly keys: readonly string[] | undefined;
  /** A book with the pages of a device, or in parts. */
  readonly isCopy: boolean;
  /** Another program changed the book. */
  readonly isEdited: boolean;
}

/** Throws for a file that is not an archive, and for a PDF of another program. */
async function readManifest(file: string, format: Format): Promise<Manifest> {
  if (format === 'pdf') {
    const found = await readPdfManifest(file);
    if (!found?.isWhole) throw new Error('not a whole book');
    return ofBook(found.text, found.isEdited);
  }
  const manifest = await withZip(file, async (zip) => {
    const entries = await listEntries(zip, MAX_ENTRIES);
    const texts = await entryTexts(zip, [MANIFEST_NAME], entries);
    const text = texts.get(MANIFEST_NAME) ?? '';
    if (!isBoundComment(zip.comment))
      return { text, keys: undefined, isCopy: false, isEdited: false };
    return ofBook(text, isEditedBook(zip.comment, entries.map(toZipEntry)));
  });
  if (!manifest) throw new Error('not a regular file');
  return manifest;
}

function ofBook(text: string, isEdited: boolean): Manifest {
  return { text, keys: bookKeys(text) ?? [], isCopy: isCopy(text), isEdited };
}

/** Undefined unless the digests of all chapters are there. */
function listedPages({ text }: Manifest): readonly string[] | undefined {
  const chapters = parseRecords(text) ?? [{ pages: undefined }];
  return chapters.every(({ pages }) => pages !== undefined)
    ? chapters.flatMap(({ pages = [] }) => pages)
    : undefined;
}

/** A key names the version of a chapter, and with it its pages. */
async function lacksKeys(
  keys: readonly string[] | undefined,
  others: readonly string[],
  format: Format,
): Promise<boolean> {
  const known = new Set<string>();
  for (const other of others)
    for (const key of (await readManifest(other, format)).keys ?? []) known.add(key);
  return keys === undefined || keys.length === 0 || keys.some((key) => !known.has(key));
}

/**
 * Of the pages in an archive: those of a book by their names, and in a chapter everything but the metadata, since its owner
 * may have added to it. Throws for one that cannot be read.
 */
async function readDigests(file: string, isBook = false): Promise<readonly string[]> {
  const getBuffer = reusableBuffer();
  const digests = await withZip(file, async (zip, reader) => {
    const found: string[] = [];
    for (const entry of (await listEntries(zip, MAX_ENTRIES)).map(toZipEntry)) {
      const { name } = entry;
      if (name.endsWith('/') || METADATA.includes(name)) continue;
      if (isBook && !BOOK_PAGE.test(basename(name))) continue;
      const data = await reader.read(entry, getBuffer);
      if (isBook && !imageExtension(data)) continue;
      found.push(createHash('sha256').update(data).digest('hex'));
    }
    return found;
  });
  if (!digests) throw new Error('not a regular file');
  return digests;
}
