/** Reads what is in a CBZ or an EPUB. */
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { openRegularFile } from '../../core/files.js';
import {
  isBoundComment,
  isEditedBook,
  manifestKeys,
  MANIFEST_NAME,
  MAX_MANIFEST_BYTES,
  parseIdentityComment,
} from '../mark.js';
import { COMIC_INFO_NAME, MAX_COMIC_INFO_BYTES } from '../comic-info.js';
import { listEntries } from '../../core/zip-entries.js';
import { readEntryText, toZipEntry, withZip } from '../../core/zip-file.js';
import { NO_CONTENT, type Depth, type FileContent, type ReadOptions } from './content.js';

/** Enough for an EPUB of 100,000 pages. */
export const MAX_ENTRIES = 250_000;
/** Later ones are not searched for a text; the manifest of a book is one of the first. */
const MAX_SEARCHED_ENTRIES = 20_000;

export async function readZipContent(
  path: string,
  depth: Depth,
  options: ReadOptions,
): Promise<FileContent> {
  try {
    const content = await withZip(path, (zip) => contentOf(zip, depth), options);
    if (!content) throw new Error('it is not a regular file');
    const isLost = depth === 'pages' && content.mark === 'book' && content.manifest === '';
    return isLost ? { ...content, manifest: await readLeadingManifest(path) } : content;
  } catch (damage) {
    const manifest = depth === 'pages' ? await readLeadingManifest(path).catch(() => '') : '';
    // The directory at the end of the file is lost, and with it the comment.
    if ((manifestKeys(manifest) ?? []).length === 0) throw damage;
    return { ...NO_CONTENT, mark: 'book', manifest, damage };
  }
}

async function contentOf(zip: ZipFile, depth: Depth): Promise<FileContent> {
  const { comment } = zip;
  const isChapter = parseIdentityComment(comment) !== undefined;
  const mark = isBoundComment(comment) ? 'book' : isChapter ? 'chapter' : 'none';
  const content = { ...NO_CONTENT, mark, comment } as const;
  if (depth === 'pages') return mark === 'book' ? ofBook(zip, content) : ofChapter(zip, content);
  if (depth === 'mark' && mark === 'chapter') return content;
  const texts = await searchTexts(zip, mark === 'book' ? [MANIFEST_NAME] : [...MAX_BYTES.keys()]);
  return {
    ...content,
    manifest: texts.get(MANIFEST_NAME) ?? '',
    comicInfo: texts.get(COMIC_INFO_NAME),
  };
}

async function ofChapter(zip: ZipFile, content: FileContent): Promise<FileContent> {
  const listed = await listEntries(zip, MAX_ENTRIES);
  return {
    ...content,
    manifest: (await textOf(MANIFEST_NAME, zip, listed)) ?? '',
    comicInfo: await textOf(COMIC_INFO_NAME, zip, listed),
    entries: listed.map(toZipEntry),
  };
}

/** What can be read of a book is of use when it is damaged. */
async function ofBook(zip: ZipFile, content: FileContent): Promise<FileContent> {
  let damage: unknown;
  const onError = (error: unknown): undefined => {
    damage ??= error;
    return undefined;
  };
  const listed = (await listEntries(zip, MAX_ENTRIES).catch(onError)) ?? [];
  const manifest = (await textOf(MANIFEST_NAME, zip, listed).catch(onError)) ?? '';
  const comicInfo = await textOf(COMIC_INFO_NAME, zip, listed).catch(onError);
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
  zip: ZipFile,
  entries: readonly Entry[],
): Promise<string | undefined> {
  const entry = entries.find(({ fileName }) => fileName === name);
  return entry && isReadable(entry) ? readEntryText(zip, entry) : undefined;
}

/** By their names; reads no more of the directory than it has to. */
export async function searchTexts(
  zip: ZipFile,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  let remaining = MAX_SEARCHED_ENTRIES;
  for await (const entry of zip.eachEntry()) {
    remaining -= 1;
    if (remaining < 0) break;
    if (!names.includes(entry.fileName) || !isReadable(entry)) continue;
    texts.set(entry.fileName, await readEntryText(zip, entry));
    if (texts.size === names.length) break;
  }
  return texts;
}

function isReadable({ fileName, uncompressedSize }: Entry): boolean {
  return uncompressedSize <= (MAX_BYTES.get(fileName) ?? 0);
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
