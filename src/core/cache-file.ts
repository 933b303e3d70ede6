/**
 * What tankobon knows and can find out again, in JSON files of the state folder that may be deleted: entries by their
 * keys, each on a line of its own, which is parsed when it is asked for: thousands of objects take several times the memory
 * of their text. An entry may have details, which are parsed and replaced separately. A file that is torn, too large or of
 * another program counts as empty, and an entry of another form as missing. Whether an entry is still true is for its
 * reader to say, who has its time or its digest.
 */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolders, readFileIfExistsSync, writeFileAtomic } from './files.js';
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

/** The text of an entry; with details, the text of an array of both, or each of the two. */
type Text = Buffer | readonly [entry: Buffer, details: Buffer];
type Entries = ReadonlyMap<string, Text>;

const BLOCK_BYTES = 64 * 1024;

/** The texts that were added, in blocks: Node cuts small buffers from pools, which each of them would keep whole. */
class AddedTexts {
  #block = Buffer.alloc(0);
  #used = 0;
  #last: Buffer | undefined;

  /** `before`: a text that is not needed any more, whose place is used again if it is the last one. */
  add(value: object, before?: Buffer): Buffer {
    const text = JSON.stringify(value);
    const bytes = Buffer.byteLength(text);
    if (before && before === this.#last) this.#used -= before.length;
    if (this.#block.length - this.#used < bytes) {
      this.#block = Buffer.allocUnsafeSlow(Math.max(bytes, BLOCK_BYTES));
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += this.#block.write(text, start);
    this.#last = this.#block.subarray(start, this.#used);
    return this.#last;
  }
}

const START = Buffer.from(`{"format":${FORMAT},"entries":{\n`);
const END = Buffer.from('\n}}\n');
/** No JSON text has a tab or the end of a line inside a string. */
const [TAB, NEWLINE] = ['\t'.charCodeAt(0), '\n'.charCodeAt(0)];
const [ARRAY, BETWEEN, ARRAY_END] = [Buffer.from('['), Buffer.from('\t,'), Buffer.from(']')];

export class CacheFile<Entry extends object> {
  readonly #changed = new Map<string, Text | undefined>();
  #added = new AddedTexts();

  private constructor(
    private readonly file: string,
    private readonly options: CacheOptions<Entry>,
    private readonly known: Entries,
    private readonly knownVersion: string | undefined,
  ) {}

  /** Synchronous: thousands of small files are read one by one, and Node's thread pool takes eight times the processor time for each call. */
  static open<Entry extends object>(file: string, options: CacheOptions<Entry>): CacheFile<Entry> {
    const version = versionOf(file);
    const entries: Entries = version === undefined ? new Map() : readEntries(file, options);
    return new CacheFile(file, options, entries, version);
  }

  /**
   * Replaces whatever is in the file, without reading it. Throws errors of the file system.
   * @param isSynced see writeFileAtomic; a part that is missing after a power cut counts as missing
   */
  static async write(
    file: string,
    entries: Readonly<Record<string, unknown>>,
    isSynced: boolean,
  ): Promise<void> {
    await writeEntries(file, toEntries(entries), isSynced);
  }

  /** Whether there is an entry, which may be of another form: it is not parsed. */
  has(key: string): boolean {
    return this.#changed.has(key) ? this.#changed.get(key) !== undefined : this.known.has(key);
  }

  get(key: string): Entry | undefined {
    const { entry } = this.#textsOf(key);
    return entry && this.options.parse(parseJson(entry.toString()));
  }

  /** The details of the entry, which may be of any form. */
  details(key: string): unknown {
    const { details } = this.#textsOf(key);
    return details && parseJson(details.toString());
  }

  /** Undefined removes the entry. */
  set(key: string, entry: Entry | undefined, details?: object | 'kept'): void {
    const before = this.#textsOf(key);
    const given = details === 'kept' ? before.details : details && this.#added.add(details);
    const text = entry && this.#added.add(entry, before.entry);
    this.#changed.set(key, text && given ? [text, given] : text);
  }

  #textsOf(key: string): ReturnType<typeof split> {
    return split(this.#changed.has(key) ? this.#changed.get(key) : this.known.get(key));
  }

  /** Adds what another process saved meanwhile. `isGone`: of the entries that were there. Throws errors of the file system. */
  async save(isGone: (key: string) => boolean = () => false): Promise<void> {
    const gone = [...this.known.keys()].filter(isGone);
    if (this.#changed.size === 0 && gone.length === 0) return;
    // The place of a text that is being written is not used again.
    this.#added = new AddedTexts();
    const isKnown = versionOf(this.file) === this.knownVersion;
    const entries = new Map(isKnown ? this.known : readEntries(this.file, this.options));
    for (const [key, text] of this.#changed)
      if (text) entries.set(key, text);
      else entries.delete(key);
    for (const key of gone) entries.delete(key);
    await writeEntries(this.file, entries, true);
  }
}

function split(text: Text | undefined): { readonly entry?: Buffer; readonly details?: Buffer } {
  if (!text) return {};
  if (!Buffer.isBuffer(text)) return { entry: text[0], details: text[1] };
  const tab = text[0] === ARRAY[0] ? text.indexOf(TAB) : -1;
  if (tab < 0) return { entry: text };
  return {
    entry: text.subarray(ARRAY.length, tab),
    details: text.subarray(tab + BETWEEN.length, -ARRAY_END.length),
  };
}

/** Differs for each content, since the file is replaced; undefined without a file. */
function versionOf(file: string): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats && [stats.ino, stats.size, stats.mtimeMs].join(' ');
  } catch {
    return undefined;
  }
}

async function writeEntries(file: string, entries: Entries, isSynced: boolean): Promise<void> {
  makeFolders(dirname(file), PRIVATE_FOLDER_MODE);
  await writeFileAtomic(file, blocksOf(entries), { mode: FILE_MODE, isSynced });
}

/** The file in blocks, each of which is written before the next one takes its place. */
function* blocksOf(entries: Entries): Generator<Buffer> {
  const block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  let used = 0;
  for (const part of partsOf(entries)) {
    if (used + part.length > block.length) {
      yield block.subarray(0, used);
      used = 0;
    }
    if (part.length > block.length) yield part;
    else used += part.copy(block, used);
  }
  yield block.subarray(0, used);
}

function* partsOf(entries: Entries): Generator<Buffer> {
  yield START;
  let separator = '';
  for (const [key, text] of entries) {
    yield Buffer.from(`${separator}${JSON.stringify(key)}\t:`);
    if (Buffer.isBuffer(text)) yield text;
    else yield* [ARRAY, text[0], BETWEEN, text[1], ARRAY_END];
    separator = ',\n';
  }
  yield END;
}

function readEntries<Entry>(file: string, { older, ...options }: CacheOptions<Entry>): Entries {
  const bytes = readIfUsable(file, options);
  if (!bytes) return new Map();
  if (bytes.subarray(0, START.length).equals(START)) return readLines(bytes);
  // Earlier versions wrote one line.
  const value = parseJson(bytes.toString());
  if (!isRecord(value)) return new Map();
  const entries = value['format'] === FORMAT ? value['entries'] : older(value);
  return toEntries(isRecord(entries) ? entries : {});
}

function readIfUsable(file: string, options: { readonly maxBytes?: number }): Buffer | undefined {
  try {
    return readFileIfExistsSync(file, options);
  } catch {
    return undefined;
  }
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
