/**
 * Finds the chapters that exist in a folder by the content of the CBZ files, not by their names: renamed and moved
 * files are recognised. Reads only the end of each file, or `ComicInfo.xml` if the archive has no comment of ours.
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
  /** The chapter's CBZ; of several, the one with the newest version. */
  find(chapterId: string): ExistingArchive | undefined;
  readonly archives: readonly ExistingArchive[];
  /** CBZ files that cannot be read. */
  readonly damaged: readonly { readonly file: string; readonly why: string }[];
  /** CBZ files that do not name a chapter. */
  readonly unidentified: readonly string[];
  /** Not scanned. */
  readonly hiddenFolders: readonly string[];
}

const MAX_OPEN_FILES = 16;
/** In an archive with more entries, ComicInfo.xml is not looked for. */
const MAX_ENTRIES = 20_000;
const MAX_COMIC_INFO_BYTES = 2 ** 20;
/** A named pipe that has replaced the file must not block. Windows has neither. */
const NON_BLOCKING = process.platform === 'win32' ? 0 : constants.O_NONBLOCK;
const openDescriptor = promisify(open);
const closeDescriptor = promisify(close);

/**
 * Scans a folder and its subfolders, except hidden ones and links to folders. A link to a CBZ counts as one; a named
 * pipe, a socket or a device does not. A missing folder is an empty library. Rejects with the signal's reason when
 * aborted.
 */
export async function scanLibrary(folder: string, signal?: AbortSignal): Promise<LibraryIndex> {
  const { files, hiddenFolders } = await listCbzFiles(folder, signal);
  const archives: ExistingArchive[] = [];
  const damaged: { file: string; why: string }[] = [];
  const unidentified: string[] = [];
  const remaining = files[Symbol.iterator]();
  const work = async () => {
    for (const listed of remaining) {
      signal?.throwIfAborted();
      const { file } = listed;
      const identity = await identityOf(listed);
      if (typeof identity === 'string') damaged.push({ file, why: identity });
      else if (identity) archives.push({ ...identity, file });
      else unidentified.push(file);
    }
  };
  await Promise.all(Array.from({ length: MAX_OPEN_FILES }, work));
  archives.sort(byFile);
  const newest = new Map<string, ExistingArchive>();
  for (const archive of archives) {
    const other = newest.get(archive.chapterId);
    if (!other || (archive.version ?? 0) > (other.version ?? 0))
      newest.set(archive.chapterId, archive);
  }
  const find = (chapterId: string) => newest.get(chapterId.toLowerCase());
  return { archives, damaged: damaged.sort(byFile), unidentified, hiddenFolders, find };
}

interface ListedFile {
  readonly file: string;
  /** False for links, which may lead to regular files, and for everything else. */
  readonly isRegular: boolean;
}

/** Does not use `readdir`'s recursion, which enters hidden folders. */
async function listCbzFiles(root: string, signal: AbortSignal | undefined) {
  const files: ListedFile[] = [];
  const hiddenFolders: string[] = [];
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal?.throwIfAborted();
    for (const entry of await entriesOf(folder)) {
      const file = join(folder, entry.name);
      const isHidden = entry.name.startsWith('.');
      if (entry.isDirectory()) (isHidden ? hiddenFolders : folders).push(file);
      else if (isHidden) continue;
      else if (/\.cbz$/i.test(entry.name)) files.push({ file, isRegular: entry.isFile() });
    }
  }
  return { files, hiddenFolders };
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) return [];
    throw error;
  }
}

/** Resolves with undefined if the archive names no chapter, and with the reason if it cannot be read. */
export function readIdentity(file: string): Promise<CbzIdentity | string | undefined> {
  return identityOf({ file, isRegular: false });
}

async function identityOf(listed: ListedFile): Promise<CbzIdentity | string | undefined> {
  try {
    const zip = await openZip(listed);
    if (!zip) return 'not a regular file';
    try {
      return parseIdentityComment(zip.comment) ?? (await comicInfoIdentity(zip));
    } finally {
      zip.close();
    }
  } catch (error) {
    return error instanceof Object && 'message' in error ? String(error.message) : String(error);
  }
}

/** Returns undefined for anything but a regular file or a link to one. */
async function openZip({ file, isRegular }: ListedFile): Promise<ZipFile | undefined> {
  // Checked before opening it, since opening a device may have effects.
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

async function comicInfoIdentity(zip: ZipFile): Promise<CbzIdentity | undefined> {
  if (zip.entryCount > MAX_ENTRIES) return undefined;
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== COMIC_INFO_NAME) continue;
    if (entry.uncompressedSize > MAX_COMIC_INFO_BYTES) return undefined;
    return parseComicInfoIdentity(await textOf(zip, entry));
  }
  return undefined;
}

/** yauzl rejects entries with more data than they announce. */
async function textOf(zip: ZipFile, entry: Entry): Promise<string> {
  const chunks: Buffer[] = [];
  const stream = await zip.openReadStreamPromise(entry);
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function byFile(a: { readonly file: string }, b: { readonly file: string }): number {
  return a.file < b.file ? -1 : 1;
}
