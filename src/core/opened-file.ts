/** A file that is open for reading at positions. */
import { close, read, type BigIntStats } from 'node:fs';
import { promisify } from 'node:util';

const readAt = promisify(read);
const closeDescriptor = promisify(close);

/**
 * The only owner of its descriptor, which it closes once, after the reads that are under way: a number that was closed
 * may be another file's by then.
 */
export class OpenedFile {
  /** In bytes, when it was opened. */
  readonly size: number;

  #pendingReads = 0;
  #closed: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;
  #end = Buffer.alloc(0);

  constructor(
    /** The descriptor, for calls that leave it open. */
    readonly fd: number,
    /** What the file was when it was opened. */
    readonly stats: BigIntStats,
  ) {
    this.size = Number(stats.size);
  }

  /** Reads the last bytes of the file once: later reads of them are copies. */
  async keepEnd(bytes: number): Promise<void> {
    const { size } = this;
    const end = Buffer.allocUnsafe(Math.min(bytes, size));
    const found = await this.readFully(end, size - end.length);
    if (found.length === end.length) this.#end = end;
  }

  /** Fills `target` at once; false for bytes that were not kept. */
  copyKept(target: Uint8Array, position: number): boolean {
    const start = position - this.size + this.#end.length;
    const end = start + target.length;
    if (start < 0 || end > this.#end.length) return false;
    this.#end.copy(target, 0, start, end);
    return true;
  }

  /** Resolves with how many bytes of `target` were filled: 0 at the end of the file. */
  async read(target: Uint8Array, position: number): Promise<number> {
    if (this.#closed) throw new Error('the file was closed');
    if (this.copyKept(target, position)) return target.length;
    this.#pendingReads += 1;
    try {
      return (await readAt(this.fd, target, 0, target.length, position)).bytesRead;
    } finally {
      this.#pendingReads -= 1;
      if (this.#pendingReads === 0) this.#onIdle?.();
    }
  }

  /** Fills `target`, or the part of it up to the end of the file, with which it resolves. */
  async readFully(target: Buffer, position: number): Promise<Buffer> {
    for (let filled = 0; filled < target.length;) {
      const bytesRead = await this.read(target.subarray(filled), position + filled);
      if (bytesRead === 0) return target.subarray(0, filled);
      filled += bytesRead;
    }
    return target;
  }

  /** May be called again. */
  async close(): Promise<void> {
    this.#closed ??= this.#closeWhenIdle();
    await this.#closed;
  }

  async #closeWhenIdle(): Promise<void> {
    if (this.#pendingReads > 0)
      await new Promise<void>((idle) => {
        this.#onIdle = idle;
      });
    await closeDescriptor(this.fd);
  }
}
