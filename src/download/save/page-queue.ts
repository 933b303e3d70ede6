/**
 * Limits how many pages load at the same time, over all chapters of a run; first come, first served. Each page takes
 * a buffer, which a later page reuses.
 */
import { allocatePageBuffer } from '../../service/load-image.js';

export interface PageSlot {
  /**
   * To be called when the page arrives: until then, pages that are not stored yet need their buffers. The first
   * use of new memory costs more than the bytes of the page.
   */
  readonly takeBuffer: () => Buffer;
  /** To be called when the page has arrived: the next page can start while this one is verified and stored. */
  readonly release: () => void;
}

export class PageQueue {
  #free: number;
  /** Pages that released their slot and are not stored yet; each still uses its buffer. */
  #unstored = 0;
  /** The releases of pages that arrived while too many were not stored; one is called as soon as another page is stored. */
  readonly #refusedReleases = new Set<() => void>();
  readonly #buffers: Buffer[] = [];
  readonly #waiting: (() => void)[] = [];
  #onEmpty: (() => void)[] = [];

  constructor(private readonly concurrency: number) {
    this.#free = concurrency;
  }

  /** Runs `load` as soon as a slot is free. */
  async run<T>(load: (slot: PageSlot) => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const taken: Buffer[] = [];
    const takeBuffer = (): Buffer => {
      const buffer = this.#buffers.pop() ?? allocatePageBuffer();
      taken.push(buffer);
      return buffer;
    };
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      // When the disk cannot keep up, downloads have to wait, or the buffers would fill the memory.
      if (this.#unstored >= this.concurrency) {
        this.#refusedReleases.add(release);
        return;
      }
      this.#refusedReleases.delete(release);
      isReleased = true;
      this.#unstored += 1;
      this.#startNext();
    };
    try {
      return await load({ takeBuffer, release });
    } finally {
      for (const buffer of taken) this.#buffers.push(buffer);
      this.#refusedReleases.delete(release);
      // The linter does not see that `release` sets it.
      if (isReleased as boolean) {
        this.#unstored -= 1;
        const [releaseNext] = this.#refusedReleases;
        releaseNext?.();
      } else this.#startNext();
    }
  }

  /** Resolves when no page waits for a slot. */
  async onEmpty(): Promise<void> {
    if (this.#waiting.length === 0) return;
    await new Promise<void>((resolve) => this.#onEmpty.push(resolve));
  }

  #startNext(): void {
    const start = this.#waiting.shift();
    if (start) start();
    else this.#free += 1;
    if (this.#waiting.length === 0) for (const resolve of this.#onEmpty.splice(0)) resolve();
  }
}
