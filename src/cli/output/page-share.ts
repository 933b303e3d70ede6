/** How much of the pages in progress has arrived, as a number of pages: a bar moves on a slow connection too. */

/** Until the first page is there; most pages are smaller, so that the bar does not run ahead. */
const EXPECTED_PAGE_BYTES = 1_000_000;

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
