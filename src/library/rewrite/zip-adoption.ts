/**
 * The record and the mark in an archive that another program wrote. Both come after its entries: the bytes up to its
 * central directory stay where they are, and the record has what restores the rest. An archive with ZIP64, or with
 * anything between its directory and its end, is refused.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { FileHandle } from 'node:fs/promises';
import type { ZipFile } from 'yauzl';
import { copyOpenedRights, createFile, PRIVATE_FILE_MODE, writeBuffers } from '../../core/files.js';
import type { FileState } from '../../core/file-state.js';
import { sha256OfFile } from '../../core/sha256.js';
import { digestsOfPages } from '../read/page-digests.js';
import { isBoundComment, markedIdentity, MANIFEST_NAME, MAX_MANIFEST_BYTES } from '../mark.js';
import { formatRecord, parseRecords, type ChapterRecord } from '../record.js';
import { searchTexts } from '../read/zip-content.js';
import {
  listEntries,
  toZipEntry,
  withZip,
  type EntryReader,
  type GetBuffer,
} from '../../core/zip-file.js';

/** The end record (APPNOTE 4.3.16), a directory header (4.3.12) and a local header (4.3.7). */
const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const DIRECTORY_SIGNATURE = 0x02014b50;
const DIRECTORY_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;

const MAX_COMMENT_BYTES = 0xffff;
/** These values refer to ZIP64. */
const MAX_ENTRIES = 0xffff;
const MAX_OFFSET = 0xffff_ffff;
const MAX_DIRECTORY_BYTES = 64 * 2 ** 20;
const CHUNK_BYTES = 2 ** 20;

const VERSION = 10;
/** 1 January 1980, the earliest date in a ZIP. */
const DOS_DATE = 0x21;
const NAME = Buffer.from(MANIFEST_NAME);
const OWN_DIRECTORY_BYTES = DIRECTORY_BYTES + NAME.length;

interface ZipEnd {
  readonly fileBytes: number;
  readonly directoryOffset: number;
  readonly directory: Buffer;
  /** The end record with the comment. */
  readonly end: Buffer;
}

type ReadDigests = (getBuffer: GetBuffer, signal: AbortSignal) => Promise<readonly string[]>;

interface AdoptedRecord {
  readonly record: ChapterRecord;
  /** For an archive without one. */
  readonly comment: string;
}

/** A file as it was found; what is written in its place gets its rights and its time. */
interface FoundFile {
  readonly file: string;
  readonly state: FileState;
}

/**
 * Writes the archive `file` with a record, and with the comment if it has none, to the new `tmpFile`, and reads it back.
 * Resolves with whether it got the comment. `describe` may read the digests of the pages: the archive is opened once. Throws
 * Error with why the archive cannot have a record.
 */
export async function writeAdoptedZip(
  { file, state }: FoundFile,
  tmpFile: string,
  describe: (readDigests: ReadDigests) => Promise<AdoptedRecord>,
): Promise<boolean> {
  return withArchive(file, async (zip, source) => {
    const original = await readEnd(zip, source);
    const { record, comment } = await describe(async (getBuffer, signal) => {
      const listed = await listEntries(zip);
      return digestsOfPages(listed.map(toZipEntry), source, getBuffer, signal);
    });
    const { directoryOffset: headBytes, directory, end, fileBytes: bytes } = original;
    const write = async (target: Write) => {
      const hash = createHash('sha256');
      await readHead(source, headBytes, async (chunk) => {
        hash.update(chunk);
        await target(chunk);
      });
      const sha256 = hash.update(directory).update(end).digest('hex');
      const adopted = { sha256, bytes, end: end.toString('base64') };
      const text = formatRecord({ ...record, adopted });
      if (text === undefined) throw new Error('it has too many pages');
      await target(...withRecord(original, Buffer.from(text), Buffer.from(comment)));
      return { text, sha256 };
    };
    await writeNew(tmpFile, { source, state }, write, (_, written) =>
      assertWritten(tmpFile, written),
    );
    return !hasComment(original);
  });
}

/**
 * Writes the archive as it was before writeAdoptedZip to the new `tmpFile`, and reads it back; false for one that was not
 * adopted. Throws Error if it was changed since.
 */
