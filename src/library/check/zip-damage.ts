/**
 * What is wrong with a file: its structure, the checksum of each entry, the end of each image, and, in files of tankobon,
 * the pages that its record or manifest names. Reads the whole file once, and changes nothing.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { ZipFile } from 'yauzl';
import { thrownMessage } from '../../core/errors.js';
import { groupBy } from '../../core/group-by.js';
import { imageExtension } from '../../core/image-format.js';
import { hasValidTrailer } from '../../core/image-trailer.js';
import {
  isBoundComment,
  manifestIdentities,
  manifestKeys,
  MANIFEST_NAME,
  MAX_MANIFEST_BYTES,
  parseIdentityComment,
} from '../mark.js';
import { COMIC_INFO_NAME, MAX_COMIC_INFO_BYTES } from '../comic-info.js';
import { listEntries } from '../../core/zip-entries.js';
import { pageEntries, sortPages } from '../../config/names.js';
import { MAX_ENTRIES } from '../read/zip-content.js';
import type { ChapterRecord } from '../record.js';
import {
  readEntryText,
  reusableBuffer,
  toZipEntry,
  withZip,
  ZipEntryReader,
  type EntryReader,
  type ZipEntry,
} from '../../core/zip-file.js';
import { damaged, type CheckOptions } from './damage.js';

/** Checks every entry of an archive in the order of the file. */
export async function checkZip(path: string, options: CheckOptions): Promise<void> {
  const check = async (zip: ZipFile, reader: EntryReader): Promise<true> => {
    const chapter = parseIdentityComment(zip.comment);
    if (chapter) options.onMark({ chapters: [chapter], isBook: false });
    return checkContent(zip, reader, options);
  };
  // A check uses no bytes of the file.
  if (!(await withZip(path, check, { anyOwner: true })))
    throw new Error('it is not a regular file');
}

/** Whether each of these entries has its checksum, and each page among them its end. */
export async function areWhole(
  file: string,
  entries: readonly ZipEntry[],
  signal: AbortSignal,
): Promise<boolean> {
  const options = { signal, getBuffer: reusableBuffer() };
  try {
    const reader = await ZipEntryReader.open(file);
    await checkEntries(reader, entries, new Map(), options).finally(() => reader.close());
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

/** A copy, such as a book for a device, names no chapters. */
function markBook(manifest: string, onMark: CheckOptions['onMark']): void {
  const chapters = manifestIdentities(manifest);
  if (chapters.length > 0) onMark({ chapters, isBook: true });
}

async function checkContent(
  zip: ZipFile,
  reader: EntryReader,
  { onMark, ...options }: CheckOptions,
): Promise<true> {
  const listed = await listEntries(zip, MAX_ENTRIES);
  const entries = listed.map(toZipEntry);
  const textOf = async (name: string, maxBytes: number): Promise<string> => {
    const entry = listed.find(({ fileName }) => fileName === name);
    if (!entry || entry.uncompressedSize > maxBytes) return '';
    return readEntryText(zip, entry).catch((error: unknown) => {
      throw damaged('entry-damaged', `${name}: ${thrownMessage(error)}`);
    });
  };
  const manifest = await textOf(MANIFEST_NAME, MAX_MANIFEST_BYTES);
  if (isBoundComment(zip.comment)) {
    if ((manifestKeys(manifest) ?? []).length === 0)
      throw damaged('unreadable', `its list of chapters, ${MANIFEST_NAME}, is missing or damaged`);
    markBook(manifest, onMark);
  }
  const comicInfo = await textOf(COMIC_INFO_NAME, MAX_COMIC_INFO_BYTES);
  const pages = sortPages(pageEntries(entries));
  checkCount(pages.length, comicInfo);
  const { parseRecords } = await import('../record.js');
  const recorded = recordedPages(zip.comment, parseRecords(manifest) ?? [], pages);
  await checkEntries(reader, entries, recorded, options);
  return true;
}

function checkCount(pages: number, comicInfo: string): void {
  if (pages === 0) throw damaged('page-missing', 'it contains no images');
  const announced = Number(/<PageCount>\s*(\d{1,6})\s*</.exec(comicInfo)?.[1] ?? pages);
  if (pages < announced)
    throw damaged('page-missing', `ComicInfo.xml lists ${announced} pages, and it has ${pages}`);
}

/** The sha256 of each page that was saved, by the name of its entry. Throws Damaged if there are fewer entries. */
function recordedPages(
  comment: string,
  records: readonly ChapterRecord[],
  pages: readonly ZipEntry[],
): ReadonlyMap<string, string> {
  if (isBoundComment(comment)) {
    const byPrefix = groupBy(pages, ({ name }) => /^c\d+-/.exec(basename(name))?.[0]);
    for (const { prefix = '', pages: saved = [], metadata } of records) {
      const found = byPrefix.get(prefix) ?? [];
      checkRecorded(found, saved, `chapter ${metadata?.number ?? prefix}`);
    }
    // A book may have pages in another format than those that were saved: its checksums have to do.
    return new Map();
  }
  if (!parseIdentityComment(comment)) return new Map();
  const recorded = records[0]?.pages ?? [];
  checkRecorded(pages, recorded, 'the chapter');
  return new Map(pages.map(({ name }, index) => [name, recorded[index] ?? '']));
}

function checkRecorded(
  pages: readonly ZipEntry[],
  recorded: readonly string[],
  chapter: string,
): void {
  if (pages.length >= recorded.length) return;
  const detail = `${chapter} was saved with ${recorded.length} pages, and has ${pages.length}`;
  throw damaged('page-missing', detail);
}

async function checkEntries(
  reader: EntryReader,
  entries: readonly ZipEntry[],
  recorded: ReadonlyMap<string, string>,
  { signal, getBuffer }: Pick<CheckOptions, 'signal' | 'getBuffer'>,
): Promise<void> {
  const isPage = new Set(pageEntries(entries));
  for (const entry of entries) {
    signal.throwIfAborted();
    const { name } = entry;
    const data = await reader.read(entry, getBuffer).catch((error: unknown) => {
      throw damaged('entry-damaged', `${name}: ${thrownMessage(error)}`);
    });
    if (isPage.has(entry)) checkPage(name, data, recorded.get(name) ?? '');
  }
}

/** A page whose digest is the recorded one is whole: its end need not be found. */
function checkPage(name: string, data: Buffer, recorded: string): void {
  if (recorded !== '') {
    const digest = createHash('sha256').update(data).digest('hex');
    if (digest !== recorded)
      throw damaged('page-changed', `${name} is not the page that was saved`);
    return;
  }
  const extension = imageExtension(data);
  if (extension && !hasValidTrailer(extension, data))
    throw damaged('page-incomplete', `${name} is incomplete`);
}
