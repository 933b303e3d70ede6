/**
 * Packs a chapter's pages in order while later ones load, so that little is left to do after the last page. It is an
 * optimisation: when it fails, the caller packs all pages at the end.
 */
import type { CbzWriter } from '../cbz/cbz-writer.js';
import type { KeptPage } from './workspace.js';

export class PagePacker {
  #packed = 0;
  #archive: CbzWriter | undefined;
  #packing: Promise<void> | undefined;
  #hasFailed = false;

  /** @param createArchive called once, when the first page is available */
  constructor(
    private readonly pages: ReadonlyMap<number, KeptPage>,
    private readonly createArchive: () => Promise<CbzWriter>,
  ) {}

  /** Packs every page whose predecessors are packed. To be called after each new page. */
  packAvailable(): void {
    if (this.#hasFailed) return;
    this.#packing ??= this.#pack()
      .catch(() => {
        this.#hasFailed = true;
      })
      .finally(() => {
        this.#packing = undefined;
      });
  }

  /** The archive once all pages are packed; undefined if that is not possible. */
  async finishedArchive(pages: number): Promise<CbzWriter | undefined> {
    await this.#packing;
    this.packAvailable();
    await this.#packing;
    return this.#packed === pages && !this.#hasFailed ? this.#archive : undefined;
  }

  /** Removes the archive unless it was published. */
  async discard(): Promise<void> {
    this.#hasFailed = true;
    await this.#packing;
    await this.#archive?.discard();
  }

  async #pack(): Promise<void> {
    for (;;) {
      const page = this.pages.get(this.#packed + 1);
      if (!page || this.#hasFailed) return;
      this.#archive ??= await this.createArchive();
      await this.#archive.add(page);
      this.#packed += 1;
    }
  }
}
