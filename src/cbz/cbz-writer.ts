/**
 * Writes a chapter's pages as a CBZ: a ZIP with stored entries in page order and `ComicInfo.xml` last. The same pages
 * always give the same bytes, so nothing in it depends on the time, the user or the machine. It is written to a
 * temporary file, verified, synced, and then renamed.
 */
import { createHash } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
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
import { makeFolders } from '../core/safe-folders.js';
import { verifyCbz, type ExpectedEntry } from './verify-cbz.js';
import { CbzStream } from './cbz-stream.js';
import { COMIC_INFO_NAME } from './comic-info.js';
import { imageExtension, type ImageExtension } from '../image/format.js';

export interface CbzPage {
  readonly file: string;
  /** The size when the page was verified; another size now is an error. */
  readonly bytes: number;
  /** The sha256 when the page was verified, lower-case hex; without it, any image is packed. */
  readonly sha256?: string;
}

export interface Cbz {
  /** The final path; missing folders are created. */
  readonly file: string;
  /** Gives the finished file its name; by default, `file` is replaced. */
  readonly publish?: Publish;
  readonly pages: readonly CbzPage[];
  /** The content of `ComicInfo.xml`, if there is one. */
  readonly comicInfo?: string;
  /** The archive comment, at most 65,535 bytes of UTF-8. */
  readonly comment?: string;
  readonly signal?: AbortSignal;
}

/** Gives a finished temporary file its final name and resolves with it. */
export type Publish = (tmpFile: string) => Promise<string>;

/** The earliest date in a ZIP, in UTC, as archiver writes it. */
const ENTRY_DATE = new Date(Date.UTC(1980, 0, 1));
const ENTRY_MODE = 0o644;
/** Larger archives need ZIP64; the margin is for headers. */
const ZIP64_BYTES = 2 ** 32 - 2 ** 27;
const ZIP64_ENTRIES = 0xffff;
/** The page buffer has this size, or the next power of two that is larger than the page. */
const MIN_BUFFER_BYTES = 2 ** 20;

/**
 * Writes the CBZ completely or not at all. Holds one page in memory at a time. Rejects with StorageError
 * (`page-changed` if a page is not the one verified, `archive-wrong` if the result does not pass verification), or
 * with the signal's reason when aborted.
 */
export async function writeCbz(cbz: Cbz): Promise<{ file: string; bytes: number }> {
  const { file, pages, comicInfo, comment, signal } = cbz;
  const replace = async (tmpFile: string): Promise<string> => {
    await renameInto(tmpFile, file);
    return file;
  };
  signal?.throwIfAborted();
  try {
    makeFolders(dirname(file));
    if ((await statIfExists(file))?.isFile() === false)
      throw new StorageError('name-taken', `${file} exists and is not a regular file.`);
    const writer = await CbzWriter.create({
      tmpFile: temporaryName(file),
      pages: pages.length,
      forceZip64: needsZip64(cbz),
      comment,
      signal,
    });
    try {
      for (const page of pages) await writer.add(page);
      return await writer.finish(cbz.publish ?? replace, comicInfo);
    } finally {
      await writer.discard();
    }
  } catch (error) {
    throw toStorageError(error, file);
  }
}

/** Imports for an archive, one by one, so that a caller can run them while it waits for the network. */
export const PACKING_MODULE_LOADERS: readonly (() => Promise<unknown>)[] = [
  () => import('archiver'),
  () => import('yauzl'),
  () => import('fast-xml-builder'),
  () => import('image-size'),
];

/** The pages' names in the archive: `001.png`, with more digits if the last page needs them. */
export function entryNames(extensions: readonly string[]): string[] {
  return extensions.map((extension, index) => entryName(index, extensions.length, extension));
}

function entryName(index: number, pages: number, extension: string): string {
  const digits = Math.max(3, String(pages).length);
  return `${String(index + 1).padStart(digits, '0')}.${extension}`;
}

export interface CbzWriterOptions {
  /** On the file system of the final path. */
  readonly tmpFile: string;
  /** The number of pages that will be added. */
  readonly pages: number;
  readonly comment?: string;
  /** For archives of 4 GB or 65,535 entries. Without it, `add` rejects when the archive becomes that large. */
  readonly forceZip64?: boolean;
  readonly signal?: AbortSignal;
}

