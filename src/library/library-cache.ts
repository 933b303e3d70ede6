/**
 * Which chapters each archive of an output folder has, by path, size and modification time, so that a scan opens only
 * archives that are new or were changed, and a file whose end is lost is known by its path. A file in the state folder
 * for each output folder; if it is deleted, the next scan builds it again.
 */
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { readCacheFile, writeCacheFile } from '../core/cache-file.js';
import { statIfExists } from '../core/files.js';
import { isRecord } from '../core/json.js';
import { isUuid } from '../core/uuid.js';
import { readMarks, type FoundMarks } from './file.js';
import type { FileMark, FoundIdentity } from './identity.js';
import type { LibraryIndex } from './library-index.js';
import { scanLibrary, type IdentityCache, type ScanOptions } from './scan-library.js';

type ChapterEntry = readonly [
  chapterId: string,
  version: number | null,
  quality: string | null,
  isMarked: boolean,
  titleId: string | null,
];

/**
 * Size, modification time, then the chapter that was found, if any, or those of a book; last, if `retag` would not change
 * the file, the digest of what it compared the file with.
 */
type Entry = readonly [
  sizeBytes: number,
  mtimeMs: number,
  found: null | ChapterEntry | { readonly book: readonly ChapterEntry[] },
  comparedWith?: string,
];

/** Counts up when entries get fields: those of an earlier format are read again. */
const CACHE_FORMAT = 4;

export class LibraryCache implements IdentityCache {
  readonly #seen = new Map<string, Entry>();
  #hasChanges = false;

  private constructor(
    private readonly file: string,
    private readonly output: string,
    private readonly known: ReadonlyMap<string, Entry>,
  ) {}

  /** The cache of this output folder. An unreadable one counts as empty. */
  static async open(folder: string, output: string): Promise<LibraryCache> {
    const root = resolve(output);
    const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
    const file = join(folder, 'library', `${name}.json`);
    return new LibraryCache(file, root, parseEntries(await readCacheFile(file)));
  }

  get(file: string, { size, mtimeMs }: Stats): FoundMarks | undefined {
    const path = this.#pathOf(file);
    const entry = this.known.get(path);
    if (entry?.[0] !== size || entry[1] !== mtimeMs) return undefined;
    this.#seen.set(path, entry);
    return toFound(entry);
  }

  set(file: string, { size, mtimeMs }: Stats, { identities, isBound }: FoundMarks): void {
    this.#hasChanges = true;
    const chapters = identities.map(toChapterEntry);
    const found = isBound ? { book: chapters } : (chapters[0] ?? null);
    this.#seen.set(this.#pathOf(file), [size, mtimeMs, found]);
  }

  /** Whether the file, which the scan saw, needed no change when it was compared with what has this digest. */
  isSameAs(file: string, digest: string): boolean {
    return this.#seen.get(this.#pathOf(file))?.[3] === digest;
  }

  setSameAs(file: string, digest: string): void {
    const path = this.#pathOf(file);
    const [size, mtimeMs, found] = this.#seen.get(path) ?? [];
    if (size === undefined || mtimeMs === undefined || found === undefined) return;
    this.#hasChanges = true;
    this.#seen.set(path, [size, mtimeMs, found, digest]);
  }

  keep(file: string): boolean {
    const path = this.#pathOf(file);
    const entry = this.known.get(path);
    if (entry) this.#seen.set(path, entry);
    return entry !== undefined && toFound(entry).identities.length > 0;
  }

  keepAll(): void {
    for (const [path, entry] of this.known) this.#seen.set(path, entry);
  }

  markAt(file: string): FileMark | undefined {
    const entry = this.known.get(this.#pathOf(file));
    if (!entry) return undefined;
    const { identities, isBound } = toFound(entry);
    const isMarked = identities.length > 0 && identities.every((each) => each.isMarked);
    return isMarked ? { chapters: identities, isBook: isBound } : undefined;
  }

  #pathOf(file: string): string {
    const prefix = this.output + sep;
    return file.startsWith(prefix) ? file.slice(prefix.length) : relative(this.output, file);
  }

