/** Reads what is in a CBZ or an EPUB. */
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { openRegularFile } from '../../core/files.js';
import {
  isBoundComment,
  isShortComment,
  isEditedBook,
  manifestKeys,
  MANIFEST_NAME,
  MAX_MANIFEST_BYTES,
  parseIdentityComment,
  recordedDigests,
  wasAccepted,
} from '../mark.js';
import { COMIC_INFO_NAME, findComicInfo, MAX_COMIC_INFO_BYTES } from '../comic-info.js';
import {
  assertNotBomb,
  listEntries,
  reusableBuffer,
  toZipEntry,
  withZip,
  type EntryReader,
} from '../../core/zip-file.js';
import { sha256Of } from '../../core/sha256.js';
import {
  NO_CONTENT,
  UnmarkedDamage,
  type Depth,
  type FileContent,
  type ReadOptions,
} from './content.js';

/** Later ones are not searched for a text; the manifest of a book is one of the first. */
const MAX_SEARCHED_ENTRIES = 20_000;

export async function readZipContent(
  path: string,
  depth: Depth,
  options: ReadOptions,
): Promise<FileContent> {
  try {
    const content = await withZip(path, (...opened) => contentOf(...opened, depth), options);
    if (!content) throw new Error('it is not a regular file');
    const isLost = depth === 'pages' && content.mark === 'book' && content.manifest === '';
    return isLost ? { ...content, manifest: await readLeadingManifest(path) } : content;
  } catch (damage) {
    if (damage instanceof UnmarkedDamage) throw damage;
    const manifest = depth === 'pages' ? await readLeadingManifest(path).catch(() => '') : '';
    // The directory at the end of the file is lost, and with it the comment.
    if ((manifestKeys(manifest) ?? []).length === 0) throw damage;
    const isEdited = wasAccepted(manifest);
    return { ...NO_CONTENT, mark: 'book', manifest, isEdited, damage };
  }
}

async function contentOf(zip: ZipFile, reader: EntryReader, depth: Depth): Promise<FileContent> {
  const { comment } = zip;
  const isChapter = parseIdentityComment(comment) !== undefined;
  const mark = isBoundComment(comment) ? 'book' : isChapter ? 'chapter' : 'none';
  const content = { ...NO_CONTENT, state: reader.file.stats, mark, comment } as const;
  if (mark === 'book' && depth === 'pages') return ofBook(zip, reader, content);
  if (depth === 'mark' && mark === 'chapter') {
    if (!isShortComment(comment)) return content;
    // Without the record, the mark says which chapter it is.
    const found = await searchTexts(zip, reader, [MANIFEST_NAME]).catch(ifDamaged);
    return { ...content, manifest: found?.texts.get(MANIFEST_NAME) ?? '' };
  }
  try {
    return await (depth === 'pages' ? ofChapter : textsOf)(zip, reader, content);
  } catch (damage) {
    throw mark === 'none' && isArchiveError(damage) ? new UnmarkedDamage(damage) : damage;
  }
}

function ifDamaged(error: unknown): undefined {
  if (!isArchiveError(error)) throw error;
}

/** Errors of the operating system have a code: the file may be whole. */
function isArchiveError(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined || code.startsWith('Z_');
}

async function textsOf(
  zip: ZipFile,
  reader: EntryReader,
  content: FileContent,
): Promise<FileContent> {
  const { mark } = content;
  const names = mark === 'book' ? [MANIFEST_NAME] : [...MAX_BYTES.keys()];
  const { texts, seen } = await searchTexts(zip, reader, names, mark === 'none');
  const expected = texts.get(COMIC_INFO_NAME);
  const comicInfo = mark === 'book' ? expected : (expected ?? (await comicInfoOf(seen, reader)));
  const found = { ...content, manifest: texts.get(MANIFEST_NAME) ?? '', comicInfo };
  return { ...found, hasRecordedPage: await hasRecordedPage(zip, reader, found, seen) };
}

async function ofChapter(
  zip: ZipFile,
  reader: EntryReader,
  content: FileContent,
): Promise<FileContent> {
  const listed = await listEntries(zip);
  const found = {
    ...content,
    manifest: (await textOf(MANIFEST_NAME, reader, listed)) ?? '',
    comicInfo: await comicInfoOf(listed, reader),
    entries: listed.map(toZipEntry),
  };
  return { ...found, hasRecordedPage: await hasRecordedPage(zip, reader, found, listed) };
}

