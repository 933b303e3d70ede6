/**
 * Writes a chapter's pages as a CBZ: a ZIP with stored entries in page order, the record, and `ComicInfo.xml` last. The same pages
 * always give the same bytes, so nothing in it depends on the time, the user or the machine. It is written to a
 * temporary file, verified, synced, and then renamed.
 */
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { crc32 as crc32Of } from 'node:zlib';
import { StorageError } from '../core/errors.js';
import {
  temporaryName,
  toStorageError,
  openForReading,
  renameInto,
  statIfExists,
} from '../core/files.js';
import { makeFolders } from '../core/safe-folders.js';
import { MANIFEST_NAME } from './mark.js';
import { COMIC_INFO_NAME } from './comic-info.js';
import { pageName } from '../config/names.js';
import {
  assertSize,
  ZipFileWriter,
  type Publish,
  type ZipFileOptions,
} from '../core/zip-file-writer.js';
import { imageDimensions, type ImageDimensions } from '../core/image-dimensions.js';
import { imageExtension, type ImageExtension } from '../core/image-format.js';
import { sha256Of } from '../core/sha256.js';

export interface CbzPage {
  readonly file: string;
  /** The size when the page was verified; another size now is an error. */
  readonly bytes: number;
  /** The sha256 when the page was verified, as hex. */
  readonly sha256?: string;
  /** The CRC-32 when the page was verified, which is compared in place of the sha256. Without both, any image is packed. */
  readonly crc32?: number;
}

/** The entries beside the pages, each if there is one. */
interface CbzDescription {
  /** The content of `ComicInfo.xml`. */
  readonly comicInfo?: string | undefined;
  /** The content of `META-INF/tankobon.json`, see record.ts. */
  readonly record?: string | undefined;
}

export interface Cbz extends CbzDescription {
  /** The final path; missing folders are created. */
  readonly file: string;
  /** Gives the finished file its name; by default, `file` is replaced. */
  readonly publish?: Publish;
  readonly pages: readonly CbzPage[];
  /** The archive comment, at most 65,535 bytes of UTF-8. */
  readonly comment?: string;
  /** The most rights of the file; see NewFileOptions. */
  readonly maxMode?: number;
  readonly signal?: AbortSignal;
}

const DIMENSIONS_BYTES = 512 * 1024;

/**
 * Writes the CBZ completely or not at all. Holds one page in memory at a time. Rejects with StorageError
 * (`page-changed` if a page is not the one verified, `archive-wrong` if the result does not pass verification, as for a
 * comment that is too long), or with the signal's reason when aborted.
 */
export async function writeCbz(cbz: Cbz): Promise<{ file: string; bytes: number }> {
  const { file, pages, comment, maxMode, signal } = cbz;
  const replace = async (tmpFile: string): Promise<string> => {
    await renameInto(tmpFile, file);
    return file;
  };
  signal?.throwIfAborted();
  try {
    makeFolders(dirname(file));
    if ((await statIfExists(file))?.isFile() === false)
      throw new StorageError('name-taken', `${file} exists and is not a regular file.`, {
        path: file,
      });
    const tmpFile = temporaryName(file);
    const writer = new CbzWriter({ tmpFile, pages: pages.length, comment, maxMode, signal });
    try {
      for (const [index, page] of pages.entries()) void writer.add(index + 1, page);
      return await writer.finish(cbz.publish ?? replace, cbz);
    } finally {
      await writer.discard();
    }
  } catch (error) {
    throw toStorageError(error, file);
  }
}

/** Loads what an archive needs while the caller waits for the network, and yields to other work in between. */
export async function preloadPacking(signal: AbortSignal): Promise<void> {
  const loaders: readonly (() => Promise<unknown>)[] = [
    () => import('archiver'),
    () => import('yauzl'),
    () => import('fast-xml-builder'),
    () => import('image-size'),
  ];
  for (const load of loaders) {
    await setImmediate();
    if (signal.aborted) return;
    await load();
  }
}

interface CbzWriterOptions extends ZipFileOptions {
  /** The number of pages that will be added. */
  readonly pages: number;
}

/**
 * A CBZ whose pages are added in any order. Each is packed once those before it are, while later ones are still on
 * their way, so that little is left to do after the last one. Nothing is created before the first page is there.
 */
export class CbzWriter {
  /** The pages that were added before one of their predecessors. */
  readonly #early = new Map<number, CbzPage>();
  /** The pages up to this one were added. */
  #complete = 0;
  readonly #dimensions: (ImageDimensions | undefined)[] = [];
  #zip: ZipFileWriter | undefined;
  /** Rejects for good when a page cannot be packed; `finish` reports it. */
  #packing: Promise<void> = Promise.resolve();
  #isDiscarded = false;

  constructor(private readonly options: CbzWriterOptions) {}

