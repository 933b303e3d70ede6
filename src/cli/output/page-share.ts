/** How much of the pages in progress has arrived, as a number of pages: a bar moves on a slow connection too. */

/** Until the first page is there; most pages are smaller, so that the bar does not run ahead. */
const EXPECTED_PAGE_BYTES = 1_000_000;

export class PageShare {
  #received = 0;
  #ofWhole = 0;
  #whole = 0;

  /** Bytes of any page. */
  add(bytes: number): void {
    this.#received += bytes;
  }

  /** @param bytes the size of a page that is there; undefined if it did not arrive as bytes */
  addPage(bytes: number | undefined): void {
    if (bytes === undefined) return;
    this.#ofWhole += bytes;
    this.#whole += 1;
    // What a failed attempt received is not of a page.
    this.#received = Math.max(this.#received, this.#ofWhole);
  }

  /** @param left the pages that are not there yet */
  partialPages(left: number): number {
    const pageBytes = this.#whole > 0 ? this.#ofWhole / this.#whole : EXPECTED_PAGE_BYTES;
    const pages = (this.#received - this.#ofWhole) / Math.max(pageBytes, 1);
    // Never whole: another page may be larger, and an attempt may fail.
    return Math.min(pages, left * 0.9);
  }
}
