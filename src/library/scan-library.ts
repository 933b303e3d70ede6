/**
 * Finds the chapters that exist in a folder by the content of its files, not by their names: renamed and moved files
 * are recognised.
 */
import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  isLeftoverTemporary,
  isSystemError,
  openRegularFile,
  statIfExists,
} from '../core/files.js';
import { StorageError } from '../core/errors.js';
import { isFileError, systemReason } from '../core/system-errors.js';
import { FOLDER_MANIFEST_NAME } from './bound-manifest.js';
import { COMIC_INFO_NAME } from './comic-info.js';
import { marksOf, NO_MARKS, readMarks, type FileMarks, type FoundMarks } from './file.js';
import type { CbzIdentity, FileMark } from './identity.js';
import {
  LibraryIndex,
  type ExistingArchive,
  type FilePaths,
  type UnreadableFile,
} from './library-index.js';
import { toOwnership } from './ownership.js';

/** The chapters that an earlier scan found in a file, as long as its size and modification time are the same. */
export interface IdentityCache {
  /** Undefined if the file is new or was changed. */
  get(file: string, stats: Stats): FoundMarks | undefined;
  set(file: string, stats: Stats, found: FoundMarks): void;
  /** For a file that cannot be read now. Whether it had chapters. */
  keep(file: string): boolean;
  /** What the mark of the file named when it could be read. */
  markAt(file: string): FileMark | undefined;
}

export interface ScanOptions {
  readonly signal?: AbortSignal;
  readonly cache?: IdentityCache;
  /** Paths of files that are found before other files of the same chapter. */
  readonly preferred?: FilePaths | undefined;
  /** Files that cannot be read any more, with the chapter whose mark they had. */
  readonly lostMarks?: ReadonlyMap<string, CbzIdentity> | undefined;
  /**
   * Called for each folder that cannot be read because of an error of the disk. By default, such a folder ends the scan:
   * its chapters would count as missing.
   */
  readonly onUnreadableFolder?: ((folder: string, error: StorageError) => void) | undefined;
}

const MAX_OPEN_FILES = 16;

/**
 * Scans a folder and its subfolders for chapters, also for those in bound files (CBZ, EPUB, PDF, folders), except hidden
 * ones and links to folders. A link to a CBZ counts as one; a named pipe, a socket or a device does not. A missing
 * folder is an empty library. Rejects with the signal's reason when aborted.
 */
export async function scanLibrary(
  folder: string,
  { signal, cache, preferred, lostMarks, onUnreadableFolder = fail }: ScanOptions = {},
): Promise<LibraryIndex> {
  const { files, hiddenFolders, leftoverFiles, links, unreadableFolders } = await listFiles(
    folder,
    signal,
  );
  for (const each of unreadableFolders)
    if (isDiskError(each.cause)) onUnreadableFolder(each.folder, unreadableFolderError(each));
  const archives: ExistingArchive[] = [];
  const damaged: UnreadableFile[] = [];
  const unidentified: string[] = [];
  const remaining = files[Symbol.iterator]();
  const work = async () => {
    for (const listed of remaining) {
      signal?.throwIfAborted();
      const { file } = listed;
      const read = cache
        ? await cachedContent(listed, cache)
        : await readMarks(listed.file, listed.isRegular);
      const lost = read.readError === undefined ? undefined : lostMarks?.get(file);
      const content = lost ? marksOf({ ...lost, isMarked: true }) : read;
      const { identities, isBound, readError, cause } = content;
      for (const { isMarked, ...identity } of identities) {
        const ownership = await toOwnership(file, isMarked, listed.isRegular);
        archives.push({ ...identity, file, ownership, ...(isBound && { isBound }) });
      }
      if (identities.length > 0 || isBound || !isCbz(file)) continue;
      if (readError === undefined) unidentified.push(file);
      else damaged.push({ file, readError, cause, lostMark: await lostMarkOf(listed, cache) });
    }
  };
  await Promise.all(Array.from({ length: MAX_OPEN_FILES }, work));
  const scanned = {
    archives: archives.sort(byFile),
    damaged: damaged.sort(byFile),
    unidentified,
    hiddenFolders,
    leftoverFiles,
    links,
  };
  return new LibraryIndex(scanned, preferred);
}

function fail(_: string, error: StorageError): never {
  throw error;
}

const ZIP_START = Buffer.from('PK\x03\x04');

/** Undefined for a file that cannot be opened, which may be whole, and for one that never was a ZIP archive. */
async function lostMarkOf(
  { file, isRegular }: ListedFile,
  cache: IdentityCache | undefined,
): Promise<CbzIdentity | undefined> {
  const mark = isRegular ? cache?.markAt(file) : undefined;
  if (!mark || mark.isBook || (await toOwnership(file, true, isRegular)) !== 'own')
    return undefined;
  const start = await readStart(file, ZIP_START.length).catch(() => undefined);
  return start && ZIP_START.subarray(0, start.length).equals(start) ? mark.chapters[0] : undefined;
}

