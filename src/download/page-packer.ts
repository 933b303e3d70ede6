/**
 * Packs a chapter's pages in their order while later ones load, so that little is left to do when the last one is
 * there. Nothing depends on it: where it fails, the pages are there all the same, and are packed at the end.
 */
import type { CbzWriter } from '../cbz/cbz-writer.js';
import type { KeptPage } from './workspace.js';

export class PagePacker {
  #packed = 0;
  #archive: CbzWriter | undefined;
  #working: Promise<void> | undefined;
  #hasFailed = false;

  /** @param begin makes the archive; called once, when the first page is there */
  constructor(
    private readonly kept: ReadonlyMap<number, KeptPage>,
    private readonly begin: () => Promise<CbzWriter>,
  ) {}

  /** To be called when a page was kept: packs it, if those before it are packed. */
  packAvailable(): void {
    if (this.#hasFailed) return;
    this.#working ??= this.#work()
      .catch(() => {
        this.#hasFailed = true;
      })
      .finally(() => {
        this.#working = undefined;
      });
  }

  /** The archive with all pages, once they are packed; undefined where it could not be made. */
  async finishedArchive(pages: number): Promise<CbzWriter | undefined> {
    await this.#working;
    this.packAvailable();
    await this.#working;
    return this.#packed === pages && !this.#hasFailed ? this.#archive : undefined;
  }

  /** Removes the archive, if it has not got its name. */
  async discard(): Promise<void> {
    this.#hasFailed = true;
    await this.#working;
    await this.#archive?.discard();
  }

  async #work(): Promise<void> {
    for (;;) {
      const page = this.kept.get(this.#packed + 1);
      if (!page || this.#hasFailed) return;
      this.#archive ??= await this.begin();
      await this.#archive.add(page);
      this.#packed += 1;
    }
  }
}
