/**
 * Writes a chapter's pages as a CBZ: a ZIP whose entries are stored, in page order, with `ComicInfo.xml` last.
 * The same pages give the same bytes each time, so nothing in it comes from the clock, the user, the machine
 * or its time zone. It is written aside, checked against what was announced, synced and only then renamed.
 */
import { createHash } from 'node:crypto';
import { open, mkdir, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { ZipArchive } from 'archiver';
import { StorageError } from '../core/errors.js';
import {
  temporaryName,
  toStorageError,
  openRegularFile,
  renameInto,
  statIfExists,
} from '../core/files.js';
import { verifyCbz, type ExpectedEntry } from './verify-cbz.js';
import { CbzStream } from './cbz-stream.js';
import { COMIC_INFO_NAME } from './comic-info.js';
import { imageExtension, type ImageExtension } from '../image/format.js';

export interface CbzPage {
  readonly file: string;
  /** What the page was when it was proven; another length now is an error. */
  readonly bytes: number;
  /** The sha256 of what was proven, lower-case hex; other bytes now are an error. Absent: any image is packed. */
  readonly sha256?: string;
}

export interface Cbz {
  /** The final path; folders on the way to it are made. */
  readonly file: string;
  /** Gives the finished file its name; where absent, `file` is replaced. */
  readonly publish?: Publish;
  readonly pages: readonly CbzPage[];
  /** The text of `ComicInfo.xml`; left out where there is no metadata. */
  readonly comicInfo?: string;
  /** The archive's comment, at most 65,535 bytes of UTF-8. */
  readonly comment?: string;
  readonly signal?: AbortSignal;
}

/** Gives a finished file that has a temporary name its final one, and resolves with that. */
export type Publish = (tmpFile: string) => Promise<string>;

/** ZIP's first moment: the same in every archive. archiver writes it in UTC. */
const ENTRY_DATE = new Date(Date.UTC(1980, 0, 1));
const ENTRY_MODE = 0o644;
/** From here on the plain end record would overflow; the margin is for headers. */
const ZIP64_BYTES = 2 ** 32 - 2 ** 27;
const ZIP64_ENTRIES = 0xffff;
/** The room for a page has this size, or the next power of two that holds the page. */
const LEAST_ROOM_BYTES = 2 ** 20;

/**
 * Writes the CBZ, whole or not at all. Holds one page in memory at a time.
 * Rejects with StorageError (`archive-wrong` where the result is not what was announced), or with the signal's
 * reason when aborted; in either case nothing is left behind.
 */
export async function writeCbz(cbz: Cbz): Promise<{ file: string; bytes: number }> {
  cbz.signal?.throwIfAborted();
  try {
    await mkdir(dirname(cbz.file), { recursive: true });
    if ((await statIfExists(cbz.file))?.isFile() === false) {
      throw new StorageError('name-taken', `Something that is no file stands at ${cbz.file}.`);
    }
    const growing = await CbzWriter.create({
      tmpFile: temporaryName(cbz.file),
      pages: cbz.pages.length,
      forceZip64: needsZip64(cbz),
      ...(cbz.comment !== undefined && { comment: cbz.comment }),
      ...(cbz.signal && { signal: cbz.signal }),
    });
    try {
      for (const page of cbz.pages) await growing.add(page);
      const publish = cbz.publish ?? ((tmpFile) => replacing(tmpFile, cbz.file));
      return await growing.finish(publish, cbz.comicInfo);
    } finally {
      await growing.discard();
    }
  } catch (error) {
    throw toStorageError(error, cbz.file);
  }
}

async function replacing(tmpFile: string, file: string): Promise<string> {
  await renameInto(tmpFile, file);
  return file;
}

/** The libraries of an archive, each to be loaded at a moment when nobody waits for it. */
export const PACKING_MODULE_LOADERS: readonly (() => Promise<unknown>)[] = [
  () => import('archiver'),
  () => import('yauzl'),
  () => import('fast-xml-builder'),
  () => import('image-size'),
];

/** The pages' names in the archive: `001.png`, with as many digits as the last one needs, and three at least. */
export function entryNames(extensions: readonly string[]): string[] {
  return extensions.map((extension, index) => entryName(index, extensions.length, extension));
}

function entryName(index: number, pages: number, extension: string): string {
  const digits = Math.max(3, String(pages).length);
  return `${String(index + 1).padStart(digits, '0')}.${extension}`;
}

/** What must be known of a CBZ before its first page. */
export interface CbzWriterOptions {
  /** Where it grows: in a folder of the file system that it shall end up on. */
  readonly tmpFile: string;
  /** How many pages will come. */
  readonly pages: number;
  readonly comment?: string;
  /** For archives of 4 GB or 65,535 entries; absent: one that grows so large is given up. */
  readonly forceZip64?: boolean;
  readonly signal?: AbortSignal;
}

/** A CBZ to which pages are added in their order, when each is there; it gets its name at the end. */
export class CbzWriter {
  readonly #announced: ExpectedEntry[] = [];
  readonly #sink: CbzStream;
  /** Each page is read into the same memory: fresh memory for each would pile up until it is collected. */
  #room: Buffer = Buffer.alloc(0);
  #payloadBytes = 0;

  private constructor(
    private readonly wish: CbzWriterOptions,
    private readonly handle: FileHandle,
    private readonly archive: ZipArchive,
  ) {
    this.#sink = new CbzStream(archive, handle, wish.signal);
  }

  /** Makes the file. Whatever happens then, `discard` must be called in the end. */
  static async create(wish: CbzWriterOptions): Promise<CbzWriter> {
    const { ZipArchive } = await import('archiver');
    const handle = await open(wish.tmpFile, 'wx');
    const archive = new ZipArchive({
      store: true,
      forceZip64: wish.forceZip64 ?? false,
      comment: wish.comment ?? '',
    });
    return new CbzWriter(wish, handle, archive);
  }

  async add(page: CbzPage): Promise<void> {
    const tooLarge = this.#payloadBytes + page.bytes >= ZIP64_BYTES;
    if (tooLarge && this.wish.forceZip64 !== true) {
      throw new StorageError('archive-wrong', 'The pages are too many for a plain archive.');
    }
    this.wish.signal?.throwIfAborted();
    const data = await readInto(this.#roomFor(page), page);
    const extension = verifiedExtension(data, page);
    this.#append(entryName(this.#announced.length, this.wish.pages, extension), data);
    await this.#sink.drain(data);
  }

  /** Adds the metadata, checks and syncs the whole, and gives it its name. */
  async finish(publish: Publish, comicInfo?: string): Promise<{ file: string; bytes: number }> {
    const { tmpFile: aside, comment = '', signal } = this.wish;
    if (comicInfo !== undefined) {
      this.#append(COMIC_INFO_NAME, Buffer.from(comicInfo));
    }
    await Promise.all([this.archive.finalize(), this.#sink.drain()]);
    await this.#sink.sync();
    await this.handle.close();
    const bytes = await verifyCbz(aside, this.#announced, comment);
    signal?.throwIfAborted();
    return { file: await publish(aside), bytes };
  }

  /** Lets go of the file, and removes it if it has not got its name. */
  async discard(): Promise<void> {
    this.archive.abort();
    this.archive.destroy();
    await this.#sink.idle();
    await this.handle.close();
    await rm(this.wish.tmpFile, { force: true });
  }

  #append(name: string, data: Buffer): void {
    // A buffer, not a stream: so size and CRC stand before the data, and readers that stream can follow.
    this.archive.append(data, { name, date: ENTRY_DATE, mode: ENTRY_MODE });
    this.#announced.push({ name, bytes: data.length, crc32: crc32(data) });
    this.#payloadBytes += data.length;
  }

  #roomFor({ bytes }: CbzPage): Buffer {
    if (this.#room.length <= bytes) {
      const roomBytes = 2 ** Math.ceil(Math.log2(bytes + 1));
      this.#room = Buffer.allocUnsafeSlow(Math.max(roomBytes, LEAST_ROOM_BYTES));
    }
    return this.#room;
  }
}

/** What the bytes that go into the archive are, which must be those that were proven, whatever happened on the disk. */
function verifiedExtension(data: Buffer, { file, sha256 }: CbzPage): ImageExtension {
  const extension = imageExtension(data);
  const isProven =
    sha256 === undefined || createHash('sha256').update(data).digest('hex') === sha256;
  if (extension && isProven) return extension;
  throw new StorageError(
    'archive-wrong',
    `${file} is not the image that it was when it was loaded.`,
  );
}

/** The page's bytes, read into `room`, which must have room for one byte more. */
async function readInto(room: Buffer, page: CbzPage): Promise<Buffer> {
  const handle = await openRegularFile(page.file);
  let bytes = 0;
  try {
    let bytesRead: number;
    do {
      ({ bytesRead } = await handle.read(room, bytes, room.length - bytes));
      bytes += bytesRead;
    } while (bytesRead > 0 && bytes <= page.bytes);
  } finally {
    await handle.close();
  }
  if (bytes === page.bytes) return room.subarray(0, bytes);
  throw new StorageError(
    'archive-wrong',
    `The page ${page.file} has not the ${page.bytes} bytes that it had when it was loaded.`,
  );
}

function needsZip64(cbz: Cbz): boolean {
  const bytes = cbz.pages.reduce((sum, page) => sum + page.bytes, cbz.comicInfo?.length ?? 0);
  return bytes >= ZIP64_BYTES || cbz.pages.length + 1 >= ZIP64_ENTRIES;
}