  /**
   * Resolves when `content` is not used any more: the verified bytes of the page in memory, which are packed as they are if
   * the pages before it were added; otherwise, its file is read when its turn comes. Never rejects.
   *
   * @param number counted from 1
   */
  async add(number: number, page: CbzPage, content?: Buffer): Promise<void> {
    if (number !== this.#complete + 1) {
      this.#early.set(number, page);
      return;
    }
    const packed = this.#packInTurn(page, content);
    for (let next = this.#takeNext(); next; next = this.#takeNext()) void this.#packInTurn(next);
    if (content) await packed;
  }

  has(number: number): boolean {
    return number <= this.#complete || this.#early.has(number);
  }

  /** The dimensions of the pages in order, as far as they are known. Throws as `finish` does for a page. */
  async dimensions(): Promise<readonly (ImageDimensions | undefined)[]> {
    await this.#packing;
    return this.#dimensions;
  }

  /**
   * Packs the remaining pages, adds the metadata, syncs and verifies the archive, and publishes it. Throws StorageError
   * `page-changed` if a page is not the one that was verified.
   */
  async finish(
    publish: Publish,
    { comicInfo, record }: CbzDescription = {},
  ): Promise<{ file: string; bytes: number }> {
    await this.#packing;
    const { pages } = this.options;
    const zip = this.#zip;
    if (zip?.entries.length !== pages)
      throw new StorageError(
        'archive-wrong',
        `${zip?.entries.length ?? 0} of ${pages} pages were added.`,
      );
    if (record !== undefined) zip.append(MANIFEST_NAME, record);
    if (comicInfo !== undefined) zip.append(COMIC_INFO_NAME, comicInfo);
    return zip.finish(publish);
  }

  /** Closes the file, and removes it unless it was published. Must be called in the end; never rejects. */
  async discard(): Promise<void> {
    this.#isDiscarded = true;
    await this.#packing.catch(() => undefined);
    await this.#zip?.discard();
  }

  /** What is on the disk afterwards has the CRC-32 of the page as it was verified. */
  async #pack(name: string, data: Buffer, page: CbzPage): Promise<void> {
    await this.#zip?.write(name, data, page.crc32).catch((error: unknown) => {
      throw page.crc32 === undefined || crc32Of(data) === page.crc32 ? error : pageChanged(page);
    });
  }

  async #read(page: CbzPage, { getBuffer }: ZipFileWriter): Promise<Buffer> {
    return readPage(page, getBuffer(page.bytes)).catch((error: unknown) => {
      throw toStorageError(error, page.file);
    });
  }

  #takeNext(): CbzPage | undefined {
    const number = this.#complete + 1;
    const next = this.#early.get(number);
    this.#early.delete(number);
    return next;
  }

  /** Resolves when the page is packed, or will not be. */
  #packInTurn(page: CbzPage, content?: Buffer): Promise<void> {
    this.#complete += 1;
    this.#packing = this.#packing.then(() => this.#packNext(page, content));
    return this.#packing.catch(() => undefined);
  }

  async #packNext(page: CbzPage, content: Buffer | undefined): Promise<void> {
    if (this.#isDiscarded) return;
    const { pages, signal } = this.options;
    signal?.throwIfAborted();
    assertSize(page.file, page.bytes);
    this.#zip ??= await ZipFileWriter.create(this.options);
    const data = content ?? (await this.#read(page, this.#zip));
    const name = pageName(this.#zip.entries.length, pages, verifyPage(data, page));
    await this.#pack(name, data, page);
    // Whatever an image has before its size: a thumbnail, a color profile.
    this.#dimensions.push(await imageDimensions(data.subarray(0, DIMENSIONS_BYTES)));
  }
}

/** Reads the page into `buffer`, which must not be smaller. */
async function readPage(page: CbzPage, buffer: Buffer): Promise<Buffer> {
  const file = await openForReading(page.file);
  try {
    if (file.size !== page.bytes) throw pageChanged(page);
    const data = await file.readFully(buffer.subarray(0, page.bytes), 0);
    if (data.length !== page.bytes) throw pageChanged(page);
    return data;
  } finally {
    await file.close();
  }
}

/** Checks the very bytes that go into the archive. */
function verifyPage(data: Buffer, page: CbzPage): ImageExtension {
  const { file, sha256, crc32 } = page;
  // The CRC-32 is compared with that of the archive on the disk.
  if (crc32 === undefined && sha256 !== undefined && sha256Of(data) !== sha256.toLowerCase())
    throw pageChanged(page);
  const extension = imageExtension(data);
  if (!extension) throw new StorageError('page-changed', `The page is not an image: ${file}`);
  return extension;
}

function pageChanged({ file }: CbzPage): StorageError {
  return new StorageError('page-changed', `The page changed after it was verified: ${file}`);
}