export async function restoreZip({ file, state }: FoundFile, tmpFile: string): Promise<boolean> {
  return withArchive(file, async (zip, source) => {
    let original: Awaited<ReturnType<typeof readOriginal>>;
    try {
      original = await readOriginal(zip, source);
    } catch (error) {
      if (await isAdopted(zip, source)) throw error;
      return false;
    }
    const { adopted, headBytes, rest } = original;
    const write = async (target: Write) => {
      await readHead(source, headBytes, target);
      await target(...rest);
    };
    await writeNew(tmpFile, { source, state }, write, async (target) => {
      if ((await sha256OfFile(target, adopted.bytes)) !== adopted.sha256) throw new Error(CHANGED);
    });
    return true;
  });
}

/** Whether the record says so; another program may have changed the archive since. */
async function isAdopted(zip: ZipFile, source: EntryReader): Promise<boolean> {
  if (isBoundComment(zip.comment)) return false;
  const { texts } = await searchTexts(zip, source, [MANIFEST_NAME]);
  const manifest = texts.get(MANIFEST_NAME) ?? '';
  const marked = markedIdentity(zip.comment, manifest);
  const records = parseRecords(manifest) ?? [];
  const record = records.find(({ chapterId }) => !marked || chapterId === marked.chapterId);
  return record?.adopted !== undefined;
}

const CHANGED = 'it was changed since it was adopted';

async function withArchive<T>(
  file: string,
  use: (zip: ZipFile, source: EntryReader) => Promise<T>,
): Promise<T> {
  const useOpened = async (...opened: [ZipFile, EntryReader]) => ({ result: await use(...opened) });
  const read = await withZip(file, useOpened, { isRegular: true });
  if (!read) throw new Error('it is not a regular file');
  return read.result;
}

type Write = (...buffers: readonly Buffer[]) => Promise<void>;

interface Original {
  readonly source: EntryReader;
  readonly state: FileState;
}

/** The file gets the rights and the time of the original after `check`: until then, only this user may read it. */
async function writeNew<T>(
  file: string,
  { source, state }: Original,
  content: (write: Write) => Promise<T>,
  check: (target: FileHandle, written: T) => Promise<void>,
): Promise<void> {
  const target = await createFile(file, { mode: PRIVATE_FILE_MODE });
  try {
    const written = await content((...buffers) => writeBuffers(target, buffers));
    await target.sync();
    await check(target, written);
    const seconds = Number(state.mtimeNs) / 1e9;
    await target.utimes(seconds, seconds);
    await copyOpenedRights(source.file, state, target);
  } finally {
    await target.close();
  }
}

async function readHead(
  source: EntryReader,
  headBytes: number,
  onBytes: (bytes: Buffer) => unknown,
): Promise<void> {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, headBytes));
  for (let position = 0; position < headBytes; position += chunk.length) {
    const length = Math.min(chunk.length, headBytes - position);
    await onBytes(await source.readBytes(position, chunk.subarray(0, length)));
  }
}

/** The new file has the record, and contains the original. */
async function assertWritten(
  tmpFile: string,
  expected: Readonly<Record<'text' | 'sha256', string>>,
) {
  await withArchive(tmpFile, async (zip, written) => {
    const { texts } = await searchTexts(zip, written, [MANIFEST_NAME]);
    const { headBytes, rest } = await readOriginal(zip, written);
    const hash = createHash('sha256');
    await readHead(written, headBytes, (chunk) => hash.update(chunk));
    for (const bytes of rest) hash.update(bytes);
    if (texts.get(MANIFEST_NAME) !== expected.text || hash.digest('hex') !== expected.sha256)
      throw new Error('it cannot be read back');
  });
}

