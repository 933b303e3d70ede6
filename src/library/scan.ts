/** The chapters that exist in a folder, found by the content of its files and not by their names: renamed and moved files are recognised. */
import { hasBookExtension, mayBeComic } from '../config/containers.js';
import { containerNamed, isReadableBook } from './containers.js';
import { dirname, join } from 'node:path';
import { stat } from 'node:fs/promises';
import { isOtherArchive, isPage } from '../config/names.js';
import { expectFiles } from '../core/compiler-tuning.js';
import { maxNameBytes } from '../core/file-system.js';
import { isOriginalOf } from '../core/name-keys.js';
import { isHiddenFolder, MAX_SEGMENT_BYTES, pathCollisionKey } from '../core/path-segment.js';
import { type CbzIdentity, FOLDER_MANIFEST_NAME } from './mark.js';
import { ownershipOf, toOwnership } from './ownership.js';
import { readFileState, type FileState } from '../core/file-state.js';
import {
  mayHaveFiles,
  readdirIfReadable,
  unreadableFolderError,
  type UnreadableFolder,
} from '../core/read-folder.js';
import {
  isLeftoverTemporary,
  isTemporaryLock,
  openRegularFile,
  statIfExists,
} from '../core/files.js';
import type { StorageError } from '../core/errors.js';
import {
  marksOf,
  NO_MARKS,
  readMarks,
  type FileMarks,
  type FoundMarks,
  type FoundChapter,
} from './file.js';
import { UnmarkedDamage } from './read/content.js';
import type { ScannedRecord } from './read/known-file.js';
import { FolderStore } from './store.js';

export interface UnreadableFile {
  readonly file: string;
  readonly readError: string;
  readonly cause?: unknown;
  /** The chapter whose mark of tankobon it had when it could be read, if that is known. */
  readonly lostMark?: CbzIdentity | undefined;
}

/** What a scan found. */
export interface ScannedFiles {
  readonly archives: readonly FoundChapter[];
  /** CBZ files that cannot be read, of tankobon or not. */
  readonly damaged: readonly UnreadableFile[];
  /** CBZ files that do not name a chapter. */
  readonly unidentified: readonly string[];
  /** Not scanned. */
  readonly hiddenFolders: readonly string[];
  /** Temporary files that killed processes left, and locks that may be in use. */
  readonly leftoverFiles: readonly string[];
  /** Symbolic links: those to archives, which are read, and those to folders, which are not entered. */
  readonly links: readonly string[];
  /** The longest name of a file that the folder takes. */
  readonly maxNameBytes?: number;
  /** What is known of the files. */
  readonly store?: FolderStore | undefined;
}

type FilePaths = Pick<ReadonlySet<string>, 'has'>;

export class LibraryIndex {
  readonly damaged: ScannedFiles['damaged'];
  readonly unidentified: ScannedFiles['unidentified'];
  readonly hiddenFolders: ScannedFiles['hiddenFolders'];
  readonly leftoverFiles: ScannedFiles['leftoverFiles'];
  readonly links: ScannedFiles['links'];
  readonly maxNameBytes: number;
  readonly #store: FolderStore | undefined;
  /** A bound file has several. */
  readonly #byFile: Index<FoundChapter> = new Map();
  readonly #byChapter: Index<FoundChapter> = new Map();
  readonly #byTitle: Index<FoundChapter> = new Map();
  readonly #byFolder: Index<FoundChapter> = new Map();
  /** All files, by the keys of their paths. */
  readonly #byPath: Index<string> = new Map();

