/**
 * Brings what archiver gives into the file, in the order in which it is given. archiver gives a header as a dozen
 * pieces of a few bytes, so all that wait are written at once. Its own way of joining pieces would copy each page.
 */
import type { FileHandle } from 'node:fs/promises';
import type { ZipArchive } from 'archiver';

/** So much may wait in the system for the disk before it is sent there: so little is left to sync at the end. */
const SYNCED_AT_ONCE_BYTES = 8 * 1024 * 1024;

export class CbzStream {
  readonly #given: Buffer[] = [];
  #outcome: { readonly failure: Error | undefined } | undefined;
  #wake: () => void = () => undefined;
  #unsyncedBytes = 0;
  #syncing: Promise<unknown> | undefined;
  #syncFailure: { readonly error: unknown } | undefined;

  constructor(
    archive: ZipArchive,
    private readonly handle: FileHandle,
    private readonly signal: AbortSignal | undefined,
  ) {
    archive.on('data', (piece: Buffer) => {
      this.#given.push(piece);
      this.#wake();
    });
    archive.once('end', () => {
      this.#end();
    });
    archive.once('close', () => {
      this.#end(new Error('The archive was closed before its end.'));
    });
    archive.on('error', (error: Error) => {
      this.#end(error);
    });
  }

  /**
   * Writes until every byte of `data`, which the archive was given, is in the file; without it, until the archive
   * ends. `data` must be the only thing in the archive that lies in its memory.
   */
  async drain(data?: Buffer): Promise<void> {
    let missing = data?.length ?? Number.POSITIVE_INFINITY;
    while (missing > 0) {
      this.signal?.throwIfAborted();
      const pieces = this.#given.splice(0);
      if (pieces.length > 0) {
        await this.#write(pieces);
        const own = pieces.filter(({ buffer }) => buffer === data?.buffer);
        missing -= own.reduce((sum, { length }) => sum + length, 0);
      } else if (this.#outcome) {
        if (this.#outcome.failure !== undefined) throw this.#outcome.failure;
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  /** Resolves once all that was written is on the disk. */
  async sync(): Promise<void> {
    await this.#syncing;
    if (this.#syncFailure) throw this.#syncFailure.error;
    await this.handle.sync();
  }

  /** Resolves once nothing of the sink's is under way with the file. */
  async idle(): Promise<void> {
    await this.#syncing;
  }

  async #write(pieces: readonly Buffer[]): Promise<void> {
    let left = pieces;
    while (left.length > 0) {
      const { bytesWritten } = await this.handle.writev(left);
      this.#unsyncedBytes += bytesWritten;
      left = rest(left, bytesWritten);
    }
    if (this.#unsyncedBytes >= SYNCED_AT_ONCE_BYTES) this.#syncBeside();
  }

  /** The disk works while later pages are on their way. What it says then, it does not say again at the end. */
  #syncBeside(): void {
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

  #end(failure?: Error): void {
    this.#outcome ??= { failure };
    this.#wake();
  }
}

/** What is left of `pieces` without their first bytes: the system may write less than it was given. */
function rest(pieces: readonly Buffer[], writtenBytes: number): Buffer[] {
  let skip = writtenBytes;
  return pieces.flatMap((piece) => {
    const skipped = Math.min(skip, piece.length);
    skip -= skipped;
    return skipped < piece.length ? [piece.subarray(skipped)] : [];
  });
}
