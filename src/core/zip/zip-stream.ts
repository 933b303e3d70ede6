/**
 * Writes archiver's output to the file. archiver emits a header as a dozen small chunks, so all pending chunks are
 * written at once; archiver's own concatenation would copy each page.
 */
import type { FileHandle } from 'node:fs/promises';
import type { ZipArchive } from 'archiver';
import { writeBuffers } from '../files.js';

/** Data is synced to disk in steps of this size, so that little is left to sync at the end. */
const SYNC_INTERVAL_BYTES = 8 * 1024 * 1024;

const GATHER_BUFFER_BYTES = 64 * 1024;
/** Larger chunks are contents of entries, which are distinguished by their memory. */
const MAX_GATHERED_BYTES = 2 * 1024;

export class ZipStream {
  readonly #pending: Buffer[] = [];
  /** The last of the pending chunks if it is gathered, and the rest of its buffer. */
  #gathered: Buffer = Buffer.alloc(0);
  #free: Buffer = Buffer.alloc(0);
  #end: { readonly error: Error | undefined } | undefined;
  #wake: () => void = () => undefined;
  #unsyncedBytes = 0;
  #writtenBytes = 0;
  #syncing: Promise<unknown> | undefined;
  #syncFailure: { readonly error: unknown } | undefined;

  constructor(
    archive: ZipArchive,
    private readonly handle: FileHandle,
    private readonly signal: AbortSignal | undefined,
  ) {
    const end = (error?: Error): void => {
      this.#end ??= { error };
      this.#wake();
    };
    archive.on('data', (chunk: Buffer) => {
      this.#append(chunk);
      this.#wake();
    });
    archive.once('end', () => {
      end();
    });
    archive.once('close', () => {
      end(new Error('The archive was closed before its end.'));
    });
    archive.on('error', end);
  }

  /**
   * Writes until every byte of `data`, which was appended to the archive, is in the file; without `data`, what is left
   * when the archive ends. No other data in the archive may share its memory.
   */
  async drain(data?: Buffer): Promise<void> {
    let missing = data?.length ?? Number.POSITIVE_INFINITY;
    while (missing > 0) {
      this.signal?.throwIfAborted();
      // The last entries and the directory are short, and are written with one call.
      const chunks = data || this.#end ? this.#pending.splice(0) : [];
      if (chunks.length > 0) {
        await this.#write(chunks);
        for (const { buffer, length } of chunks) if (buffer === data?.buffer) missing -= length;
      } else if (this.#end) {
        if (this.#end.error !== undefined) throw this.#end.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  /** Chunks of headers are gathered: at the end, archiver emits the whole directory in chunks of a few bytes. */
  #append(chunk: Buffer): void {
    if (chunk.length > MAX_GATHERED_BYTES || chunk.buffer.byteLength > MAX_GATHERED_BYTES * 4) {
      this.#pending.push(chunk);
      return;
    }
    const isFull = this.#free.length < chunk.length;
    if (isFull) this.#free = Buffer.allocUnsafeSlow(GATHER_BUFFER_BYTES);
    if (isFull || this.#pending.at(-1) !== this.#gathered) {
      this.#gathered = this.#free.subarray(0, 0);
      this.#pending.push(this.#gathered);
    }
    chunk.copy(this.#free);
    this.#free = this.#free.subarray(chunk.length);
    const { buffer, byteOffset, length } = this.#gathered;
    this.#gathered = Buffer.from(buffer, byteOffset, length + chunk.length);
    this.#pending[this.#pending.length - 1] = this.#gathered;
  }

  /** The end of the last entry, after `drain` with its data. */
  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  /** Resolves when everything written is on the disk. */
  async sync(): Promise<void> {
    await this.#syncing;
    if (this.#syncFailure) throw this.#syncFailure.error;
    await this.handle.sync();
  }

  /** Resolves when no operation on the file is in progress. */
  async idle(): Promise<void> {
    await this.#syncing;
  }

  async #write(chunks: readonly Buffer[]): Promise<void> {
    await writeBuffers(this.handle, chunks);
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
    this.#writtenBytes += bytes;
    this.#unsyncedBytes += bytes;
    if (this.#unsyncedBytes >= SYNC_INTERVAL_BYTES) this.#startSync();
  }

  /** The disk writes while later pages arrive. Its error must be kept, since the system reports it only once. */
  #startSync(): void {
    if (this.#syncing) return;
    this.#unsyncedBytes = 0;
    this.#syncing = this.handle
      .datasync()
      .catch((error: unknown) => {
        this.#syncFailure ??= { error };
      })
      .finally(() => {
        this.#syncing = undefined;
      });
  }
}
