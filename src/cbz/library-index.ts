/**
 * The chapters that are on the shelf already, found by what the CBZ files say of themselves and not by their
 * names: renamed and moved files are still known. Only the end of each file is read, and for archives without
 * our comment their `ComicInfo.xml`.
 */
import { close, constants, open } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Entry, ZipFile } from 'yauzl';
import { isSystemError } from '../core/files.js';
import { COMIC_INFO_NAME } from './comic-info.js';
import { parseComicInfoIdentity, parseIdentityComment, type CbzIdentity } from './identity.js';

export interface ExistingArchive extends CbzIdentity {
  readonly file: string;
}

export interface LibraryIndex {
  /** The chapter's CBZ; of several the one with the newest version. */
  find(chapterId: string): ExistingArchive | undefined;
  readonly archives: readonly ExistingArchive[];
  /** Files that are called CBZ and cannot be read as one. They hold nothing up. */
  readonly damaged: readonly { readonly file: string; readonly why: string }[];
  /** CBZ files that name no chapter. */
  readonly unidentified: readonly string[];
}

/** So many files are open at a time. */
const OPEN_AT_ONCE = 16;
/** An archive of more entries is not searched for its metadata. */
const MOST_ENTRIES = 20_000;
const MOST_COMIC_INFO_BYTES = 2 ** 20;
/** Opening a named pipe that was put in place of the file just now does not block. Windows lacks both. */
const NON_BLOCKING = process.platform === 'win32' ? 0 : constants.O_NONBLOCK;
const openDescriptor = promisify(open);
const closeDescriptor = promisify(close);

/**
 * Scans a folder and all below it, but for hidden ones and links to folders. A link to a CBZ counts as one, since
 * it is only read; a named pipe, a socket or a device does not. A folder that is not there is an empty shelf. Rejects with the signal's reason when aborted.
 */
export async function scanLibrary(folder: string, signal?: AbortSignal): Promise<LibraryIndex> {
  const files = await cbzFiles(folder, signal);
  const chapters: ExistingArchive[] = [];
  const damaged: { file: string; why: string }[] = [];
  const unknown: string[] = [];
  const waiting = files[Symbol.iterator]();
  const work = async () => {
    for (const listed of waiting) {
      signal?.throwIfAborted();
      const { file } = listed;
      const found = await identityOf(listed);
      if (typeof found === 'string') damaged.push({ file, why: found });
      else if (found) chapters.push({ ...found, file });
      else unknown.push(file);
    }
  };
  await Promise.all(Array.from({ length: OPEN_AT_ONCE }, work));
  return shelfOf(chapters.sort(byFile), damaged.sort(byFile), unknown);
}

function shelfOf(
  chapters: readonly ExistingArchive[],
  damaged: LibraryIndex['damaged'],
  unknown: readonly string[],
): LibraryIndex {
  const newest = new Map<string, ExistingArchive>();
  for (const cbz of chapters) {
    const other = newest.get(cbz.chapterId);
    if (!other || (cbz.version ?? 0) > (other.version ?? 0)) newest.set(cbz.chapterId, cbz);
  }
  return {
    archives: chapters,
    damaged,
    unidentified: unknown,
    find: (chapterId) => newest.get(chapterId.toLowerCase()),
  };
}

/** A file as its folder lists it. */
interface ListedCbz {
  readonly file: string;
  /** False for links, which may lead to regular files, and for everything else. */
  readonly isRegular: boolean;
}

/** Walks by itself, since `readdir`'s own recursion would enter hidden folders too. */
async function cbzFiles(folder: string, signal: AbortSignal | undefined): Promise<ListedCbz[]> {
  const files: ListedCbz[] = [];
  const folders = [folder];
  for (let here = folders.pop(); here !== undefined; here = folders.pop()) {
    signal?.throwIfAborted();
    for (const entry of await entriesOf(here)) {
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) folders.push(join(here, entry.name));
      else if (/\.cbz$/i.test(entry.name)) {
        files.push({ file: join(here, entry.name), isRegular: entry.isFile() });
      }
    }
  }
  return files;
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) return [];
    throw error;
  }
}

/** What the archive says it is; nothing where it says nothing; why, as a text, where it cannot be read. */
export function readIdentity(file: string): Promise<CbzIdentity | string | undefined> {
  return identityOf({ file, isRegular: false });
}

async function identityOf(listed: ListedCbz): Promise<CbzIdentity | string | undefined> {
  try {
    const zip = await openZip(listed);
    if (!zip) return 'not a regular file';
    try {
      return parseIdentityComment(zip.comment) ?? (await identityByComicInfo(zip));
    } finally {
      zip.close();
    }
  } catch (error) {
    return error instanceof Object && 'message' in error ? String(error.message) : String(error);
  }
}

/** The archive; `undefined` for what is not a regular file, nor a link to one. */
async function openZip({ file, isRegular }: ListedCbz): Promise<ZipFile | undefined> {
  // Only a link needs the look in advance: opening a device may already have an effect.
  if (!isRegular && !(await stat(file)).isFile()) return undefined;
  const { default: yauzl } = await import('yauzl');
  const descriptor = await openDescriptor(file, constants.O_RDONLY | NON_BLOCKING);
  try {
    return await yauzl.fromFdPromise(descriptor, { lazyEntries: true, autoClose: false });
  } catch (error) {
    await closeDescriptor(descriptor);
    throw error;
  }
}

async function identityByComicInfo(zip: ZipFile): Promise<CbzIdentity | undefined> {
  if (zip.entryCount > MOST_ENTRIES) return undefined;
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== COMIC_INFO_NAME) continue;
    if (entry.uncompressedSize > MOST_COMIC_INFO_BYTES) return undefined;
    return parseComicInfoIdentity(await textOf(zip, entry));
  }
  return undefined;
}

/** yauzl ends the stream with an error where more comes than the entry announces. */
async function textOf(zip: ZipFile, entry: Entry): Promise<string> {
  const chunks: Buffer[] = [];
  const stream = await zip.openReadStreamPromise(entry);
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function byFile(a: { readonly file: string }, b: { readonly file: string }): number {
  return a.file < b.file ? -1 : 1;
}
