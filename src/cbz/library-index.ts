/**
 * Finds the chapters that exist in a folder by the content of the CBZ files, not by their names: renamed and moved
 * files are recognised. Reads only the end of each file, or `ComicInfo.xml` if the archive has no comment of ours.
 */
import { close, constants, open, type Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { ZipFile } from 'yauzl';
import { isSystemError, statIfExists } from '../core/files.js';
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

/** What an earlier scan found in a file, as long as its size and modification time are the same. */
export interface IdentityCache {
  /** Undefined if the file is new or was changed. */
  get(file: string, stats: Stats): { readonly found: ScannedIdentity } | undefined;
  set(file: string, stats: Stats, found: ScannedIdentity): void;
}

/** The chapter of an archive; undefined if it names none; the reason if it cannot be read. */
export type ScannedIdentity = CbzIdentity | string | undefined;

export interface ScanOptions {
  readonly signal?: AbortSignal;
  readonly cache?: IdentityCache;
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
export async function scanLibrary(
  folder: string,
  { signal, cache }: ScanOptions = {},
): Promise<LibraryIndex> {
  const { files, hiddenFolders } = await listCbzFiles(folder, signal);
  const archives: ExistingArchive[] = [];
  const damaged: { file: string; why: string }[] = [];
  const unidentified: string[] = [];
  const remaining = files[Symbol.iterator]();
  const work = async () => {
    for (const listed of remaining) {
      signal?.throwIfAborted();
      const { file } = listed;
      const identity = cache ? await cachedIdentity(listed, cache) : await identityOf(listed);
      if (typeof identity === 'string') damaged.push({ file, why: identity });
      else if (identity) archives.push({ ...identity, file });
      else unidentified.push(file);
    }
  };
  await Promise.all(Array.from({ length: MAX_OPEN_FILES }, work));
  archives.sort(byFile);
  return {
    ...indexArchives(archives),
    damaged: damaged.sort(byFile),
    unidentified,
    hiddenFolders,
  };
}

function indexArchives(
  archives: readonly ExistingArchive[],
): Pick<LibraryIndex, 'archives' | 'find'> {
  const newest = new Map<string, ExistingArchive>();
  for (const archive of archives) {
    const other = newest.get(archive.chapterId);
    if (!other || (archive.version ?? 0) > (other.version ?? 0))
      newest.set(archive.chapterId, archive);
  }
  return { archives, find: (chapterId) => newest.get(chapterId.toLowerCase()) };
}

/** The index after these files were written or removed. */
export function withChanges(
  library: LibraryIndex,
  saved: readonly ExistingArchive[],
  removed: ReadonlySet<string> = new Set(),
): LibraryIndex {
  const gone = new Set([...removed, ...saved.map(({ file }) => file)]);
  const kept = library.archives.filter(({ file }) => !gone.has(file));
  return { ...library, ...indexArchives([...kept, ...saved]) };
}

async function cachedIdentity(listed: ListedFile, cache: IdentityCache): Promise<ScannedIdentity> {
  const stats = await statIfExists(listed.file).catch(() => undefined);
  if (!stats) return 'it cannot be read';
  const known = cache.get(listed.file, stats);
  if (known) return known.found;
  const found = await identityOf(listed);
  cache.set(listed.file, stats, found);
  return found;
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
export function readIdentity(file: string): Promise<ScannedIdentity> {
  return identityOf({ file, isRegular: false });
}

async function identityOf(listed: ListedFile): Promise<ScannedIdentity> {
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
    // yauzl rejects an entry with more data than it announces.
    return parseComicInfoIdentity(await text(await zip.openReadStreamPromise(entry)));
  }
  return undefined;
}

function byFile(a: { readonly file: string }, b: { readonly file: string }): number {
  return a.file < b.file ? -1 : 1;
}
