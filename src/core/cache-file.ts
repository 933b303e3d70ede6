/**
 * What tankobon knows and can find out again, in JSON files of the state folder that may be deleted: entries by their
 * keys. A file that is torn, too large or of another program counts as empty, and an entry of another form as missing.
 * Whether an entry is still true is for its reader to say, who has its time or its digest.
 */
import { dirname } from 'node:path';
import { makeFolders, readFileIfExists, writeFileAtomic } from './files.js';
import { isRecord, parseJson } from './json.js';
import { PRIVATE_FOLDER_MODE } from './own-folder.js';

/** Counts up when the form of files changes; `parse` knows the forms of entries. */
const FORMAT = 2;
const FILE_MODE = 0o600;

interface CacheOptions<Entry> {
  readonly maxBytes?: number;
  /** Undefined for an entry of another form. */
  readonly parse: (value: unknown) => Entry | undefined;
  /** The entries in a file that an older version wrote. */
  readonly older: (content: Readonly<Record<string, unknown>>) => unknown;
}

type Entries = ReadonlyMap<string, unknown>;

export class CacheFile<Entry extends object> {
  readonly #changed = new Map<string, Entry | undefined>();

  private constructor(
    private readonly file: string,
    private readonly options: CacheOptions<Entry>,
    private readonly known: Entries,
  ) {}

  static async open<Entry extends object>(
    file: string,
    options: CacheOptions<Entry>,
  ): Promise<CacheFile<Entry>> {
    return new CacheFile(file, options, await readEntries(file, options));
  }

  /** Replaces whatever is in the file, without reading it. Throws errors of the file system. */
  static async write(file: string, entries: Readonly<Record<string, unknown>>): Promise<void> {
    makeFolders(dirname(file), PRIVATE_FOLDER_MODE);
    await writeFileAtomic(file, JSON.stringify({ format: FORMAT, entries }), { mode: FILE_MODE });
  }

  get(key: string): Entry | undefined {
    if (this.#changed.has(key)) return this.#changed.get(key);
    const value = this.known.get(key);
    return value === undefined ? undefined : this.options.parse(value);
  }

  /** Undefined removes the entry. */
  set(key: string, entry: Entry | undefined): void {
    this.#changed.set(key, entry);
  }

  /** Adds what another process saved meanwhile. `isGone`: of the entries that were there. Throws errors of the file system. */
  async save(isGone: (key: string) => boolean = () => false): Promise<void> {
    const gone = [...this.known.keys()].filter(isGone);
    if (this.#changed.size === 0 && gone.length === 0) return;
    const entries = new Map(await readEntries(this.file, this.options));
    for (const [key, entry] of this.#changed)
      if (entry) entries.set(key, entry);
      else entries.delete(key);
    for (const key of gone) entries.delete(key);
    await CacheFile.write(this.file, Object.fromEntries(entries));
  }
}

async function readEntries<Entry>(
  file: string,
  { older, ...options }: CacheOptions<Entry>,
): Promise<Entries> {
  const bytes = await readFileIfExists(file, options).catch(() => undefined);
  const value = parseJson(bytes?.toString('utf8') ?? '');
  if (!isRecord(value)) return new Map();
  const entries = value['format'] === FORMAT ? value['entries'] : older(value);
  return new Map(isRecord(entries) ? Object.entries(entries) : []);
}
