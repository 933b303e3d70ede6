/**
 * Reads ZIP archives: their entries through yauzl, and the bytes of an entry with its checksum. Before any entry of an
 * archive of another program is inflated, listEntries, or assertNotBomb with the sizes, bounds what comes of it.
 */
import { MAX_IMAGE_BYTES } from './image-format.js';
import { lstat, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { decodeXml } from './decode-text.js';
import { openForReading, type OpenOptions } from './files.js';
import type { OpenedFile } from './opened-file.js';
import { isSystemError } from './system-errors.js';

const inflate = promisify(inflateRaw);

/** Where the bytes of an entry are, as the archive's directory says. */
export interface ZipEntry {
  readonly name: string;
  readonly bytes: number;
  readonly compressedBytes: number;
  readonly crc32: number;
  readonly method: number;
  readonly isEncrypted: boolean;
  /** The position of the local header. */
  readonly offset: number;
}

/** Equal for the same entries under other names. */
export function entriesChecksum(entries: readonly ZipEntry[]): number {
  return crc32(entries.map((entry) => `${entry.crc32} ${entry.bytes}`).join('\n'));
}

interface ZipOptions extends OpenOptions {
  /** The file is known to be one, and not a pipe, a socket or a device. */
  readonly isRegular?: boolean | undefined;
}

/**
 * Calls `read` with the open archive, whose comment has a character for each byte, and with a reader of its entries that
 * works until `read` resolves. Resolves with undefined for a link, a pipe, a socket or a device, which it does not open.
 * Throws as openForReading does.
 */
export async function withZip<T>(
  file: string,
  read: (zip: ZipFile, reader: EntryReader) => Promise<T>,
  options: ZipOptions = {},
): Promise<T | undefined> {
  // Checked before opening it, since opening a device may have effects.
  const statFile = options.followsLink ? stat : lstat;
  if (!options.isRegular && !(await statFile(file)).isFile()) return undefined;
  const opened = await openForReading(file, options);
  try {
    return await new Promise((resolve, reject) => {
      readOpened(opened, read, reject).then(resolve, reject);
    });
  } finally {
    await opened.close();
  }
}

const loadYauzl = () =>
  Promise.all([import('yauzl'), import('./zip/yauzl-reader.js'), import('./zip/entry-name.js')]);
/** It is kept, since the bundle copies what a CommonJS library exports at each `import`. */
let yauzl: ReturnType<typeof loadYauzl> | undefined;

async function readOpened<T>(
  opened: OpenedFile,
  read: (zip: ZipFile, reader: EntryReader) => Promise<T>,
  onThrown: (error: unknown) => void,
): Promise<T> {
  const [{ fromRandomAccessReaderPromise }, { YauzlReader }, { entryNameOf }] = await (yauzl ??=
    loadYauzl());
  const reader = await YauzlReader.open(opened, onThrown);
  // yauzl would refuse the whole archive for a name that leads out of a folder, and decodes all names as CP437.
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false };
  const zip = await fromRandomAccessReaderPromise(reader, opened.size, options).catch(
    async (error: unknown) => {
      // Errors of the operating system have a code, those of yauzl do not.
      if ((error as NodeJS.ErrnoException).code !== undefined) throw error;
      throw new Error(await whyNotZip(opened), { cause: error });
    },
  );
  // The loop over the entries throws it too; one that comes later would end the process.
  zip.on('error', () => undefined);
  zip.comment = Buffer.from(zip.comment).toString('latin1');
  // The loop over the entries, whose listener comes later, gets them with their names.
  zip.on('entry', (entry: Entry) => {
    entry.fileName = entryNameOf(entry);
  });
  return read(zip, new ZipEntryReader(opened)).finally(() => {
    zip.close();
  });
}

/** The first bytes of archives that often have the name of a ZIP archive. */
const OTHER_ARCHIVES = [
  ['RAR', 'Rar!\x1a\x07'],
  ['7z', '7z\xbc\xaf\x27\x1c'],
] as const;

async function whyNotZip(file: OpenedFile): Promise<string> {
  if (file.size === 0) return 'it is empty';
  const other = await otherKind(file);
  return other
    ? `it is a ${other} archive, not a ZIP archive`
    : 'it is not a ZIP archive, or is damaged';
}

async function otherKind(file: OpenedFile): Promise<string | undefined> {
  const start = (await file.readFully(Buffer.alloc(6), 0)).toString('latin1');
  return OTHER_ARCHIVES.find(([, signature]) => start === signature)?.[0];
}

/** Whether a file that may have the name of a ZIP archive is a RAR or 7z archive. Throws as openForReading does. */
export async function isOfOtherKind(file: string): Promise<boolean> {
  const opened = await openForReading(file);
  try {
    return (await otherKind(opened)) !== undefined;
  } finally {
    await opened.close();
  }
}

export function toZipEntry(entry: Entry): ZipEntry {
  return namedEntry(entry, entry.fileName);
}

export function namedEntry(entry: Entry, name: string): ZipEntry {
  return {
    name,
    bytes: entry.uncompressedSize,
    compressedBytes: entry.compressedSize,
    crc32: entry.crc32,
    method: entry.compressionMethod,
    isEncrypted: (entry.generalPurposeBitFlag & 1) !== 0,
    offset: entry.relativeOffsetOfLocalHeader,
  };
}

/** Archives that inflate to less are never refused. */
const MIN_BOMB_BYTES = 256 * 2 ** 20;
/** Images hardly become smaller in a ZIP: an archive that inflates to more than this multiple is a zip bomb. */
const MAX_COMPRESSION = 100;

