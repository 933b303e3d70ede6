/**
 * What is wrong with a file: its structure, the checksum of each entry, the end of each image, and, in files of tankobon,
 * the pages that its record or manifest names. Reads the whole file once, and changes nothing.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { ZipFile } from 'yauzl';
import {
  hasPdfHeader,
  isBoundComment,
  manifestIdentities,
  manifestKeys,
  MANIFEST_NAME,
  MAX_MANIFEST_BYTES,
  readPdfManifest,
} from '../library/bound-manifest.js';
import { COMIC_INFO_NAME, MAX_COMIC_INFO_BYTES } from '../library/comic-info.js';
import { listEntries } from '../library/decode-limits.js';
import { parseIdentityComment, type FileMark } from '../library/identity.js';
import { parseRecords } from '../library/record.js';
import {
  readEntryText,
  reusableBuffer,
  toZipEntry,
  withZip,
  ZipEntryReader,
  type EntryReader,
  type GetBuffer,
  type ZipEntry,
} from '../library/zip-file.js';
import { thrownMessage } from '../core/errors.js';
import { fileErrorReason, type OpenOptions } from '../core/files.js';
import { groupBy } from '../core/group-by.js';
import { parseManifest } from '../books/book-manifest.js';
import { MAX_ENTRIES, pageEntries, sortPages } from '../books/read-chapters.js';
import { imageExtension } from '../core/image-format.js';
import { hasValidTrailer } from '../core/image-trailer.js';
import type { DamageReason } from '../events/reasons.js';

export interface Damage {
  readonly reason: DamageReason;
  /** What is wrong where, such as `003.png: its checksum is wrong`. */
  readonly detail: string;
}

class Damaged extends Error {
  constructor(readonly damage: Damage) {
    super(damage.detail);
  }
}

function damaged(reason: DamageReason, detail: string): Damaged {
  return new Damaged({ reason, detail });
}

type OnMark = (mark: FileMark) => void;

interface CheckOptions {
  /** Ends the reading between two pages. */
  readonly signal: AbortSignal;
  /** Called with what a file with the mark of tankobon names. */
  readonly onMark?: OnMark;
  /** One for all files of a run: a new one for each file takes longer than a small file. */
  readonly getBuffer?: GetBuffer;
}

/** A check uses no bytes of the file. */
const FOR_CHECKING: OpenOptions = { anyOwner: true };

/** Undefined for a file without damage. */
export async function findDamage(
  file: string,
  { signal, onMark = () => undefined, getBuffer = reusableBuffer() }: CheckOptions,
): Promise<Damage | undefined> {
  const check = async (zip: ZipFile, reader: EntryReader): Promise<true> => {
    const chapter = parseIdentityComment(zip.comment);
    if (chapter) onMark({ chapters: [chapter], isBook: false });
    return checkZip(zip, reader, { signal, onMark, getBuffer });
  };
  try {
    if (/\.pdf$/i.test(file)) await checkPdf(file, onMark);
    else if (!(await withZip(file, check, FOR_CHECKING)))
      throw new Error('it is not a regular file');
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof Damaged
      ? error.damage
      : { reason: 'unreadable', detail: fileErrorReason(error) };
  }
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

/** A PDF has no checksums: its end and the place of its table of objects are checked. */
async function checkPdf(file: string, onMark: OnMark): Promise<void> {
  const manifest = await readPdfManifest(file, FOR_CHECKING);
  if (manifest) markBook(manifest.text, onMark);
  if (manifest?.isWhole === false) throw damaged('unreadable', 'its end is lost');
  if (!manifest && !(await hasPdfHeader(file, FOR_CHECKING)))
    throw damaged('unreadable', 'it is not a PDF');
}

/** A copy, such as a book for a device, names no chapters. */
function markBook(manifest: string, onMark: OnMark): void {
  const chapters = manifestIdentities(manifest);
  if (chapters.length > 0) onMark({ chapters, isBook: true });
}

async function checkZip(
  zip: ZipFile,
  reader: EntryReader,
  { onMark, ...options }: Required<CheckOptions>,
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
  const recorded = recordedPages(zip.comment, manifest, pages);
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
  manifest: string,
  pages: readonly ZipEntry[],
): ReadonlyMap<string, string> {
  if (isBoundComment(comment)) {
    const byPrefix = groupBy(pages, ({ name }) => /^c\d+-/.exec(basename(name))?.[0]);
    for (const { prefix, record, metadata } of parseManifest(manifest) ?? []) {
      const found = byPrefix.get(prefix) ?? [];
      checkRecorded(found, record?.pages ?? [], `chapter ${metadata.number ?? prefix}`);
    }
    // A book may have pages in another format than those that were saved: its checksums have to do.
    return new Map();
  }
  if (!parseIdentityComment(comment)) return new Map();
  const recorded = parseRecords(manifest)?.[0]?.pages ?? [];
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
  { signal, getBuffer }: Pick<Required<CheckOptions>, 'signal' | 'getBuffer'>,
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
