/**
 * How many pages are in flight at once, over all chapters of a run. First come, first served, so an earlier
 * chapter's pages go before a later one's. A slot comes with the memory that its page is gathered in, which the
 * next page uses again.
 */
import { gatheringRoom } from '../delivery/image-load.js';

export class PageSlots {
  #free: number;
  readonly #rooms: Buffer[] = [];
  readonly #waiting: (() => void)[] = [];
  #allStarted: (() => void)[] = [];

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Runs `load` when a slot is free, and frees it afterwards, with its room. */
  async use<T>(load: (room: Buffer) => Promise<T>): Promise<T> {
    await this.#take();
    const room = this.#rooms.pop() ?? gatheringRoom();
    try {
      return await load(room);
    } finally {
      this.#rooms.push(room);
      this.#give();
    }
  }

  /** Resolves when no page waits for a slot: the moment to prepare the next chapter. */
  async whenAllStarted(): Promise<void> {
    if (this.#waiting.length === 0) return;
    await new Promise<void>((resolve) => this.#allStarted.push(resolve));
  }

  async #take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
    if (this.#waiting.length === 0) {
      for (const tell of this.#allStarted.splice(0)) tell();
    }
  }
}
