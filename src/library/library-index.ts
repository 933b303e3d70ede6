/**
 * The archives of a folder, found by chapter, title and folder: what a title costs does not grow with the files of
 * others. Kept up to date while a run writes and removes files.
 */
import { dirname } from 'node:path';
import { pathCollisionKey } from './names.js';
import type { CbzIdentity } from './identity.js';
import type { Ownership } from './ownership.js';

export interface ExistingArchive extends CbzIdentity {
  readonly file: string;
  /** Only an `own` file may be replaced, rewritten, renamed or removed. */
  readonly ownership: Ownership;
  /** The file contains other chapters too, or is not a CBZ: it cannot be replaced by a chapter. */
  readonly isBound?: boolean;
}

export interface UnreadableFile {
  readonly file: string;
  readonly readError: string;
  readonly cause?: unknown;
  /** The chapter whose mark of tankobon it had when it could be read, if that is known. */
  readonly lostMark?: CbzIdentity | undefined;
}

/** What a scan found. */
export interface ScannedFiles {
  readonly archives: readonly ExistingArchive[];
  /** CBZ files that cannot be read, of tankobon or not. */
  readonly damaged: readonly UnreadableFile[];
  /** CBZ files that do not name a chapter. */
  readonly unidentified: readonly string[];
  /** Not scanned. */
  readonly hiddenFolders: readonly string[];
  /** Temporary files that killed processes left. */
  readonly leftoverFiles: readonly string[];
  /** Symbolic links: those to archives, which are read, and those to folders, which are not entered. */
  readonly links: readonly string[];
}

export type FilePaths = Pick<ReadonlySet<string>, 'has'>;

export class LibraryIndex {
  readonly damaged: ScannedFiles['damaged'];
  readonly unidentified: ScannedFiles['unidentified'];
  readonly hiddenFolders: ScannedFiles['hiddenFolders'];
  readonly leftoverFiles: ScannedFiles['leftoverFiles'];
  readonly links: ScannedFiles['links'];
  /** A bound file has several. */
  readonly #byFile: Index<ExistingArchive> = new Map();
  readonly #byChapter: Index<ExistingArchive> = new Map();
  readonly #byTitle: Index<ExistingArchive> = new Map();
  readonly #byFolder: Index<ExistingArchive> = new Map();
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
    const others = [...this.damaged.map(({ file }) => file), ...this.unidentified];
    for (const archive of archives) this.#add(archive);
    for (const file of others) addTo(this.#byPath, pathCollisionKey(file), file);
  }

  get archives(): readonly ExistingArchive[] {
    return [...this.#byFile.values()].flatMap((archives) => [...archives]);
  }

  /** The chapter's archive; of several, a preferred one, or the one with the newest version. */
  find(chapterId: string): ExistingArchive | undefined {
    const rank = ({ file }: ExistingArchive) => Number(this.preferred.has(file));
    let best: ExistingArchive | undefined;
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
  copiesOf(chapterId: string): readonly ExistingArchive[] {
    return listOf(this.#byChapter, chapterId.toLowerCase());
  }

  /** The archives that name this title. */
  ofTitle(titleId: string): readonly ExistingArchive[] {
    return listOf(this.#byTitle, titleId);
  }

  /** The archives that do not name their title: older ones, and those of chapters without metadata. */
  get withoutTitle(): readonly ExistingArchive[] {
    return listOf(this.#byTitle, NO_TITLE);
  }

  /** The archives in a folder, not below it, and in those that some file system considers the same. */
  inFolder(folder: string): readonly ExistingArchive[] {
    return listOf(this.#byFolder, pathCollisionKey(folder));
  }

  /** The files, also those without a chapter, whose paths some file system considers the same as this one. */
  filesAt(path: string): readonly string[] {
    return listOf(this.#byPath, pathCollisionKey(path));
  }

  /** After these files were written or removed. */
  update(saved: readonly ExistingArchive[], removed: Iterable<string> = []): void {
    for (const file of removed) this.#remove(file);
    for (const { file } of saved) this.#remove(file);
    for (const archive of saved) this.#add(archive);
  }

  #add(archive: ExistingArchive): void {
    for (const [index, key] of this.#keysOf(archive)) addTo(index, key, archive);
    addTo(this.#byPath, pathCollisionKey(archive.file), archive.file);
  }

  #remove(file: string): void {
    for (const archive of listOf(this.#byFile, file))
      for (const [index, key] of this.#keysOf(archive)) removeFrom(index, key, archive);
    removeFrom(this.#byPath, pathCollisionKey(file), file);
  }

  #keysOf({ file, chapterId, titleId = NO_TITLE }: ExistingArchive) {
    return [
      [this.#byFile, file],
      [this.#byChapter, chapterId],
      [this.#byTitle, titleId],
      [this.#byFolder, pathCollisionKey(dirname(file))],
    ] as const;
  }
}

const NO_TITLE = '';

type Index<T> = Map<string, Set<T>>;

function listOf<T>(index: Index<T>, key: string): readonly T[] {
  return [...(index.get(key) ?? [])];
}

function addTo<T>(index: Index<T>, key: string, item: T): void {
  const items = index.get(key);
  if (items) items.add(item);
  else index.set(key, new Set([item]));
}

function removeFrom<T>(index: Index<T>, key: string, item: T): void {
  const items = index.get(key);
  items?.delete(item);
  if (items?.size === 0) index.delete(key);
}

/** The newer version is preferred, then the file that can be replaced: tankobon's own, of this chapter only. */
function isPreferred(archive: ExistingArchive, other: ExistingArchive): boolean {
  const newer = (archive.version ?? 0) - (other.version ?? 0);
  return newer > 0 || (newer === 0 && preference(archive) > preference(other));
}

function preference({ isBound, ownership }: ExistingArchive): number {
  return (isBound === true ? 0 : 2) + (ownership === 'own' ? 1 : 0);
}
