/**
 * What scans and commands know of each file, by its path, size and modification time, so that they open only files that
 * are new or were changed. It is kept in the state folder, in a file for each folder that was scanned, which may be deleted:
 * everything is read again then. What is torn, of another format or written by another program counts as missing.
 */
import { readdirSync, type BigIntStats } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { CacheFile } from '../core/cache-file.js';
import { maxOf } from '../core/extremes.js';
import { isRecord } from '../core/json.js';
import { isUuid } from '../core/uuid.js';
import { readFileState, type FileState } from '../core/file-state.js';
import { isOwnFile, type FileOwner } from '../core/safe-open.js';
import {
  readLibraryFile,
  toLibraryFile,
  type FoundMarks,
  type KnownChapter,
  type KnownFile as KnownContent,
  type LibraryFile,
} from './file.js';
import { containerOf } from './containers.js';
import type { checkFile } from './damage.js';
import type { FileContent } from './read/content.js';
import { sha256Of } from '../core/sha256.js';
import type { FileMark, FoundIdentity, Proof } from './mark.js';
import type { ScannedRecord } from './read/known-file.js';
import type { ChapterRecord } from './record.js';

const FOLDER = 'files';
const MAX_FILE_BYTES = 512 * 2 ** 20;

/** Another program that changes a file changes at least one of these. */
export interface FileVersion {
  readonly size: number;
  readonly mtimeMs: number;
}

interface KnownFile {
  /** The chapters that the file names. */
  readonly found?: FoundMarks | undefined;
  /** The digest of what `retag` compared the file with, and needed no change. */
  readonly comparedWith?: string | undefined;
  /** When the whole file was read, and had no damage. */
  readonly wholeAtMs?: number | undefined;
}

/** Older versions stored `false` for each file without a mark, which is read again: it may have a page of its record. */
const STORED_PROOFS = { mark: true, record: 'record', none: 'none' } as const;
type StoredProof = (typeof STORED_PROOFS)[Proof];
const PROOFS = new Map<unknown, Proof>(
  (Object.keys(STORED_PROOFS) as Proof[]).map((proof) => [STORED_PROOFS[proof], proof]),
);

type ChapterEntry = readonly [
  chapterId: string,
  version: number | null,
  quality: string | null,
  proof: StoredProof,
  titleId: string | null,
];

/** What is stored of a file. */
interface Entry extends FileVersion, Omit<KnownFile, 'found'> {
  readonly chapters?: readonly ChapterEntry[] | undefined;
  readonly isBound?: boolean | undefined;
}

interface RecordedFile {
  readonly from: FileState;
  readonly to: FileState;
  readonly record: ChapterRecord;
  /** False for an archive with a comment of another program, which stays. */
  readonly isMarked: boolean;
}

type State = FileVersion | Pick<BigIntStats, 'size' | 'mtimeNs'>;

function versionOf(state: State): FileVersion {
  if (!('mtimeNs' in state)) return { size: state.size, mtimeMs: state.mtimeMs };
  const { size, mtimeNs } = state;
  // Node computes the number in the same way.
  const mtimeMs = Number(mtimeNs / NS_PER_S) * 1e3 + Number(mtimeNs % NS_PER_S) / 1e6;
  return { size: Number(size), mtimeMs };
}

const NS_PER_S = 1_000_000_000n;

/** What is known of the files below one folder. */
export class FolderStore {
  /** The paths of the files that are there; undefined if the folder was not listed. */
  #listed: ReadonlySet<string> | undefined;

  /** What the paths of the files begin with: absolute ones, and those of a scan of the folder as it was given. */
  readonly #prefixes: readonly string[];

  private constructor(
    private readonly root: string,
    folder: string,
    private readonly entries: CacheFile<Entry>,
  ) {
    this.#prefixes = [prefixOf(root), prefixOf(folder)];
  }

  static open(stateFolder: string, folder: string): FolderStore {
    const root = resolve(folder);
    const file = join(stateFolder, FOLDER, nameOfStore(root));
    return new FolderStore(root, folder, CacheFile.open(file, CACHE_OPTIONS));
  }