/** The original in a file that writeAdoptedZip wrote: its first bytes are those of the file, and `rest` follows them. */
async function readOriginal(zip: ZipFile, source: EntryReader) {
  const { directory, directoryOffset } = await readEnd(zip, source);
  const own = directory.subarray(-OWN_DIRECTORY_BYTES);
  const isOwn =
    own.length === OWN_DIRECTORY_BYTES &&
    own.readUInt32LE(0) === DIRECTORY_SIGNATURE &&
    own.subarray(DIRECTORY_BYTES).equals(NAME);
  if (!isOwn) throw new Error(CHANGED);
  const headBytes = own.readUInt32LE(42);
  const textOffset = headBytes + LOCAL_BYTES + NAME.length;
  const bytes = directoryOffset - textOffset;
  if (bytes < 0 || bytes > MAX_MANIFEST_BYTES) throw new Error(CHANGED);
  const text = await source.readBytes(textOffset, Buffer.allocUnsafe(bytes));
  const adopted = parseRecords(text.toString('utf8'))?.[0]?.adopted;
  if (!adopted) throw new Error(CHANGED);
  const rest = [directory.subarray(0, -OWN_DIRECTORY_BYTES), Buffer.from(adopted.end, 'base64')];
  return { headBytes, rest, adopted };
}

/** Throws Error for a structure that is not supported. */
async function readEnd({ fileSize: size }: ZipFile, source: EntryReader): Promise<ZipEnd> {
  const length = Math.min(size, END_BYTES + MAX_COMMENT_BYTES);
  const last = await source.readBytes(size - length, Buffer.allocUnsafe(length));
  const at = findEnd(last);
  if (at === undefined) throw new Error('it has no end of a ZIP archive');
  const end = Buffer.from(last.subarray(at));
  const entries = end.readUInt16LE(10);
  const directoryBytes = end.readUInt32LE(12);
  const directoryOffset = end.readUInt32LE(16);
  const isPlain =
    end.readUInt32LE(4) === 0 &&
    end.readUInt16LE(8) === entries &&
    directoryOffset + directoryBytes === size - end.length;
  if (!isPlain || entries + 1 >= MAX_ENTRIES || size + MAX_MANIFEST_BYTES >= MAX_OFFSET)
    throw new Error('it is in several parts, or larger than 4 GiB, or has other data at its end');
  if (directoryBytes > MAX_DIRECTORY_BYTES) throw new Error(`it has ${entries} entries`);
  const directory = await source.readBytes(directoryOffset, Buffer.allocUnsafe(directoryBytes));
  return { fileBytes: size, directoryOffset, directory, end };
}

/** The comment is the last part of a file: its length says which signature is not part of it. */
function findEnd(last: Buffer): number | undefined {
  for (let at = last.length - END_BYTES; at >= 0; at -= 1) {
    const isEnd = last.readUInt32LE(at) === END_SIGNATURE;
    if (isEnd && at + END_BYTES + last.readUInt16LE(at + 20) === last.length) return at;
  }
  return undefined;
}

function hasComment({ end }: Pick<ZipEnd, 'end'>): boolean {
  return end.length > END_BYTES;
}

/** What follows the entries: the record, the directory with it, and the end with the comment that counts. */
function withRecord(
  { directoryOffset, directory, end }: ZipEnd,
  text: Buffer,
  comment: Buffer,
): readonly Buffer[] {
  const local = Buffer.alloc(LOCAL_BYTES);
  local.writeUInt32LE(LOCAL_SIGNATURE, 0);
  local.writeUInt16LE(VERSION, 4);
  local.writeUInt16LE(DOS_DATE, 12);
  local.writeUInt32LE(crc32(text), 14);
  local.writeUInt32LE(text.length, 18);
  local.writeUInt32LE(text.length, 22);
  local.writeUInt16LE(NAME.length, 26);
  const header = Buffer.alloc(DIRECTORY_BYTES);
  header.writeUInt32LE(DIRECTORY_SIGNATURE, 0);
  header.writeUInt16LE(VERSION, 4);
  // The fields of the local header, from the version on.
  local.copy(header, 6, 4, LOCAL_BYTES);
  header.writeUInt32LE(directoryOffset, 42);
  const newEnd = hasComment({ end })
    ? Buffer.from(end)
    : Buffer.concat([end.subarray(0, END_BYTES), comment]);
  const entries = end.readUInt16LE(10) + 1;
  newEnd.writeUInt16LE(entries, 8);
  newEnd.writeUInt16LE(entries, 10);
  newEnd.writeUInt32LE(directory.length + OWN_DIRECTORY_BYTES, 12);
  newEnd.writeUInt32LE(directoryOffset + LOCAL_BYTES + NAME.length + text.length, 16);
  newEnd.writeUInt16LE(newEnd.length - END_BYTES, 20);
  return [local, NAME, text, directory, header, NAME, newEnd];
}
