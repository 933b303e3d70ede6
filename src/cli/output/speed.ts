/** The speed of a run, and how far a chapter is. */
import type { Clock } from '../../core/clock.js';

/** Bytes per second over the last few seconds. */
export class Speed {
  readonly #arrivals: { atMs: number; bytes: number }[] = [];
  static readonly #WINDOW_MS = 3_000;

  constructor(private readonly clock: Pick<Clock, 'monotonicMs'>) {}

  add(bytes: number): void {
    const atMs = this.clock.monotonicMs();
    // Without a terminal, the speed may never be asked for.
    this.#forgetBefore(atMs - Speed.#WINDOW_MS);
    const last = this.#arrivals.at(-1);
    if (last && atMs - last.atMs < 100) last.bytes += bytes;
    else this.#arrivals.push({ atMs, bytes });
  }

  /** Undefined if nothing has arrived lately. */
  bytesPerSecond(): number | undefined {
    const nowMs = this.clock.monotonicMs();
    this.#forgetBefore(nowMs - Speed.#WINDOW_MS);
    const first = this.#arrivals[0];
    if (!first) return undefined;
    const bytes = this.#arrivals.reduce((sum, arrival) => sum + arrival.bytes, 0);
    return bytes / Math.max((nowMs - first.atMs) / 1_000, 0.5);
  }

  #forgetBefore(timeMs: number): void {
    while (this.#arrivals[0] && this.#arrivals[0].atMs < timeMs) this.#arrivals.shift();
  }
}

/** The speed is that of the last pages. */
const MAX_PAGES = 20;

/** The time left of a chapter, by the pages that arrived last. */
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

/** Until the first page is there; most pages are smaller, so that the bar does not run ahead. */
const EXPECTED_PAGE_BYTES = 1_000_000;

/** How much of the pages in progress has arrived, as a number of pages: a bar moves on a slow connection too. */
export class PageShare {
  /** Failed attempts count too, since an event names no page: the bar runs ahead by them. */
  #receivedBytes = 0;
  /** The pages that are there, and their bytes. */
  #pages = 0;
  #pageBytes = 0;

  /** Bytes of any page. */
  add(bytes: number): void {
    this.#receivedBytes += bytes;
  }

  /** @param bytes the size of a page that is there; undefined if it did not arrive as bytes */
  addPage(bytes: number | undefined): void {
    if (bytes === undefined) return;
    this.#pages += 1;
    this.#pageBytes += bytes;
    // The bytes of a page that was kept from an earlier run are not received.
    this.#receivedBytes = Math.max(this.#receivedBytes, this.#pageBytes);
  }

  /** @param left the pages that are not there yet */
  partialPages(left: number): number {
    const averageBytes = this.#pages > 0 ? this.#pageBytes / this.#pages : EXPECTED_PAGE_BYTES;
    const pages = (this.#receivedBytes - this.#pageBytes) / Math.max(averageBytes, 1);
    // Less than all that are left: another page may be larger, and an attempt may fail.
    return Math.min(pages, left * 0.9);
  }
}