/** Enough for an EPUB of 100,000 pages. */
const MAX_ENTRIES = 250_000;

/** The archive's directory. Throws Error for one with more than 250,000 entries, and as assertNotBomb does. */
export async function listEntries(zip: ZipFile): Promise<readonly Entry[]> {
  if (zip.entryCount > MAX_ENTRIES) throw new Error(`it has ${zip.entryCount} entries`);
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  assertNotBomb(entries.map(toZipEntry), zip.fileSize);
  return entries;
}

/** Throws Error for an archive that inflates to more than 256 MiB and to more than 100 times its size. */
export function assertNotBomb(
  entries: Iterable<{ readonly bytes: number }>,
  archiveBytes: number,
): void {
  let bytes = 0;
  for (const entry of entries) bytes += entry.bytes;
  if (bytes > Math.max(MIN_BOMB_BYTES, archiveBytes * MAX_COMPRESSION))
    throw new Error(`its entries would have ${bytes} bytes`);
}

const LOCAL_HEADER_BYTES = 30;
const LOCAL_HEADER_SIGNATURE = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;

const ENDS_WITHIN = 'the archive ends within it';
const WRONG_SIZE = 'its size is wrong';

/** Gives a buffer of at least this many bytes; one call may reuse the buffer of the last one. */
export type GetBuffer = (bytes: number) => Buffer;

export const MIN_BUFFER_BYTES = 2 ** 20;

/** Each call may return the buffer of the last one, which is larger than `bytes`: new ones would accumulate. */
export function reusableBuffer(): GetBuffer {
  let buffer: Buffer = Buffer.alloc(0);
  return (bytes) => {
    if (buffer.length <= bytes) {
      const size = Math.max(2 ** Math.ceil(Math.log2(bytes + 1)), MIN_BUFFER_BYTES);
      buffer = Buffer.allocUnsafeSlow(size);
    }
    return buffer;
  };
}

export type EntryReader = Omit<ZipEntryReader, 'close'>;

/** Reads one archive by positions, so that pages need no second pass over its directory. */
export class ZipEntryReader {
  constructor(readonly file: OpenedFile) {}

  /** Throws as openForReading does. */
  static async open(file: string): Promise<ZipEntryReader> {
    return new ZipEntryReader(await openForReading(file));
  }

  /** The entry's bytes, in a buffer of `getBuffer`. Throws Error with what is wrong with the entry. */
  async read(entry: ZipEntry, getBuffer: GetBuffer): Promise<Buffer> {
    const data = await this.#readData(entry, getBuffer);
    if (data.length !== entry.bytes || crc32(data) !== entry.crc32)
      throw new Error('its checksum is wrong');
    return data;
  }

  /** A text of JSON or XML, also one with a wrong checksum: its parser finds damage. Throws Error for an unreadable entry. */
  async readText(entry: Entry): Promise<string> {
    const data = await this.#readData(toZipEntry(entry), (bytes) => Buffer.allocUnsafe(bytes));
    if (data.length !== entry.uncompressedSize) throw new Error(WRONG_SIZE);
    return decodeXml(data);
  }

  /** Bytes of the archive itself. Throws Error if it ends before. */
  async readBytes(position: number, target: Buffer): Promise<Buffer> {
    const bytes = await this.file.readFully(target, position);
    if (bytes.length < target.length) throw new Error('the archive ends too early');
    return bytes;
  }

  /** The bytes of the archive's comment, which has a character for each. It ends the file. */
  async readComment(comment: string): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(comment.length);
    return this.readBytes(this.file.size - bytes.length, bytes);
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  async #readData(entry: ZipEntry, getBuffer: GetBuffer): Promise<Buffer> {
    if (entry.isEncrypted) throw new Error('it is encrypted');
    const bytes = Math.max(entry.bytes, entry.compressedBytes);
    if (bytes > MAX_IMAGE_BYTES) throw new Error(`it has ${bytes} bytes`);
    return unpack(entry, await this.#readStored(entry, getBuffer));
  }

  /** Reads header and data at once; the data again if the header is longer than that of almost all files. */
  async #readStored(
    { name, offset, compressedBytes }: ZipEntry,
    getBuffer: GetBuffer,
  ): Promise<Buffer> {
    const expected = LOCAL_HEADER_BYTES + Buffer.byteLength(name) + compressedBytes;
    const bytes = await this.file.readFully(getBuffer(expected).subarray(0, expected), offset);
    if (bytes.length < LOCAL_HEADER_BYTES) throw new Error(ENDS_WITHIN);
    if (bytes.readUInt32LE(0) !== LOCAL_HEADER_SIGNATURE) throw new Error('it has no header');
    const start = LOCAL_HEADER_BYTES + bytes.readUInt16LE(26) + bytes.readUInt16LE(28);
    const end = start + compressedBytes;
    if (end <= bytes.length) return bytes.subarray(start, end);
    const target = getBuffer(compressedBytes).subarray(0, compressedBytes);
    const stored = await this.file.readFully(target, offset + start);
    if (stored.length < compressedBytes) throw new Error(ENDS_WITHIN);
    return stored;
  }
}

async function unpack({ method, bytes }: ZipEntry, stored: Buffer): Promise<Buffer> {
  if (method === STORED) return stored;
  if (method !== DEFLATED) throw new Error(`its compression method is ${method}`);
  return inflate(stored, { maxOutputLength: Math.max(bytes, 1) }).catch((cause: unknown) => {
    throw isSystemError(cause, 'ERR_BUFFER_TOO_LARGE') ? new Error(WRONG_SIZE, { cause }) : cause;
  });
}
