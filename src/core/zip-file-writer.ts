/**
 * Writes a ZIP with stored entries. The same entries always give the same bytes: nothing in it depends on the time, the
 * user or the machine. It is written to a temporary file, synced and verified, and gets its name at the end.
 */
import { MAX_IMAGE_BYTES } from './image-format.js';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { ZipArchive } from 'archiver';
import { StorageError } from './errors.js';
import { isInUserSpace } from './file-system.js';
import { createFile, removeFile, type NewFileOptions } from './files.js';
import { rememberChecksum } from './zip/entry-checksum.js';
import { ZipStream } from './zip/zip-stream.js';
import { MIN_BUFFER_BYTES, reusableBuffer } from './zip-file.js';
import { verifyZip, type ExpectedEntry } from './verify-zip.js';

/** Gives a finished temporary file its final name and resolves with it. */
export type Publish = (tmpFile: string) => Promise<string>;

export interface ZipFileOptions extends NewFileOptions {
  /** On the file system of the final path. */
  readonly tmpFile: string;
  /** The archive comment, at most 65,535 bytes; in UTF-8, or as another program wrote it. */
  readonly comment?: string | Buffer;
  readonly signal?: AbortSignal;
}

/** archiver refuses an empty name, and writes the others under another one. */
const CHANGED_NAME = /^$|^\w+:|^\.\.\/|^\/|\/\/|\\/;

/** The earliest date in a ZIP, in UTC, as archiver writes it. */
const ENTRY_DATE = new Date(Date.UTC(1980, 0, 1));
const ENTRY_MODE = 0o644;
const READ_BYTES = 2 ** 20;

/** Throws StorageError `archive-wrong` for an entry that would not be read back. */
export function assertSize(name: string, bytes: number): void {
  if (bytes > MAX_IMAGE_BYTES)
    throw new StorageError('archive-wrong', `An archive cannot have ${bytes} bytes of ${name}`);
}

export class ZipFileWriter {
  readonly #entries: ExpectedEntry[] = [];
  readonly #stream: ZipStream;
  #readBuffer: Buffer | undefined;

  private constructor(
    private readonly options: ZipFileOptions,
    private readonly handle: FileHandle,
    private readonly archive: ZipArchive,
    private readonly readsWhileWriting: boolean,
  ) {
    this.#stream = new ZipStream(archive, handle, options.signal);
  }

  /** Creates the temporary file. `discard` must be called in the end, also after `finish`. */
  static async create(options: ZipFileOptions): Promise<ZipFileWriter> {
    const { ZipArchive } = await import('archiver');
    const { tmpFile, comment = '' } = options;
    const handle = await createFile(tmpFile, options);
    // archiver writes a buffer as it is.
    const archive = new ZipArchive({ store: true, comment: comment as string });
    // One driver in user space, fusefat, damages a file that is read while it is written.
    const readsWhileWriting = !(await isInUserSpace(tmpFile));
    return new ZipFileWriter(options, handle, archive, readsWhileWriting);
  }

  get entries(): readonly ExpectedEntry[] {
    return this.#entries;
  }

  /** Reused for every entry: new buffers would accumulate until they are collected. */
  readonly getBuffer = reusableBuffer();

  /** Appends a short entry. It is written with the next one of `write`, or at the end. */
  append(name: string, text: string): void {
    const data = Buffer.from(text);
    this.#append(data, { name, bytes: data.length, crc32: crc32(data), isReadBack: false });
  }

  /**
   * Appends an entry, and resolves when its bytes are in the file and, where the driver allows it, were read back from
   * it. Throws StorageError: `archive-wrong` if they have another checksum, `archive-damaged` for a name that no program
   * writes.
   */
  async write(name: string, content: Buffer, checksum = crc32(content)): Promise<void> {
    assertSize(name, content.length);
    const data = this.#withDistinctMemory(content);
    const bytes = data.length;
    const isReadBack = this.readsWhileWriting;
    this.#append(data, { name, bytes, crc32: checksum, isReadBack });
    await this.#stream.drain(data);
    if (!isReadBack) return;
    if ((await this.#checksumInFile(this.#stream.writtenBytes - bytes, bytes)) === checksum) return;
    throw new StorageError(
      'archive-wrong',
      `The archive has other bytes than were written: ${name}`,
    );
  }

  async #checksumInFile(start: number, bytes: number): Promise<number> {
    this.#readBuffer ??= Buffer.allocUnsafeSlow(READ_BYTES);
    let checksum = 0;
    for (let read = 0; read < bytes;) {
      const length = Math.min(READ_BYTES, bytes - read);
      const { bytesRead } = await this.handle.read(this.#readBuffer, 0, length, start + read);
      if (bytesRead === 0) break;
      checksum = crc32(this.#readBuffer.subarray(0, bytesRead), checksum);
      read += bytesRead;
    }
    return checksum;
  }

  #append(data: Buffer, entry: ExpectedEntry): void {
    const { name } = entry;
    if (CHANGED_NAME.test(name) || (name.endsWith('/') && data.length > 0))
      throw new StorageError('archive-damaged', `An archive cannot have this entry: "${name}"`);
    rememberChecksum(data, entry.crc32);
    // With a buffer instead of a stream, size and CRC precede the data, as streaming readers need.
    this.archive.append(data, { name: entry.name, date: ENTRY_DATE, mode: ENTRY_MODE });
    this.#entries.push(entry);
  }

  /** The stream recognises an entry's bytes by their memory. A short buffer may be in the pool that Node shares. */
  #withDistinctMemory(content: Buffer): Buffer {
    if (content.buffer.byteLength >= MIN_BUFFER_BYTES) return content;
    const data = this.getBuffer(content.length).subarray(0, content.length);
    content.copy(data);
    return data;
  }

  /**
   * Syncs and verifies the archive, and publishes it. `comment` takes the place of the one of `create`, which is as long:
   * it can depend on the entries.
   */
  async finish(
    publish: Publish,
    comment: string | Buffer = this.options.comment ?? '',
  ): Promise<{ file: string; bytes: number }> {
    const { tmpFile, signal } = this.options;
    await Promise.all([this.archive.finalize(), this.#stream.drain()]);
    if (typeof comment === 'string' && comment !== (this.options.comment ?? ''))
      await this.#replaceComment(comment);
    await this.#stream.sync();
    await this.handle.close();
    const bytes = await verifyZip(tmpFile, this.#entries, comment);
    signal?.throwIfAborted();
    return { file: await publish(tmpFile), bytes };
  }

  /** archiver takes the comment before the first entry. It ends the file. */
  async #replaceComment(comment: string): Promise<void> {
    const bytes = Buffer.from(comment);
    const { size } = await this.handle.stat();
    await this.handle.write(bytes, 0, bytes.length, size - bytes.length);
  }

  /** Closes the file, and removes it unless it was published. Never rejects: the result is known by then. */
  async discard(): Promise<void> {
    this.archive.abort();
    this.archive.destroy();
    await this.#stream.idle();
    await this.handle.close().catch(() => undefined);
    await removeFile(this.options.tmpFile).catch(() => undefined);
  }
}
