/**
 * Which chapter each archive of an output folder has, by path, size and modification time, so that a scan opens only
 * archives that are new or were changed, and a file whose end is lost is known by its path. A file in the state folder
 * for each output folder; if it is deleted, the next scan builds it again.
 */
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { makeFolders, readFileIfExists, writeFileAtomic } from '../core/files.js';
import { PRIVATE_FOLDER_MODE } from '../core/own-folder.js';
import { isRecord, parseJson } from '../core/json.js';
import { isUuid } from '../core/uuid.js';
import type { CbzIdentity, FoundIdentity } from './identity.js';
import type { LibraryIndex } from './library-index.js';
import { scanLibrary, type IdentityCache, type ScanOptions } from './scan-library.js';

/** Size, modification time, then the chapter that was found, if any. */
type Entry = readonly [
  sizeBytes: number,
  mtimeMs: number,
  found:
    | null
    | readonly [
        chapterId: string,
        version: number | null,
        quality: string | null,
        isMarked: boolean,
        titleId: string | null,
      ],
];

/** Counts up when entries get fields: those of an earlier format are read again. */
const CACHE_FORMAT = 3;
const FILE_MODE = 0o600;

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
    const bytes = await readFileIfExists(file).catch(() => undefined);
    return new LibraryCache(file, root, parseEntries(bytes?.toString('utf8') ?? ''));
  }

  get(
    file: string,
    { size, mtimeMs }: Stats,
  ): { readonly found: FoundIdentity | undefined } | undefined {
    const path = this.#pathOf(file);
    const entry = this.known.get(path);
    if (entry?.[0] !== size || entry[1] !== mtimeMs) return undefined;
    this.#seen.set(path, entry);
    return { found: toIdentity(entry) };
  }

  set(file: string, { size, mtimeMs }: Stats, found: FoundIdentity | undefined): void {
    this.#hasChanges = true;
    const { chapterId, version = null, quality = null, isMarked, titleId = null } = found ?? {};
    const record =
      chapterId === undefined || isMarked === undefined
        ? null
        : ([chapterId, version, quality, isMarked, titleId] as const);
    this.#seen.set(this.#pathOf(file), [size, mtimeMs, record]);
  }

  keep(file: string): void {
    const path = this.#pathOf(file);
    const entry = this.known.get(path);
    if (entry) this.#seen.set(path, entry);
  }

  /** The chapter whose mark the file had when it could be read. */
  markAt(file: string): CbzIdentity | undefined {
    const entry = this.known.get(this.#pathOf(file));
    const found = entry && toIdentity(entry);
    return found?.isMarked === true ? found : undefined;
  }

  #pathOf(file: string): string {
    const prefix = this.output + sep;
    return file.startsWith(prefix) ? file.slice(prefix.length) : relative(this.output, file);
  }

  /** Call it after a complete scan: what the scan did not see is dropped. */
  async save(): Promise<void> {
    if (!this.#hasChanges && this.#seen.size === this.known.size) return;
    makeFolders(dirname(this.file), PRIVATE_FOLDER_MODE);
    const text = JSON.stringify({ format: CACHE_FORMAT, files: Object.fromEntries(this.#seen) });
    await writeFileAtomic(this.file, text, { mode: FILE_MODE });
  }
}

/** Scans the folder, and remembers for the next scan what its archives have. Rejects as scanLibrary does. */
export async function scanIndexed(
  stateFolder: string,
  output: string,
  options: Omit<ScanOptions, 'cache'>,
): Promise<LibraryIndex> {
  const cache = await LibraryCache.open(stateFolder, output);
  const index = await scanLibrary(output, { ...options, cache });
  // Without it the next scan is slower.
  await cache.save().catch(() => undefined);
  return index;
}

/** The marks that scans of any folder found in files that cannot be read any more. */
export class IndexedMarks {
  readonly #caches = new Map<string, Promise<LibraryCache>>();

  constructor(private readonly stateFolder: string) {}

  /** @param file an absolute path */
  async at(file: string): Promise<CbzIdentity | undefined> {
    for (let folder = dirname(file); ; folder = dirname(folder)) {
      const cache = this.#caches.get(folder) ?? LibraryCache.open(this.stateFolder, folder);
      this.#caches.set(folder, cache);
      const mark = (await cache).markAt(file);
      if (mark || folder === dirname(folder)) return mark;
    }
  }
}

function parseEntries(text: string): ReadonlyMap<string, Entry> {
  const value = parseJson(text);
  if (!isRecord(value) || value['format'] !== CACHE_FORMAT || !isRecord(value['files']))
    return new Map();
  return new Map(
    Object.entries(value['files']).filter((pair): pair is [string, Entry] => isEntry(pair[1])),
  );
}

function isEntry(value: unknown): value is Entry {
  if (!Array.isArray(value)) return false;
  const [size, mtimeMs, found] = value as unknown[];
  if (typeof size !== 'number' || typeof mtimeMs !== 'number') return false;
  const isChapter =
    Array.isArray(found) &&
    typeof found[0] === 'string' &&
    isUuid(found[0]) &&
    typeof found[3] === 'boolean';
  return found === null || isChapter;
}

function toIdentity([, , found]: Entry): FoundIdentity | undefined {
  if (found === null) return undefined;
  const [chapterId, version, quality, isMarked, titleId] = found;
  return {
    chapterId,
    isMarked,
    ...(typeof titleId === 'string' && isUuid(titleId) && { titleId }),
    ...(typeof version === 'number' && { version }),
    ...((quality === 'data' || quality === 'data-saver') && { quality }),
  };
}