/** Whether a page of a file without a mark has a digest of the record in it. Reads pages until one has. */
async function hasRecordedPage(
  { fileSize }: ZipFile,
  reader: EntryReader,
  { mark, manifest }: Pick<FileContent, 'mark' | 'manifest'>,
  listed: readonly Entry[],
): Promise<boolean> {
  const digests = mark === 'none' ? recordedDigests(manifest) : new Set();
  if (digests.size === 0) return false;
  const entries = listed.map(toZipEntry);
  const getBuffer = reusableBuffer();
  try {
    assertNotBomb(entries, fileSize);
    for (const entry of entries.filter(({ name }) => !MAX_BYTES.has(name))) {
      const data = await reader.read(entry, getBuffer).catch(() => undefined);
      if (data && digests.has(sha256Of(data))) return true;
    }
  } catch {
    // It has more than is read of a file.
  }
  return false;
}

/** What can be read of a book is of use when it is damaged. */
async function ofBook(
  zip: ZipFile,
  reader: EntryReader,
  content: FileContent,
): Promise<FileContent> {
  let damage: unknown;
  const onError = (error: unknown): undefined => {
    damage ??= error;
    return undefined;
  };
  const listed = (await listEntries(zip).catch(onError)) ?? [];
  const manifest = (await textOf(MANIFEST_NAME, reader, listed).catch(onError)) ?? '';
  const comicInfo = await textOf(COMIC_INFO_NAME, reader, listed).catch(onError);
  const entries = listed.map(toZipEntry);
  const isEdited = isEditedBook(zip.comment, entries);
  return { ...content, manifest, comicInfo, entries, isEdited, damage };
}

const MAX_BYTES = new Map([
  [MANIFEST_NAME, MAX_MANIFEST_BYTES],
  [COMIC_INFO_NAME, MAX_COMIC_INFO_BYTES],
]);

/** Undefined if it is missing or too large. */
async function textOf(
  name: string,
  reader: EntryReader,
  entries: readonly Entry[],
): Promise<string | undefined> {
  const entry = entries.find((each) => each.fileName === name);
  return entry && isReadable(entry) ? reader.readText(entry) : undefined;
}

/** Undefined if it is missing or too large. */
async function comicInfoOf(
  entries: readonly Entry[],
  reader: EntryReader,
): Promise<string | undefined> {
  const found = findComicInfo(entries.map((entry) => ({ name: entry.fileName, entry })));
  if (!found || found.entry.uncompressedSize > MAX_COMIC_INFO_BYTES) return undefined;
  return reader.readText(found.entry);
}

interface SearchResult {
  /** By the names of their entries. */
  readonly texts: ReadonlyMap<string, string>;
  /** The entries of the directory, as far as it was read. */
  readonly seen: readonly Entry[];
}

/** Reads no more of the directory than it has to, but all of it if `readsAll`. */
export async function searchTexts(
  zip: ZipFile,
  reader: EntryReader,
  names: readonly string[],
  readsAll = false,
): Promise<SearchResult> {
  const texts = new Map<string, string>();
  const seen: Entry[] = [];
  for await (const entry of zip.eachEntry()) {
    if (seen.length === MAX_SEARCHED_ENTRIES) break;
    seen.push(entry);
    const name = entry.fileName;
    if (!names.includes(name) || texts.has(name) || !isReadable(entry)) continue;
    texts.set(name, await reader.readText(entry));
    if (texts.size === names.length && !readsAll) break;
  }
  return { texts, seen };
}

function isReadable(entry: Entry): boolean {
  return entry.uncompressedSize <= (MAX_BYTES.get(entry.fileName) ?? 0);
}

const LOCAL_HEADER_BYTES = 30;
const LOCAL_HEADER_SIGNATURE = 0x04034b50;

/**
 * The manifest at the start of an archive whose end, and so its comment, is lost: the first entry, or the one after
 * `mimetype` of an EPUB. Empty if there is none.
 */
async function readLeadingManifest(path: string): Promise<string> {
  const handle = await openRegularFile(path);
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
