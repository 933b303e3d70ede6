/** The time left of a chapter, by the pages that arrived last. */
import type { Clock } from '../../core/clock.js';

/** The speed is that of the last pages. */
const MAX_PAGES = 20;

export class PageCountdown {
  /** When the chapter started, and when each of its last pages was there. */
  readonly #atMs: number[];
  #left: number;

  /** @param left the number of pages to load */
  constructor(
    left: number,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {
    this.#left = left;
    this.#atMs = [clock.monotonicMs()];
  }

  /** A page is there. */
  add(): void {
    this.#left -= 1;
    this.#atMs.push(this.clock.monotonicMs());
    if (this.#atMs.length > MAX_PAGES + 1) this.#atMs.shift();
  }

  /** Undefined while unknown, and after the estimated end, as when no page arrives. */
  leftMs(): number | undefined {
    const [firstMs = 0] = this.#atMs;
    const lastMs = this.#atMs.at(-1) ?? 0;
    const pageMs = (lastMs - firstMs) / (this.#atMs.length - 1);
    const leftMs = lastMs + pageMs * this.#left - this.clock.monotonicMs();
    // NaN before the first page.
    return leftMs > 0 ? leftMs : undefined;
  }
}
