/** What is left of a damaged book: its chapters by its manifest, and the entries of its directory. */
import { basename, extname } from 'node:path';
import { MANIFEST_NAME, readPdfManifest } from '../cbz/bound-manifest.js';
import { COMIC_INFO_NAME, MAX_COMIC_INFO_BYTES } from '../cbz/comic-info.js';
import { listEntries } from '../cbz/decode-limits.js';
import type { FileState } from '../cbz/ownership.js';
import {
  reusableBuffer,
  toZipEntry,
  withZip,
  ZipEntryReader,
  type ZipEntry,
} from '../cbz/zip-file.js';
import { BOOK_FORMATS, type BookFormat } from '../formats/bind-choices.js';
import { parseManifest, type ManifestChapter } from '../formats/book-manifest.js';
import { readExistingBook, readLeadingManifest } from '../formats/existing-book.js';
import { MAX_ENTRIES } from '../formats/read-chapters.js';

/** Larger entries do not exist. */
const MAX_ENTRY_BYTES = 2 ** 28;

export interface DamagedBook {
  readonly file: string;
  readonly format: BookFormat;
  /** Only a file that is as it was is replaced. */
  readonly state: FileState;
  /** In the order of the book; at least one. */
  readonly chapters: readonly ManifestChapter[];
  /** Empty for a PDF, and if the end of the file is lost. */
  readonly entries: readonly ZipEntry[];
  /** The one of the book; empty if it cannot be read. */
  readonly comicInfo: string;
}

/** Undefined for anything but a book file of `bind`; why it cannot be rebuilt, as the end of a sentence. */
export async function readDamagedBook(file: string): Promise<DamagedBook | string | undefined> {
  const extension = extname(file).slice(1).toLowerCase();
  const format = BOOK_FORMATS.find((each) => each === extension);
  if (!format) return undefined;
  const existing = await readExistingBook(file, format);
  if (existing.kind !== 'bound' || !existing.state) return undefined;
  if (existing.copy) return 'it was made for a device, or in parts';
  if (existing.isEdited) return 'another program changed it after it was bound';
  const content = format === 'pdf' ? await readPdf(file) : await readZip(file);
  const chapters = parseManifest(content.manifest) ?? [];
  if (chapters.length === 0) return 'its list of chapters is damaged';
  return { file, format, state: existing.state, chapters, ...content };
}

async function readPdf(file: string) {
  const manifest = (await readPdfManifest(file))?.text ?? '';
  return { manifest, entries: [], comicInfo: '' };
}

async function readZip(file: string) {
  const listed = await withZip(file, (zip) => listEntries(zip, MAX_ENTRIES)).catch(() => undefined);
  const entries = listed?.map(toZipEntry) ?? [];
  const textOf = async (name: string): Promise<string> => {
    const entry = entries.find((each) => each.name === name);
    return entry ? ((await readEntry(file, entry))?.toString() ?? '') : '';
  };
  const manifest = (await textOf(MANIFEST_NAME)) || (await readLeadingManifest(file));
  const comicInfo = await textOf(COMIC_INFO_NAME);
  return {
    manifest,
    entries,
    comicInfo: comicInfo.length > MAX_COMIC_INFO_BYTES ? '' : comicInfo,
  };
}

/** Undefined for an entry with another checksum than its directory says. */
export async function readEntry(file: string, entry: ZipEntry): Promise<Buffer | undefined> {
  if (Math.max(entry.bytes, entry.compressedBytes) > MAX_ENTRY_BYTES) return undefined;
  const reader = await ZipEntryReader.open(file);
  try {
    return await reader.read(entry, reusableBuffer());
  } catch {
    return undefined;
  } finally {
    await reader.close();
  }
}

/** The page of the cover, which is before the first chapter. */
export function coverEntry({ entries }: DamagedBook): ZipEntry | undefined {
  return entries.find(({ name }) => basename(name).startsWith('c000-cover.'));
}
