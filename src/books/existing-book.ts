/** What exists at the path of a book that is to be written. Only a book with the mark of `bind` is replaced. */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import type { ZipFile } from 'yauzl';
import {
  isEditedBook,
  manifestKeys,
  MANIFEST_NAME,
  MAX_MANIFEST_BYTES,
  readPdfManifest,
} from '../library/bound-manifest.js';
import { assertOwnFile, readFileState, type FileState } from '../library/ownership.js';
import { toZipEntry, withZip, type ZipEntry } from '../library/zip-file.js';
import { fileErrorReason, lstatIfExists, openRegularFile } from '../core/files.js';
import { hasCode } from '../core/errors.js';
import type { BookFormat } from '../config/bind-choices.js';
import { manifestCopy, partFile, type BookCopy, type BookPart } from './book-copy.js';
import { readFolderManifest } from './folder-book.js';
import { readChapters } from './read-chapters.js';
import { sourceKey, type ReadChapter } from './source-chapter.js';

export type ExistingBook =
  | { readonly kind: 'none' }
  /** Without the mark of `bind`. `readError`: it may be a damaged book. */
  | { readonly kind: 'foreign'; readonly readError?: string }
  | {
      readonly kind: 'bound';
      /** In order; see sourceKey. At least one. */
      readonly keys: readonly string[];
      /** The chapters that can be read back: those of a CBZ or an EPUB. */
      readonly chapters: readonly ReadChapter[];
      /** Truncated, or with files that are gone. */
      readonly isDamaged: boolean;
      /** Another program changed it after it was bound. Of a file; in a folder, each file is checked. */
      readonly isEdited: boolean;
      /** Undefined for a folder. */
      readonly state: FileState | undefined;
      /** Set for a book that was made for a device, or in parts. */
      readonly copy: BookCopy | undefined;
    };

export async function readExistingBook(file: string, format: BookFormat): Promise<ExistingBook> {
  const stats = await lstatIfExists(file);
  if (!stats) return { kind: 'none' };
  if (format === 'folder') return stats.isDirectory() ? existingFolder(file) : FOREIGN;
  const state = await readFileState(file);
  if (!state) return FOREIGN;
  return format === 'pdf' ? existingPdf(file, state) : existingArchive(file, state);
}

/** The book at this path, or the one in parts that has this path without their numbers. */
export async function readExistingParts(
  file: string,
  format: BookFormat,
  extension: string,
): Promise<ExistingBook> {
  const whole = await readExistingBook(file, format);
  if (whole.kind !== 'none' || format === 'folder') return whole;
  const readPart = (part: BookPart) => readExistingBook(partFile(file, part, extension), format);
  const first = await readPart({ number: 1, total: 2 });
  if (first.kind !== 'bound' || !first.copy) return whole;
  const { copy } = first;
  const { total } = copy.part;
  let { isDamaged, isEdited } = first;
  isDamaged ||= total === 1;
  for (let number = 2; number <= total; number += 1) {
    const part = await readPart({ number, total });
    isDamaged ||= part.kind !== 'bound' || part.isDamaged;
    isDamaged ||= part.kind === 'bound' && !isPartOf(part.copy, copy, number);
    isEdited ||= part.kind === 'bound' && part.isEdited;
  }
  return { ...first, isDamaged, isEdited };
}

/** Throws StorageError `unsafe-path` for a book of another user, which is not replaced. In a folder, each file is checked. */
export function assertOwnBook(file: string, existing: ExistingBook): void {
  if (existing.kind === 'bound' && existing.state) assertOwnFile(file, existing.state);
}

function isPartOf(copy: BookCopy | undefined, first: BookCopy, number: number): boolean {
  const expected = { ...first, part: { number, total: first.part.total } };
  return isDeepStrictEqual(copy, expected);
}

const FOREIGN: ExistingBook = { kind: 'foreign' };