  /** Undefined if nothing is known of this version of the file. */
  get(file: string, state: State): KnownFile | undefined {
    const entry = this.entries.get(this.#pathOf(file));
    return entry && isSame(entry, versionOf(state)) ? toKnownFile(entry) : undefined;
  }

  /** What is in this version of the file, without its pages. */
  async #known(file: string, state: FileState): Promise<KnownContent | undefined> {
    const stored = this.get(file, state) && this.entries.details(this.#pathOf(file));
    // What is known says nothing of the mark in a file of another user.
    if (!stored || !isOwnFile(file, state)) return undefined;
    const { fromStored } = await import('./read/known-file.js');
    return fromStored(stored, file, state);
  }

  /** What is known of a file of one chapter in this state. */
  async knownChapter(file: string, state: FileState): Promise<KnownChapter | undefined> {
    const known = await this.#known(file, state);
    return known?.kind === 'chapter' ? known.chapter : undefined;
  }

  /** What `retag` compared the file with, if the file that the scan found needed no change. */
  scannedComparison(file: string): string | undefined {
    return this.entries.get(this.#pathOf(file))?.comparedWith;
  }

  /** What the record of a file of one chapter said when the folder was scanned. */
  async scannedRecord(file: string): Promise<ScannedRecord | undefined> {
    const { recordIn } = await import('./read/known-file.js');
    return recordIn(this.entries.details(this.#pathOf(file)));
  }

  /**
   * What is in the file, without its pages; all of it if it is damaged or cannot be read. A file that is read is known from
   * now on. `isRegular`: its folder says so.
   */
  async read(file: string, isRegular = false): Promise<LibraryFile | KnownContent> {
    const isNew = isRegular && !this.knows(file);
    const state = isNew ? undefined : await readFileState(file).catch(() => undefined);
    const known = state && (await this.#known(file, state));
    if (known) return known;
    const read = await this.openFile(file, isNew || state !== undefined);
    if (!('state' in read) || !read.state) return read;
    // The texts of what was read would stay in memory while a part of one of them is in use.
    return (await this.#known(file, read.state)) ?? read;
  }

  /** Opens the file, which is known from now on if it is not damaged. `isRegular`: see readLibraryFile. */
  async openFile(file: string, isRegular: boolean): Promise<LibraryFile> {
    const { toStored } = await import('./read/known-file.js');
    const read = await readLibraryFile(file, { isRegular });
    const content = toStored(read);
    if (content && 'found' in read && read.state) {
      const isOwn = isOwnFile(file, read.state);
      this.set(file, read.state, { found: read.found }, isOwn ? content : undefined);
    }
    return read;
  }

  /** After another reader opened this version of an archive. */
  async setContent(
    file: string,
    version: FileVersion,
    owner: FileOwner,
    content: FileContent,
  ): Promise<void> {
    if (!isOwnFile(file, owner)) return;
    const { toStored } = await import('./read/known-file.js');
    const container = containerOf(file);
    const opened = { content, container, depth: 'pages', state: undefined, owner } as const;
    const read = await toLibraryFile(file, opened);
    this.set(file, version, { found: read.found }, toStored(read));
  }

  /** After `adopt` gave the file a record. Only what was known of the file that it was before is known of the new one. */
  async setRecorded(file: string, { from, to, record, isMarked }: RecordedFile): Promise<void> {
    const { recordedContent } = await import('./read/known-file.js');
    const stored = this.get(file, from) && this.entries.details(this.#pathOf(file));
    const content = recordedContent(stored, record, isMarked);
    const { chapterId, titleId, version, quality } = record;
    const mark = chapterId === undefined ? undefined : { chapterId, titleId, version, quality };
    const found = mark && isMarked ? foundBy({ chapters: [mark], isBook: false }) : undefined;
    if (isOwnFile(file, to)) this.set(file, to, { found }, content);
  }

  /** Adds facts to those of the same version of the file; those of others are forgotten. `content`: what plans need. */
  set(file: string, state: State, { found, ...added }: KnownFile, content?: object): void {
    const path = this.#pathOf(file);
    const entry = this.entries.get(path);
    const version = versionOf(state);
    const known = entry && isSame(entry, version) ? entry : undefined;
    const facts = { ...known, ...version, ...added, ...(found && toStored(found)) };
    this.entries.set(path, facts, content ?? (known && 'kept'));
  }

  /** Forgets everything but the mark that the file had when it could be read. */
  setDamaged(file: string, mark: FileMark | undefined): void {
    const stored = mark && { ...NO_VERSION, ...toStored(foundBy(mark)) };
    this.entries.set(this.#pathOf(file), stored);
  }

  /** Whether the index has the file, in any version, also in an entry of another form. */
  knows(file: string): boolean {
    return this.entries.has(this.#pathOf(file));
  }

  /** Whether the file, in any version, named chapters. */
  hadChapters(file: string): boolean {
    return (this.entries.get(this.#pathOf(file))?.chapters?.length ?? 0) > 0;
  }

  /** What the mark of the file named when it could be read, in any version. */
  markAt(file: string): FileMark | undefined {
    const entry = this.entries.get(this.#pathOf(file));
    const { identities, isBound } = (entry && toKnownFile(entry).found) ?? NOTHING;
    const isMarked = identities.length > 0 && identities.every(({ proof }) => proof === 'mark');
    return isMarked ? { chapters: identities, isBook: isBound } : undefined;
  }

  /** After the folder was listed completely: other files are forgotten. */
  keepOnly(files: Iterable<string>): void {
    this.#listed = new Set(Array.from(files, (file) => this.#pathOf(file)));
  }

  /** Adds what another process found meanwhile. Throws errors of the file system. */
  async save(): Promise<void> {
    const listed = this.#listed;
    await this.entries.save((path) => listed?.has(path) === false);
  }

  /** A scan asks for each file several times, and `relative` takes as long as looking at the file. */
  #pathOf(file: string): string {
    const prefix = this.#prefixes.find((each) => isBelow(file, each));
    return prefix === undefined ? relative(this.root, resolve(file)) : file.slice(prefix.length);
  }
}

/** Empty for the working directory. */
function prefixOf(folder: string): string {
  return join(folder, '_').slice(0, -1);
}

function isBelow(file: string, prefix: string): boolean {
  if (prefix === '') return !isAbsolute(file) && !file.startsWith('..');
  return file.startsWith(prefix);
}

function nameOfStore(root: string): string {
  return `${sha256Of(root).slice(0, 16)}.json`;
}

/** What is known of single files, from scans of any of the folders above them. */
export class FileStore {
  readonly #folders = new Map<string, FolderStore>();
  /** The stores of each folder and of those above it. */
  readonly #above = new Map<string, readonly FolderStore[]>();
  #saved: ReadonlySet<string> | undefined;

  constructor(private readonly stateFolder: string) {}

  folder(root: string): FolderStore {
    const path = resolve(root);
    const opened = this.#folders.get(path);
    if (opened) return opened;
    const store = FolderStore.open(this.stateFolder, root);
    this.#folders.set(path, store);
    this.#above.clear();
    return store;
  }

  /** When this version of the file was read last, and had no damage; undefined if that is not known. */
  wholeAtMs(file: string, version: FileVersion): number | undefined {
    const above = this.#storesOf(file);
    const times = above.flatMap((store) => store.get(file, version)?.wholeAtMs ?? []);
    return times.length === 0 ? undefined : maxOf(times);
  }

  /**
   * After the whole file was read, and had no damage. `wholeAtMs`: undefined for a file that is read again next time. `mark`:
   * what the mark of the file names; a file without one may name chapters by other means.
   */
  async setChecked(
    { root, file, version, owner }: CheckedFile,
    wholeAtMs: number | undefined,
    { mark, content }: Pick<Awaited<ReturnType<typeof checkFile>>, 'mark' | 'content'>,
  ): Promise<void> {
    const store = this.folder(root);
    store.set(file, version, { wholeAtMs, ...(mark && { found: foundBy(mark) }) });
    if (content && owner) await store.setContent(file, version, owner, content);
  }

  markAt(file: string): FileMark | undefined {
    for (const store of this.#storesOf(file)) {
      const mark = store.markAt(file);
      if (mark) return mark;
    }
    return undefined;
  }

  /** The file stays reported until it is mended, and its mark stays known. `found`: what can still be read of it. */
  setDamaged(
    { root, file }: Pick<CheckedFile, 'root' | 'file'>,
    found: FileMark | undefined,
  ): void {
    const mark = knownMark(found, this.markAt(file));
    for (const store of this.#storesOf(file)) if (store.knows(file)) store.setDamaged(file, mark);
    this.folder(root).setDamaged(file, mark);
  }

  async save(): Promise<void> {
    for (const store of this.#folders.values()) await store.save();
  }

  /** The stores of the folders above the file, the nearest one first. */
  #storesOf(file: string): readonly FolderStore[] {
    return this.#storesFrom(dirname(resolve(file)));
  }

  #storesFrom(folder: string): readonly FolderStore[] {
    const known = this.#above.get(folder);
    if (known) return known;
    const parent = dirname(folder);
    const others = parent === folder ? [] : this.#storesFrom(parent);
    // Most folders have none, and there are thousands of them.
    this.#saved ??= savedStores(this.stateFolder);
    const isSaved = this.#saved.has(nameOfStore(folder));
    const own = isSaved ? this.folder(folder) : this.#folders.get(folder);
    const stores = own ? [own, ...others] : others;
    this.#above.set(folder, stores);
    return stores;
  }
}

function savedStores(stateFolder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(join(stateFolder, FOLDER)));
  } catch {
    return new Set();
  }
}

interface CheckedFile {
  readonly file: string;
  /** The folder in which it was found. */
  readonly root: string;
  readonly version: FileVersion;
  /** Undefined for a folder. */
  readonly owner: FileOwner | undefined;
}

/** The mark of a damaged file, of which an earlier check may have read more: its record may be damaged. */
function knownMark(mark: FileMark | undefined, known: FileMark | undefined): FileMark | undefined {
  const [found, ...others] = mark?.chapters ?? [];
  const isLess = found && others.length === 0 && (found.version ?? found.quality) === undefined;
  return !mark || (isLess && known?.chapters[0]?.chapterId === found.chapterId) ? known : mark;
}

/** A mark names all chapters of a file. */
function foundBy({ chapters, isBook }: FileMark): FoundMarks {
  const identities = chapters.map((chapter) => ({ ...chapter, proof: 'mark' as const }));
  return { identities, isBound: isBook };
}

const NOTHING: FoundMarks = { identities: [], isBound: false };
/** No file has this version. */
const NO_VERSION: FileVersion = { size: -1, mtimeMs: 0 };

function isSame(entry: FileVersion, { size, mtimeMs }: FileVersion): boolean {
  return entry.size === size && entry.mtimeMs === mtimeMs;
}

function parseEntry(value: unknown): Entry | undefined {
  if (!isRecord(value)) return undefined;
  const { size, mtimeMs, chapters, isBound, comparedWith, wholeAtMs } = value;
  const isEntry =
    typeof size === 'number' &&
    typeof mtimeMs === 'number' &&
    (chapters === undefined || (Array.isArray(chapters) && chapters.every(isChapterEntry))) &&
    ['boolean', 'undefined'].includes(typeof isBound) &&
    ['string', 'undefined'].includes(typeof comparedWith) &&
    ['number', 'undefined'].includes(typeof wholeAtMs);
  return isEntry
    ? ({ size, mtimeMs, chapters, isBound, comparedWith, wholeAtMs } as Entry)
    : undefined;
}

const CACHE_OPTIONS = {
  maxBytes: MAX_FILE_BYTES,
  parse: parseEntry,
  older: ({ format, files }: Readonly<Record<string, unknown>>) => (format === 1 ? files : {}),
};

function isChapterEntry(found: unknown): boolean {
  return (
    Array.isArray(found) && typeof found[0] === 'string' && isUuid(found[0]) && PROOFS.has(found[3])
  );
}

function toKnownFile({ chapters, isBound = false, comparedWith, wholeAtMs }: Entry): KnownFile {
  const found = chapters && { identities: chapters.map(toIdentity), isBound };
  return { found, comparedWith, wholeAtMs };
}

function toStored({ identities, isBound }: FoundMarks): Pick<Entry, 'chapters' | 'isBound'> {
  return { chapters: identities.map(toChapterEntry), isBound };
}

function toChapterEntry(found: FoundIdentity): ChapterEntry {
  const { chapterId, version = null, quality = null, proof, titleId = null } = found;
  return [chapterId, version, quality, STORED_PROOFS[proof], titleId];
}

function toIdentity([chapterId, version, quality, proof, titleId]: ChapterEntry): FoundIdentity {
  return {
    chapterId,
    proof: PROOFS.get(proof) ?? 'none',
    titleId: typeof titleId === 'string' && isUuid(titleId) ? titleId : undefined,
    version: typeof version === 'number' ? version : undefined,
    quality: quality === 'data' || quality === 'data-saver' ? quality : undefined,
  };
}
