/**
 * Reads the texts in the first columns of the tables of a SQLite database (sqlite.org/fileformat2.html): all that
 * gallery-dl's archive consists of. A text that does not fit into one page is left out.
 */

const MAGIC = 'SQLite format 3\0';
const FILE_HEADER_BYTES = 100;
const MIN_PAGE_BYTES = 512;
const UTF_8 = 1;
const MAX_VARINT_BYTES = 9;

/** The kinds of pages of a b-tree. The table of gallery-dl is an index, since it is one WITHOUT ROWID. */
const INDEX_INTERIOR = 2;
const TABLE_INTERIOR = 5;
const INDEX_LEAF = 10;
const TABLE_LEAF = 13;

/** The columns of the table of the schema. */
const SCHEMA_TYPE = 0;
const SCHEMA_ROOT_PAGE = 3;

export const isSqlite = (bytes: Buffer): boolean =>
  bytes.toString('latin1', 0, MAGIC.length) === MAGIC;

/** Yields the texts of each page. Throws Error for a broken database. */
export function* readFirstColumns(database: Buffer): Generator<readonly Buffer[]> {
  const pages = new Pages(database);
  const roots = new Set<number>();
  for (const records of pages.recordsBelow(1))
    for (const record of records) {
      const [type, root] = [SCHEMA_TYPE, SCHEMA_ROOT_PAGE].map((column) => field(record, column));
      if (type?.toString('latin1') === 'table' && root !== undefined && root.length > 0)
        roots.add(root.readUIntBE(0, Math.min(root.length, 6)));
    }
  for (const root of roots)
    for (const records of pages.recordsBelow(root))
      yield records.flatMap((record) => field(record, 0) ?? []);
}

class Pages {
  readonly #pageBytes: number;
  /** Without what extensions reserve at the end of each page. */
  readonly #usableBytes: number;
  /** A broken database may refer to a page twice, or to one above it. */
  readonly #seen = new Set<number>();

  constructor(private readonly database: Buffer) {
    if (database.length < MIN_PAGE_BYTES) throw new Error('it ends within its header');
    const pageBytes = database.readUInt16BE(16);
    this.#pageBytes = pageBytes === 1 ? 2 ** 16 : pageBytes;
    if (this.#pageBytes < MIN_PAGE_BYTES) throw new Error('it has pages of no known size');
    this.#usableBytes = this.#pageBytes - database.readUInt8(20);
    if (database.readUInt32BE(56) !== UTF_8) throw new Error('its texts are not UTF-8');
  }

  /** Yields the records of each page of a b-tree. */
  *recordsBelow(root: number): Generator<readonly Buffer[]> {
    const waiting = [root];
    for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
      if (this.#seen.has(number)) throw new Error(`it refers to page ${number} twice`);
      this.#seen.add(number);
      const { children, records } = this.#read(number);
      for (const child of children) waiting.push(child);
      yield records;
    }
  }

  #read(number: number) {
    const start = (number - 1) * this.#pageBytes;
    const page = this.database.subarray(start, start + this.#usableBytes);
    if (number < 1 || page.length < this.#usableBytes) throw new Error(`page ${number} is missing`);
    const header = number === 1 ? FILE_HEADER_BYTES : 0;
    const kind = page.readUInt8(header);
    const isInterior = kind === INDEX_INTERIOR || kind === TABLE_INTERIOR;
    if (!isInterior && kind !== INDEX_LEAF && kind !== TABLE_LEAF)
      throw new Error(`page ${number} is of an unknown kind`);
    const children = isInterior ? [page.readUInt32BE(header + 8)] : [];
    const records: Buffer[] = [];
    const cells = page.readUInt16BE(header + 3);
    for (let cell = 0; cell < cells; cell += 1) {
      let at = page.readUInt16BE(header + (isInterior ? 12 : 8) + 2 * cell);
      if (isInterior) {
        children.push(page.readUInt32BE(at));
        at += 4;
      }
      if (kind === TABLE_INTERIOR) continue;
      const size = varint(page, at);
      const start = kind === TABLE_LEAF ? varint(page, size.end).end : size.end;
      // What follows on other pages is missing here, and so are the columns in it.
      records.push(page.subarray(start, start + size.value));
    }
    return { children, records };
  }
}

/** The bytes of a column of a record; undefined if they are not there. */
function field(record: Buffer, column: number): Buffer | undefined {
  const { value: headerBytes, end } = varint(record, 0);
  let [at, start] = [end, headerBytes];
  for (let index = 0; at < headerBytes; index += 1) {
    const type = varint(record, at);
    const bytes = contentBytes(type.value);
    if (index === column)
      return start + bytes <= record.length ? record.subarray(start, start + bytes) : undefined;
    start += bytes;
    at = type.end;
  }
  return undefined;
}

/** The size of a value by its serial type: integers, a real, constants without bytes, and texts and blobs. */
function contentBytes(serialType: number): number {
  if (serialType < 5) return serialType;
  if (serialType === 5) return 6;
  if (serialType < 8) return 8;
  return serialType < 12 ? 0 : Math.floor((serialType - 12) / 2);
}

/** Seven bits in each byte, and eight in the last of nine. Larger numbers than a file has bytes lose their precision. */
function varint(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let count = 1; count <= MAX_VARINT_BYTES; count += 1) {
    const byte = bytes[start + count - 1];
    if (byte === undefined) throw new Error('it ends within a number');
    if (count === MAX_VARINT_BYTES) value = value * 256 + byte;
    else value = value * 128 + (byte & 0x7f);
    if (byte < 0x80 || count === MAX_VARINT_BYTES) return { value, end: start + count };
  }
  throw new Error('it has a number that is too long');
}