  /** `preferred`: paths of files that are found before other files of the same chapter. */
  constructor(
    { archives, ...scanned }: ScannedFiles,
    private readonly preferred: FilePaths = new Set(),
  ) {
    this.damaged = scanned.damaged;
    this.unidentified = scanned.unidentified;
    this.hiddenFolders = scanned.hiddenFolders;
    this.leftoverFiles = scanned.leftoverFiles;
    this.links = scanned.links;
    this.maxNameBytes = scanned.maxNameBytes ?? MAX_SEGMENT_BYTES;
    this.#store = scanned.store;
    const others = [...this.damaged.map(({ file }) => file), ...this.unidentified];
    for (const archive of archives) this.#add(archive);
    for (const file of others) addTo(this.#byPath, pathCollisionKey(file), file);
  }

  get archives(): readonly FoundChapter[] {
    return [...this.#byFile.keys()].flatMap((file) => listOf(this.#byFile, file));
  }

  /** The chapter's archive; of several, a preferred one, or the one with the newest version. */
  find(chapterId: string): FoundChapter | undefined {
    const rank = ({ file }: FoundChapter) => Number(this.preferred.has(file));
    let best: FoundChapter | undefined;
    for (const archive of this.copiesOf(chapterId)) {
      const difference = best ? rank(archive) - rank(best) : 1;
      if (difference > 0 || (difference === 0 && best && isPreferred(archive, best)))
        best = archive;
    }
    return best;
  }

  /** The damaged file of the chapter, of tankobon, if its end is lost. */
  findDamaged(chapterId: string): UnreadableFile | undefined {
    return this.damaged.find(({ lostMark }) => lostMark?.chapterId === chapterId.toLowerCase());
  }

  /** All archives of the chapter. */
  copiesOf(chapterId: string): readonly FoundChapter[] {
    return listOf(this.#byChapter, chapterId.toLowerCase());
  }

  /** The archives that name this title. */
  ofTitle(titleId: string): readonly FoundChapter[] {
    return listOf(this.#byTitle, titleId);
  }

  /** The archives that do not name their title: older ones, and those of chapters without metadata. */
  get withoutTitle(): readonly FoundChapter[] {
    return listOf(this.#byTitle, NO_TITLE);
  }

  /** The archives in a folder, not below it, and in those that some file system considers the same. */
  inFolder(folder: string): readonly FoundChapter[] {
    return listOf(this.#byFolder, pathCollisionKey(folder));
  }

  /** The files, also those without a chapter, whose paths some file system considers the same as this one. */
  filesAt(path: string): readonly string[] {
    return listOf(this.#byPath, pathCollisionKey(path));
  }

  /** The index without these archives, for questions that their places must not answer. */
  without(files: ReadonlySet<string>): LibraryIndex {
    if (files.size === 0) return this;
    const archives = this.archives.filter(({ file }) => !files.has(file));
    const { damaged, unidentified, hiddenFolders, leftoverFiles, links, maxNameBytes } = this;
    const found = { damaged, unidentified, hiddenFolders, leftoverFiles, links, maxNameBytes };
    return new LibraryIndex({ ...found, archives, store: this.#store }, this.preferred);
  }

  /** What the record of the file said when it was scanned, if it had this chapter alone. */
  async scannedRecord({ file, chapterId }: FoundChapter): Promise<ScannedRecord | undefined> {
    const record = await this.#store?.scannedRecord(file);
    // A file that was written since the scan may have the path of another one.
    return record?.chapterId === chapterId ? record : undefined;
  }

  /** After these files were written or removed. */
  update(saved: readonly FoundChapter[], removed: Iterable<string> = []): void {
    for (const file of removed) this.#remove(file);
    for (const { file } of saved) this.#remove(file);
    for (const archive of saved) this.#add(archive);
  }

  #add(archive: FoundChapter): void {
    for (const [index, key] of this.#keysOf(archive)) addTo(index, key, archive);
    addTo(this.#byPath, pathCollisionKey(archive.file), archive.file);
  }

  #remove(file: string): void {
    for (const archive of listOf(this.#byFile, file))
      for (const [index, key] of this.#keysOf(archive)) removeFrom(index, key, archive);
    removeFrom(this.#byPath, pathCollisionKey(file), file);
  }

  #keysOf({ file, chapterId, titleId = NO_TITLE }: FoundChapter) {
    return [
      [this.#byFile, file],
      [this.#byChapter, chapterId],
      [this.#byTitle, titleId],
      [this.#byFolder, pathCollisionKey(dirname(file))],
    ] as const;
  }
}

const NO_TITLE = '';

/** Most keys have one item, and a set takes more memory than that. */
type Index<Item extends object | string> = Map<string, Item | Set<Item>>;

function listOf<Item extends object | string>(index: Index<Item>, key: string): readonly Item[] {
  const items = index.get(key);
  if (items === undefined) return [];
  return items instanceof Set ? [...items] : [items];
}

function addTo<Item extends object | string>(index: Index<Item>, key: string, item: Item): void {
  const items = index.get(key);
  if (items instanceof Set) items.add(item);
  else index.set(key, items === undefined || items === item ? item : new Set([items, item]));
}

function removeFrom<Item extends object | string>(
  index: Index<Item>,
  key: string,
  item: Item,
): void {
  const items = index.get(key);
  if (items instanceof Set) items.delete(item);
  if (items === item || (items instanceof Set && items.size === 0)) index.delete(key);
}

/**
 * The newer version is preferred, then the file that can be replaced: tankobon's own, of this chapter only; then the
 * original of a copy.
 */
function isPreferred(archive: FoundChapter, other: FoundChapter): boolean {
  const newer = (archive.version ?? 0) - (other.version ?? 0);
  const better = newer === 0 ? preference(archive) - preference(other) : newer;
  return better === 0 ? isOriginalOf(archive.file, other.file) : better > 0;
}

function preference({ isBound, ownership }: FoundChapter): number {
  return (isBound ? 0 : 2) + (ownership === 'own' ? 1 : 0);
}

export interface ScanOptions {
  readonly signal?: AbortSignal;
  /** What is known of the files, which gets what the scan finds: it is kept for the next scan. */
  readonly stateFolder?: string;
  /** This in place of the state folder; its caller saves it. */
  readonly store?: FolderStore | undefined;
  /** Paths of files that are found before other files of the same chapter. */
  readonly preferred?: FilePaths | undefined;
  /** Files that cannot be read any more, with the chapter whose mark they had. */
  readonly lostMarks?: ReadonlyMap<string, CbzIdentity> | undefined;
  /**
   * Called for each folder that the disk cannot read, or that this user may not. By default, such a folder ends the scan: its
   * chapters would count as missing.
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
  { stateFolder, ...options }: ScanOptions = {},
): Promise<LibraryIndex> {
  if (stateFolder === undefined) return scan(folder, options);
  const store = FolderStore.open(stateFolder, folder);
  const index = await scan(folder, { ...options, store });
  // Without it the next scan is slower.
  await store.save().catch(() => undefined);
  return index;
}

async function scan(
  folder: string,
  { signal, store, preferred, lostMarks, onUnreadableFolder = fail }: ScanOptions,
): Promise<LibraryIndex> {
  const listed = await listFiles(folder, signal);
  const { files, hiddenFolders, leftoverFiles, links, unreadableFolders } = listed;
  keepOnlyListed(store, listed);
  for (const each of unreadableFolders)
    if (mayHaveFiles(each)) onUnreadableFolder(each.folder, unreadableFolderError(each));
  const archives: FoundChapter[] = [];
  const damaged: UnreadableFile[] = [];
  const unidentified: string[] = [];
  const remaining = files[Symbol.iterator]();
  const work = async () => {
    for (const listed of remaining) {
      signal?.throwIfAborted();
      const { file } = listed;
      const read: ScannedMarks = store
        ? await knownMarks(listed, store)
        : await readMarks(listed.file, listed.isRegular);
      const lost = read.readError === undefined ? undefined : lostMarks?.get(file);
      const content = lost ? marksOf({ ...lost, proof: 'mark' }) : read;
      const { identities, isBound, readError, cause } = content;
      for (const { chapterId, titleId, version, quality, proof } of identities) {
        const ownership = read.state
          ? ownershipOf(file, proof, read.state)
          : await toOwnership(file, proof, listed.isRegular);
        archives.push({ chapterId, titleId, version, quality, file, ownership, isBound });
      }
      // A ZIP archive is only a chapter once its owner says so.
      const isChapter = isCbz(file) || (readError !== undefined && store?.markAt(file));
      if (identities.length > 0 || isBound || !isChapter) continue;
      if (readError === undefined) unidentified.push(file);
      else {
        const hadMark = !(cause instanceof UnmarkedDamage);
        const lostMark = hadMark ? await lostMarkOf(listed, store) : undefined;
        damaged.push({ file, readError, cause, lostMark });
      }
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
    maxNameBytes: await maxNameBytes(folder),
    store,
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
  if (!mark || mark.isBook || (await toOwnership(file, 'mark', isRegular)) !== 'own')
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

interface ScannedMarks extends FoundMarks, Pick<FileMarks, 'readError' | 'cause'> {
  /** Set for a regular file of a scan with a store. */
  readonly state?: FileState | undefined;
}

async function knownMarks(
  { file, isRegular }: ListedFile,
  store: FolderStore,
): Promise<ScannedMarks> {
  const isBook = isRegular && isReadableBook(file);
  // A file that is new has no known state to compare with, so it is opened at once.
  const isNew = isBook && !store.knows(file);
  const ofNew = isNew ? await openedMarks(file, store) : undefined;
  if (ofNew) return ofNew;
  const state = isRegular ? await readFileState(file).catch(() => undefined) : undefined;
  const stats = state ?? (await statIfExists(file).catch(() => undefined));
  if (!stats) return { ...NO_MARKS, readError: 'it cannot be read' };
  const known = store.get(file, stats)?.found;
  if (known) return { ...known, state };
  const ofChanged = isBook && !isNew ? await openedMarks(file, store) : undefined;
  if (ofChanged) return ofChanged;
  const marks = await readMarks(file, isRegular);
  // What cannot be read may be readable next time, and a PDF whose end is lost names no chapters: its mark stays known.
  const isLost = marks.isBound && marks.identities.length === 0 && store.hadChapters(file);
  if (marks.readError === undefined && !isLost) store.set(file, stats, { found: marks });
  return marks;
}

/** The marks of a file, which is read whole: other commands need the rest. Undefined for a file that is damaged. */
async function openedMarks(file: string, store: FolderStore): Promise<ScannedMarks | undefined> {
  const read = await store.openFile(file, true);
  if (!('state' in read) || !read.state) return undefined;
  const { state } = read;
  const found = store.get(file, state)?.found;
  return found && { ...found, state };
}

/** What is in a folder that cannot be read may still be there. */
function keepOnlyListed(
  store: FolderStore | undefined,
  { files, folderBooks, unreadableFolders }: Awaited<ReturnType<typeof listFiles>>,
): void {
  if (!unreadableFolders.some(mayHaveFiles))
    store?.keepOnly([...files.map(({ file }) => file), ...folderBooks]);
}

/** Adds files that were written after the last scan, so that one that is damaged before the next one is known. */
export async function addToIndex(
  stateFolder: string,
  output: string,
  files: Iterable<string>,
): Promise<void> {
  const store = FolderStore.open(stateFolder, output);
  for (const file of files) {
    const stats = await statIfExists(file);
    if (stats) await knownMarks({ file, isRegular: stats.isFile() }, store);
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
  const otherArchives: string[] = [];
  const imageFolders: string[] = [];
  const unreadableFolders: UnreadableFolder[] = [];
  const folders = [{ folder: root, isInBook: false }];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    signal?.throwIfAborted();
    const { folder } = next;
    const below: string[] = [];
    let { isInBook } = next;
    let images = 0;
    const others = files.length + otherArchives.length;
    // Joining each name takes as long as reading it.
    const prefix = join(folder, '_').slice(0, -1);
    const entries = await readdirIfReadable(folder, (cause) => {
      unreadableFolders.push({ folder, cause });
    });
    for (const entry of entries) {
      const file = prefix + entry.name;
      const isHidden = entry.name.startsWith('.');
      if (entry.isDirectory()) (isHiddenFolder(entry.name) ? hiddenFolders : below).push(file);
      else if (isLeftoverTemporary(file) || isTemporaryLock(file)) leftoverFiles.push(file);
      else if (entry.name === FOLDER_MANIFEST_NAME && entry.isFile()) {
        folderBooks.push(folder);
        isInBook = true;
      } else if (isHidden) continue;
      else if (containerNamed(entry.name)) {
        files.push({ file, isRegular: entry.isFile() });
        if (entry.isSymbolicLink()) links.push(file);
      } else if (entry.isFile() && isOtherArchive(entry.name)) otherArchives.push(file);
      else if (entry.isSymbolicLink() && (await leadsToFolder(file))) links.push(file);
      else if (entry.isFile() && isPage(entry.name)) images += 1;
    }
    // Covers are beside archives, or one in a folder.
    const isOfImages = images > 1 && files.length + otherArchives.length === others;
    if (isOfImages && !isInBook && below.length === 0) imageFolders.push(folder);
    for (const each of below) folders.push({ folder: each, isInBook });
  }
  expectFiles(files.length);
  return {
    files,
    hiddenFolders,
    leftoverFiles,
    links,
    folderBooks,
    otherArchives,
    imageFolders,
    unreadableFolders,
  };
}

interface ListedArchives extends Pick<ScannedFiles, 'hiddenFolders' | 'leftoverFiles'> {
  /** CBZ and EPUB files, by path. */
  readonly files: readonly string[];
  /** PDF files, and the folders with the manifest of a book; of tankobon or not. */
  readonly pdfs: readonly string[];
  readonly folderBooks: readonly string[];
  /** Archives of kinds that are not read. */
  readonly otherArchives: readonly string[];
  /** Folders of images, which may be chapters. */
  readonly imageFolders: readonly string[];
  /** How many links to archives and to folders were skipped. */
  readonly skippedLinks: number;
  /** How many ZIP archives of other programs were skipped: they may be anything. */
  readonly skippedZips: number;
  /** Folders that this user may not read, whose names are not UTF-8, or that the disk cannot read. */
  readonly unreadableFolders: readonly UnreadableFolder[];
}

async function leadsToFolder(link: string): Promise<boolean> {
  return (await stat(link).catch(() => undefined))?.isDirectory() === true;
}

/**
 * The archives and books in a folder and its subfolders, except hidden ones, also named pipes. Links are left out. `store`
 * forgets files that are gone.
 */
export async function listArchives(
  folder: string,
  signal?: AbortSignal,
  store?: FolderStore,
): Promise<ListedArchives> {
  const listed = await listFiles(folder, signal);
  const { files, links, folderBooks, otherArchives } = listed;
  const { unreadableFolders, hiddenFolders, leftoverFiles } = listed;
  keepOnlyListed(store, listed);
  const linked = new Set(links);
  const named: string[] = [];
  let skippedZips = 0;
  for (const each of files) {
    signal?.throwIfAborted();
    if (linked.has(each.file)) continue;
    if (hasBookExtension(each.file) || (await isAdopted(each, store))) named.push(each.file);
    else if (mayBeComic(each.file)) skippedZips += 1;
  }
  named.sort();
  return {
    files: named.filter(isReadableBook),
    pdfs: named.filter((file) => containerNamed(file) === 'pdf'),
    folderBooks: folderBooks.sort(),
    otherArchives: otherArchives.sort(),
    imageFolders: listed.imageFolders.sort(),
    skippedLinks: links.length,
    skippedZips,
    unreadableFolders,
    hiddenFolders,
    leftoverFiles,
  };
}

function isCbz(name: string): boolean {
  return /\.cbz$/i.test(name);
}

/** Whether `adopt` made the ZIP archive a chapter. One that cannot be read any more may be known as such. */
async function isAdopted(listed: ListedFile, store: FolderStore | undefined): Promise<boolean> {
  const { file, isRegular } = listed;
  if (!isRegular) return false;
  const marks = store ? await knownMarks(listed, store) : await readMarks(file, isRegular);
  if (marks.readError !== undefined) return store?.markAt(file) !== undefined;
  return marks.identities.length > 0 || marks.isBound;
}

function byFile(a: { readonly file: string }, b: { readonly file: string }): number {
  return a.file < b.file ? -1 : 1;
}
