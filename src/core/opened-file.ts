/** A file that is open for reading at positions. */
import { close, read, type Stats } from 'node:fs';
import { promisify } from 'node:util';

const readAt = promisify(read);
const closeDescriptor = promisify(close);

/**
 * The only owner of its descriptor, which it closes once, after the reads that are under way: a number that was closed
 * may be another file's by then.
 */
export class OpenedFile {
  #pendingReads = 0;
  #closed: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(
    private readonly descriptor: number,
    /** The state of the file when it was opened. */
    readonly stats: Stats,
  ) {}

  /** Resolves with how many bytes of `target` were filled: 0 at the end of the file. */
  async read(target: Uint8Array, position: number): Promise<number> {
    if (this.#closed) throw new Error('the file was closed');
    this.#pendingReads += 1;
    try {
      return (await readAt(this.descriptor, target, 0, target.length, position)).bytesRead;
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
    await closeDescriptor(this.descriptor);
  }
}
