/**
 * Finds the chapters that exist in a folder by the content of its files, not by their names: renamed and moved files
 * are recognised.
 */
import type { Dirent } from 'node:fs';
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
import type { CbzIdentity } from './identity.js';
import {
  LibraryIndex,
  type ExistingArchive,
  type FilePaths,
  type UnreadableFile,
} from './library-index.js';
import { toOwnership } from './ownership.js';
import { FolderStore } from './store.js';

export interface ScanOptions {
  readonly signal?: AbortSignal;
  /** What is known of the files, which gets what the scan finds. */
  readonly store?: FolderStore | undefined;
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
  { signal, store, preferred, lostMarks, onUnreadableFolder = fail }: ScanOptions = {},
): Promise<LibraryIndex> {
  const listed = await listFiles(folder, signal);
  const { files, hiddenFolders, leftoverFiles, links, unreadableFolders } = listed;
  keepOnlyListed(store, listed);
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
      const read = store
        ? await knownMarks(listed, store)
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
      else damaged.push({ file, readError, cause, lostMark: await lostMarkOf(listed, store) });
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
  store: FolderStore | undefined,
): Promise<CbzIdentity | undefined> {
  const mark = isRegular ? store?.markAt(file) : undefined;
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

async function knownMarks(
  { file, isRegular }: ListedFile,
  store: FolderStore,
): Promise<FoundMarks & Pick<FileMarks, 'readError' | 'cause'>> {
  const stats = await statIfExists(file).catch(() => undefined);
  if (!stats) return { ...NO_MARKS, readError: 'it cannot be read' };
  const known = store.get(file, stats)?.found;
  if (known) return known;
  const marks = await readMarks(file, isRegular);
  // What cannot be read may be readable next time, and a PDF whose end is lost names no chapters: its mark stays known.
  const isLost = marks.isBound && marks.identities.length === 0 && store.hadChapters(file);
  if (marks.readError === undefined && !isLost) store.set(file, stats, { found: marks });
  return marks;
}

/** What is in a folder that cannot be read may still be there. */
function keepOnlyListed(
  store: FolderStore | undefined,
  { files, folderBooks, unreadableFolders }: Awaited<ReturnType<typeof listFiles>>,
): void {
  if (!unreadableFolders.some(({ cause }) => isDiskError(cause)))
    store?.keepOnly([...files.map(({ file }) => file), ...folderBooks]);
}

/** Scans the folder, and keeps what its archives have for the next scan. Rejects as scanLibrary does. */
export async function scanIndexed(
  stateFolder: string,
  output: string,
  options: Omit<ScanOptions, 'store'>,
): Promise<LibraryIndex> {
  const store = await FolderStore.open(stateFolder, output);
  const index = await scanLibrary(output, { ...options, store });
  // Without it the next scan is slower.
  await store.save().catch(() => undefined);
  return index;
}

/** Adds files that were written after the last scan, so that one that is damaged before the next one is known. */
export async function addToIndex(
  stateFolder: string,
  output: string,
  files: Iterable<string>,
): Promise<void> {
  const store = await FolderStore.open(stateFolder, output);
  for (const file of files) {
    const stats = await statIfExists(file);
    const found = await readMarks(file);
    if (stats && found.readError === undefined) store.set(file, stats, { found });
  }
  await store.save();
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

/**
 * The archives and books in a folder and its subfolders, except hidden ones, also named pipes. Links are left out. `store`
 * forget files that are gone.
 */
export async function listArchives(
  folder: string,
  signal?: AbortSignal,
  store?: FolderStore,
): Promise<ListedArchives> {
  const listed = await listFiles(folder, signal);
  const { files, links, folderBooks, unreadableFolders } = listed;
  keepOnlyListed(store, listed);
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
