/**
 * How many pages are in flight at once, over all chapters of a run. First come, first served, so an earlier
 * chapter's pages go before a later one's. A slot comes with the memory that its page is gathered in, which a later
 * page uses again.
 */
import { allocatePageBuffer } from '../image/load-image.js';

/** What a page has while it is in flight. */
export interface PageSlot {
  readonly buffer: Buffer;
  /** To be called when the page is there: the next one may begin while this one is proven and kept. */
  readonly release: () => void;
}

export class PageQueue {
  #free: number;
  /** Pages that are there and not kept yet; each still has its room. */
  #unkept = 0;
  readonly #rooms: Buffer[] = [];
  readonly #waiting: (() => void)[] = [];
  #allStarted: (() => void)[] = [];

  constructor(private readonly slots: number) {
    this.#free = slots;
  }

  /** Runs `load` when a slot is free; frees it afterwards, if it is not free yet, and its room. */
  async run<T>(load: (slot: PageSlot) => Promise<T>): Promise<T> {
    await this.#take();
    const room = this.#rooms.pop() ?? allocatePageBuffer();
    const state = { isFree: false };
    const free = (): void => {
      // A disk that cannot keep up holds the line up, or memory would fill with what waits for it.
      if (state.isFree || this.#unkept >= this.slots) return;
      state.isFree = true;
      this.#unkept += 1;
      this.#give();
    };
    try {
      return await load({ buffer: room, release: free });
    } finally {
      this.#rooms.push(room);
      if (state.isFree) this.#unkept -= 1;
      else this.#give();
    }
  }

  /** Resolves when no page waits for a slot: the moment to prepare the next chapter. */
  async onEmpty(): Promise<void> {
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
