/**
 * What tankobon knows and can find out again, in JSON files of the state folder that may be deleted: entries by their
 * keys, each on a line of its own, which is parsed when it is asked for: thousands of objects take several times the memory
 * of their text. A file that is torn, too large or of another program counts as empty, and an entry of another form as
 * missing. Whether an entry is still true is for its reader to say, who has its time or its digest.
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

/** The texts of the entries. */
type Entries = ReadonlyMap<string, Buffer>;

const START = Buffer.from(`{"format":${FORMAT},"entries":{\n`);
const END = Buffer.from('\n}}\n');
/** No JSON text has a tab or the end of a line inside a string. */
const [TAB, NEWLINE] = ['\t'.charCodeAt(0), '\n'.charCodeAt(0)];

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
    await writeEntries(file, toEntries(entries));
  }

  get(key: string): Entry | undefined {
    if (this.#changed.has(key)) return this.#changed.get(key);
    const text = this.known.get(key);
    return text && this.options.parse(parseJson(text.toString()));
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
      if (entry) entries.set(key, Buffer.from(JSON.stringify(entry)));
      else entries.delete(key);
    for (const key of gone) entries.delete(key);
    await writeEntries(this.file, entries);
  }
}

async function writeEntries(file: string, entries: Entries): Promise<void> {
  makeFolders(dirname(file), PRIVATE_FOLDER_MODE);
  const lines = [...entries].flatMap(([key, text], index) => [
    Buffer.from(`${index === 0 ? '' : ',\n'}${JSON.stringify(key)}\t:`),
    text,
  ]);
  await writeFileAtomic(file, Buffer.concat([START, ...lines, END]), { mode: FILE_MODE });
}

async function readEntries<Entry>(
  file: string,
  { older, ...options }: CacheOptions<Entry>,
): Promise<Entries> {
  const bytes = await readFileIfExists(file, options).catch(() => undefined);
  if (!bytes) return new Map();
  if (bytes.subarray(0, START.length).equals(START)) return readLines(bytes);
  // Earlier versions wrote one line.
  const value = parseJson(bytes.toString());
  if (!isRecord(value)) return new Map();
  const entries = value['format'] === FORMAT ? value['entries'] : older(value);
  return toEntries(isRecord(entries) ? entries : {});
}

function toEntries(entries: Readonly<Record<string, unknown>>): Entries {
  const known = Object.entries(entries).filter(([, entry]) => entry !== undefined);
  return new Map(known.map(([key, entry]) => [key, Buffer.from(JSON.stringify(entry))]));
}

/** None of a file whose end is missing. */
function readLines(bytes: Buffer): Entries {
  const entries = new Map<string, Buffer>();
  const end = bytes.length - END.length;
  if (!bytes.subarray(Math.max(end, 0)).equals(END)) return entries;
  for (let at = START.length; at < end;) {
    const next = bytes.indexOf(NEWLINE, at);
    const tab = bytes.indexOf(TAB, at);
    const key = parseJson(bytes.toString('utf8', at, tab));
    // The last line ends without a comma.
    const text = bytes.subarray(tab + 2, next === end ? next : next - 1);
    if (typeof key === 'string' && tab >= 0 && tab < next) entries.set(key, text);
    at = next + 1;
  }
  return entries;
}