async function readStart(file: string, bytes: number): Promise<Buffer> {
  const handle = await openRegularFile(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function cachedContent(
  listed: ListedFile,
  cache: IdentityCache,
): Promise<FoundMarks & Pick<FileMarks, 'readError' | 'cause'>> {
  const stats = await statIfExists(listed.file).catch(() => undefined);
  if (!stats) return { ...NO_MARKS, readError: 'it cannot be read' };
  const known = cache.get(listed.file, stats);
  if (known) return known;
  const content = await readMarks(listed.file, listed.isRegular);
  const isEmptied = content.isBound && content.identities.length === 0;
  // What cannot be read may be readable next time, with the same size and time.
  if (content.readError !== undefined) cache.keep(listed.file);
  // A PDF whose end is lost names no chapters: its mark stays known.
  else if (!isEmptied || !cache.keep(listed.file)) cache.set(listed.file, stats, content);
  return content;
}

interface ListedFile {
  readonly file: string;
  /** False for links, which may lead to regular files, and for everything else. */
  readonly isRegular: boolean;
}

/** Does not use `readdir`'s recursion, which enters hidden folders. */
async function listFiles(root: string, signal: AbortSignal | undefined) {
  const files: ListedFile[] = [];
  const hiddenFolders: string[] = [];
  const leftoverFiles: string[] = [];
  const links: string[] = [];
  const folderBooks: string[] = [];
  const unreadableFolders: UnreadableFolder[] = [];
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal?.throwIfAborted();
    // Joining each name takes as long as reading it.
    const prefix = join(folder, '_').slice(0, -1);
    const entries = await readdirIfReadable(folder, (cause) => {
      unreadableFolders.push({ folder, cause });
    });
    for (const entry of entries) {
      const file = prefix + entry.name;
      const isHidden = entry.name.startsWith('.');
      if (entry.isDirectory()) (isHidden ? hiddenFolders : folders).push(file);
      else if (isLeftoverTemporary(file)) leftoverFiles.push(file);
      else if (entry.name === FOLDER_MANIFEST_NAME && entry.isFile()) folderBooks.push(folder);
      else if (isHidden) continue;
      else if (isCbz(entry.name) || mayHaveChapters(entry.name)) {
        files.push({ file, isRegular: entry.isFile() });
        if (entry.isSymbolicLink()) links.push(file);
      } else if (entry.isSymbolicLink() && (await leadsToFolder(file))) links.push(file);
    }
  }
  return { files, hiddenFolders, leftoverFiles, links, folderBooks, unreadableFolders };
}

export interface UnreadableFolder {
  readonly folder: string;
  readonly cause: unknown;
}

/** Folders that this user may not read are left out; those of a failing disk are reported. */
export function isDiskError(cause: unknown): boolean {
  return !isSystemError(cause, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM');
}

export function unreadableFolderError({ folder, cause }: UnreadableFolder): StorageError {
  const message = `Cannot read the folder (${systemReason(cause)}): ${folder}`;
  return new StorageError('storage-failed', message, { cause });
}

interface ListedArchives {
  /** CBZ and EPUB files, by path. */
  readonly files: readonly string[];
  /** PDF files, and the folders with the manifest of a book; of tankobon or not. */
  readonly pdfs: readonly string[];
  readonly folderBooks: readonly string[];
  /** How many links to archives and to folders were skipped. */
  readonly skippedLinks: number;
  /** Folders that this user may not read, whose names are not UTF-8, or that the disk cannot read. */
  readonly unreadableFolders: readonly UnreadableFolder[];
}

async function leadsToFolder(link: string): Promise<boolean> {
  return (await stat(link).catch(() => undefined))?.isDirectory() === true;
}

/** The archives and books in a folder and its subfolders, except hidden ones, also named pipes. Links are left out. */
export async function listArchives(folder: string, signal?: AbortSignal): Promise<ListedArchives> {
  const { files, links, folderBooks, unreadableFolders } = await listFiles(folder, signal);
  const linked = new Set(links);
  const withExtension = (extension: RegExp) =>
    files.flatMap(({ file }) => (extension.test(file) && !linked.has(file) ? [file] : [])).sort();
  return {
    files: withExtension(/\.(cbz|epub)$/i),
    pdfs: withExtension(/\.pdf$/i),
    folderBooks: folderBooks.sort(),
    skippedLinks: links.length,
    unreadableFolders,
  };
}

/** None for a folder that is missing or cannot be read. */
export async function readdirIfReadable(
  folder: string,
  onUnreadable: (cause: unknown) => void = () => undefined,
): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (!isFileError(error)) throw error;
    onUnreadable(error);
    return [];
  }
}

function isCbz(name: string): boolean {
  return /\.cbz$/i.test(name);
}

/** A file that may be bound or adopted, or the metadata of a chapter in a folder. */
function mayHaveChapters(name: string): boolean {
  return /\.(epub|pdf|zip)$/i.test(name) || name === COMIC_INFO_NAME;
}

function byFile(a: { readonly file: string }, b: { readonly file: string }): number {
  return a.file < b.file ? -1 : 1;
}