async function existingFolder(folder: string): Promise<ExistingBook> {
  const manifest = await readFolderManifest(folder);
  if (!manifest) return FOREIGN;
  let isDamaged = manifest.files.size === 0;
  for (const path of manifest.files.keys())
    isDamaged ||= (await lstatIfExists(join(folder, path))) === undefined;
  const { copy, keys } = manifest;
  return { kind: 'bound', keys, chapters: [], isDamaged, isEdited: false, state: undefined, copy };
}

async function existingPdf(file: string, state: FileState): Promise<ExistingBook> {
  const manifest = await readPdfManifest(file);
  if (!manifest) return FOREIGN;
  const { text, isWhole, isEdited } = manifest;
  const copy = manifestCopy(text);
  const keys = copy?.keys ?? manifestKeys(text) ?? [];
  if (keys.length === 0) return FOREIGN;
  return { kind: 'bound', keys, chapters: [], isDamaged: !isWhole, isEdited, state, copy };
}

async function existingArchive(file: string, state: FileState): Promise<ExistingBook> {
  try {
    const chapters = await readChapters(file);
    if (!chapters.every(({ isBound }) => isBound)) return FOREIGN;
    const copy = chapters[0]?.copy;
    const keys = copy?.keys ?? chapters.map(sourceKey);
    const isEdited = chapters.some(({ isBookEdited }) => isBookEdited);
    const readable = copy ? [] : chapters;
    return { kind: 'bound', keys, chapters: readable, isDamaged: false, isEdited, state, copy };
  } catch (error) {
    if (!hasCode(error, 'archive-damaged')) throw error;
    const manifest = await readLeadingManifest(file);
    const copy = manifestCopy(manifest);
    const keys = copy?.keys ?? manifestKeys(manifest) ?? [];
    if (keys.length === 0) return { kind: 'foreign', readError: fileErrorReason(error.cause) };
    const isEdited = await isEditedArchive(file);
    return { kind: 'bound', keys, chapters: [], isDamaged: true, isEdited, state, copy };
  }
}

/** A damaged book may be one whose owner removed or renamed pages: then its end is whole, and has its digest. */
async function isEditedArchive(file: string): Promise<boolean> {
  const found = await withZip(file, async (zip) => {
    const entries = await listEntries(zip).catch(() => []);
    return isEditedBook(zip.comment, entries);
  }).catch(() => false);
  return found ?? false;
}

async function listEntries(zip: ZipFile): Promise<readonly ZipEntry[]> {
  const entries: ZipEntry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(toZipEntry(entry));
  return entries;
}

const LOCAL_HEADER_BYTES = 30;
const LOCAL_HEADER_SIGNATURE = 0x04034b50;

/**
 * The manifest at the start of an archive whose end, and so its comment, is lost: the first entry, or the one after
 * `mimetype` of an EPUB. Empty if there is none.
 */
export async function readLeadingManifest(file: string): Promise<string> {
  const handle = await openRegularFile(file);
  const readAt = async (position: number, bytes: number) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, position);
    return buffer.subarray(0, bytesRead);
  };
  try {
    let position = 0;
    for (const name of ['mimetype', MANIFEST_NAME]) {
      const header = await readAt(position, LOCAL_HEADER_BYTES);
      if (header.length < LOCAL_HEADER_BYTES) return '';
      if (header.readUInt32LE(0) !== LOCAL_HEADER_SIGNATURE) return '';
      const [checksum, bytes] = [header.readUInt32LE(14), header.readUInt32LE(18)];
      const nameBytes = header.readUInt16LE(26);
      const start = position + LOCAL_HEADER_BYTES + nameBytes + header.readUInt16LE(28);
      const found = await readAt(position + LOCAL_HEADER_BYTES, nameBytes);
      if (found.toString() === MANIFEST_NAME && bytes <= MAX_MANIFEST_BYTES) {
        const text = await readAt(start, bytes);
        return crc32(text) === checksum ? text.toString() : '';
      }
      if (found.toString() !== name) return '';
      position = start + bytes;
    }
    return '';
  } finally {
    await handle.close();
  }
}