/** A CBZ to which pages are added one by one; it gets its name at the end. */
export class CbzWriter {
  readonly #entries: ExpectedEntry[] = [];
  readonly #stream: CbzStream;
  /** Reused for every page: new buffers would accumulate until they are collected. */
  #buffer: Buffer = Buffer.alloc(0);
  #payloadBytes = 0;

  private constructor(
    private readonly options: CbzWriterOptions,
    private readonly handle: FileHandle,
    private readonly archive: ZipArchive,
  ) {
    this.#stream = new CbzStream(archive, handle, options.signal);
  }

  /** Creates the temporary file. `discard` must be called in the end, also after `finish`. */
  static async create(options: CbzWriterOptions): Promise<CbzWriter> {
    const { ZipArchive } = await import('archiver');
    const { tmpFile, forceZip64 = false, comment = '' } = options;
    const handle = await open(tmpFile, 'wx');
    return new CbzWriter(options, handle, new ZipArchive({ store: true, forceZip64, comment }));
  }

  async add(page: CbzPage): Promise<void> {
    const { forceZip64, pages, signal } = this.options;
    if (this.#payloadBytes + page.bytes >= ZIP64_BYTES && !forceZip64)
      throw new StorageError('archive-wrong', 'The archive is too large without ZIP64.');
    signal?.throwIfAborted();
    const data = await readPage(page, this.#bufferFor(page));
    const extension = verifyPage(data, page);
    this.#append(entryName(this.#entries.length, pages, extension), data);
    await this.#stream.drain(data);
  }

  /** Adds the metadata, syncs and verifies the archive, and publishes it. */
  async finish(publish: Publish, comicInfo?: string): Promise<{ file: string; bytes: number }> {
    const { tmpFile, comment = '', signal } = this.options;
    if (comicInfo !== undefined) this.#append(COMIC_INFO_NAME, Buffer.from(comicInfo));
    await Promise.all([this.archive.finalize(), this.#stream.drain()]);
    await this.#stream.sync();
    await this.handle.close();
    const bytes = await verifyCbz(tmpFile, this.#entries, comment);
    signal?.throwIfAborted();
    return { file: await publish(tmpFile), bytes };
  }

  /** Closes the file, and removes it unless it was published. */
  async discard(): Promise<void> {
    this.archive.abort();
    this.archive.destroy();
    await this.#stream.idle();
    await this.handle.close();
    await rm(this.options.tmpFile, { force: true });
  }

  #append(name: string, data: Buffer): void {
    // With a buffer instead of a stream, size and CRC precede the data, as streaming readers need.
    this.archive.append(data, { name, date: ENTRY_DATE, mode: ENTRY_MODE });
    this.#entries.push({ name, bytes: data.length, crc32: crc32(data) });
    this.#payloadBytes += data.length;
  }

  #bufferFor({ bytes }: CbzPage): Buffer {
    if (this.#buffer.length <= bytes) {
      const size = Math.max(2 ** Math.ceil(Math.log2(bytes + 1)), MIN_BUFFER_BYTES);
      this.#buffer = Buffer.allocUnsafeSlow(size);
    }
    return this.#buffer;
  }
}

/** Reads the page into `buffer`, which must be larger than the page. */
async function readPage(page: CbzPage, buffer: Buffer): Promise<Buffer> {
  const handle = await openRegularFile(page.file);
  let bytes = 0;
  try {
    let bytesRead: number;
    do {
      ({ bytesRead } = await handle.read(buffer, bytes, buffer.length - bytes));
      bytes += bytesRead;
    } while (bytesRead > 0 && bytes <= page.bytes);
  } finally {
    await handle.close();
  }
  if (bytes !== page.bytes) throw pageChanged(page);
  return buffer.subarray(0, bytes);
}

/** Checks the very bytes that go into the archive. */
function verifyPage(data: Buffer, page: CbzPage): ImageExtension {
  const { file, sha256 } = page;
  if (sha256 !== undefined && createHash('sha256').update(data).digest('hex') !== sha256)
    throw pageChanged(page);
  const extension = imageExtension(data);
  if (!extension) throw new StorageError('page-changed', `The page is not an image: ${file}`);
  return extension;
}

function pageChanged({ file }: CbzPage): StorageError {
  return new StorageError('page-changed', `The page changed after it was verified: ${file}`);
}

function needsZip64({ pages, comicInfo }: Cbz): boolean {
  const bytes = pages.reduce((sum, page) => sum + page.bytes, comicInfo?.length ?? 0);
  return bytes >= ZIP64_BYTES || pages.length + 1 >= ZIP64_ENTRIES;
}