  /** Call it after a complete scan: what the scan did not see is dropped. */
  async save(): Promise<void> {
    if (!this.#hasChanges && this.#seen.size === this.known.size) return;
    const files = Object.fromEntries(this.#seen);
    await writeCacheFile(this.file, { format: CACHE_FORMAT, files });
  }
}

/** Scans the folder, and remembers for the next scan what its archives have. Rejects as scanLibrary does. */
export async function scanIndexed(
  stateFolder: string,
  output: string,
  options: Omit<ScanOptions, 'cache'>,
): Promise<LibraryIndex> {
  const cache = await LibraryCache.open(stateFolder, output);
  const { onUnreadableFolder } = options;
  const index = await scanLibrary(output, {
    ...options,
    cache,
    onUnreadableFolder:
      onUnreadableFolder &&
      ((folder, error) => {
        cache.keepAll();
        onUnreadableFolder(folder, error);
      }),
  });
  // Without it the next scan is slower.
  await cache.save().catch(() => undefined);
  return index;
}

/** Adds files that were written after the last scan, so that one that is damaged before the next one is known. */
export async function addToIndex(
  stateFolder: string,
  output: string,
  files: Iterable<string>,
): Promise<void> {
  const cache = await LibraryCache.open(stateFolder, output);
  cache.keepAll();
  for (const file of files) {
    const stats = await statIfExists(file);
    const content = await readMarks(file);
    if (stats && content.readError === undefined) cache.set(file, stats, content);
  }
  await cache.save();
}

/** The marks that scans of any folder found in files that cannot be read any more. */
export class IndexedMarks {
  readonly #caches = new Map<string, Promise<LibraryCache>>();

  constructor(private readonly stateFolder: string) {}

  /** @param file an absolute path */
  async at(file: string): Promise<FileMark | undefined> {
    for (let folder = dirname(file); ; folder = dirname(folder)) {
      const cache = this.#caches.get(folder) ?? LibraryCache.open(this.stateFolder, folder);
      this.#caches.set(folder, cache);
      const mark = (await cache).markAt(file);
      if (mark || folder === dirname(folder)) return mark;
    }
  }
}

function parseEntries(value: unknown): ReadonlyMap<string, Entry> {
  if (!isRecord(value) || value['format'] !== CACHE_FORMAT || !isRecord(value['files']))
    return new Map();
  return new Map(
    Object.entries(value['files']).filter((pair): pair is [string, Entry] => isEntry(pair[1])),
  );
}

function isEntry(value: unknown): value is Entry {
  if (!Array.isArray(value)) return false;
  const [size, mtimeMs, found, comparedWith = ''] = value as unknown[];
  if (typeof size !== 'number' || typeof mtimeMs !== 'number') return false;
  if (typeof comparedWith !== 'string') return false;
  if (isRecord(found)) return Array.isArray(found['book']) && found['book'].every(isChapterEntry);
  return found === null || isChapterEntry(found);
}

function isChapterEntry(found: unknown): boolean {
  return (
    Array.isArray(found) &&
    typeof found[0] === 'string' &&
    isUuid(found[0]) &&
    typeof found[3] === 'boolean'
  );
}

function toFound([, , found]: Entry): FoundMarks {
  if (found === null) return { identities: [], isBound: false };
  if ('book' in found) return { identities: found.book.map(toIdentity), isBound: true };
  return { identities: [toIdentity(found)], isBound: false };
}

function toChapterEntry(found: FoundIdentity): ChapterEntry {
  const { chapterId, version = null, quality = null, isMarked, titleId = null } = found;
  return [chapterId, version, quality, isMarked, titleId];
}

function toIdentity([chapterId, version, quality, isMarked, titleId]: ChapterEntry): FoundIdentity {
  return {
    chapterId,
    isMarked,
    ...(typeof titleId === 'string' && isUuid(titleId) && { titleId }),
    ...(typeof version === 'number' && { version }),
    ...((quality === 'data' || quality === 'data-saver') && { quality }),
  };
}
