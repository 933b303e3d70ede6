/** Packs a chapter's pages in order while later ones load, so that little is left to do after the last page. */
import type { CbzWriter } from '../cbz/cbz-writer.js';
import type { KeptPage } from './workspace.js';

export class PagePacker {
  #packed = 0;
  #archive: CbzWriter | undefined;
  /** Rejects for good when a page cannot be packed. */
  #packing: Promise<void> = Promise.resolve();
  #isDiscarded = false;

  /** @param createArchive called once, when the first page is available */
  constructor(
    private readonly pages: ReadonlyMap<number, KeptPage>,
    private readonly createArchive: () => Promise<CbzWriter>,
  ) {}

  /** Packs every page whose predecessors are packed. To be called after each new page; `complete` reports failures. */
  packAvailable(): void {
    this.#packing = this.#packing.then(() => this.#pack());
    this.#packing.catch(() => undefined);
  }

  /** The archive with all pages, which must be available. Rejects if one could not be packed. */
  async complete(): Promise<CbzWriter> {
    this.packAvailable();
    await this.#packing;
    if (!this.#archive) throw new Error('A chapter without pages cannot be packed.');
    return this.#archive;
  }

  /** Removes the archive unless it was published. */
  async discard(): Promise<void> {
    this.#isDiscarded = true;
    await this.#packing.catch(() => undefined);
    await this.#archive?.discard();
  }

  async #pack(): Promise<void> {
    for (;;) {
      const page = this.pages.get(this.#packed + 1);
      if (!page || this.#isDiscarded) return;
      this.#archive ??= await this.createArchive();
      await this.#archive.add(page);
      this.#packed += 1;
    }
  }
}
