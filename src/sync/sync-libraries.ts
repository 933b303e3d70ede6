/** The existing archives of the output folders of a run: each is scanned once, when it is first needed. */
import type { ExistingArchive, LibraryIndex } from '../cbz/library-index.js';
import { scanIndexed } from '../cbz/library-cache.js';
import { toStorageError } from '../core/files.js';

export class SyncLibraries {
  readonly #indexes = new Map<string, LibraryIndex>();

  constructor(
    private readonly folder: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Throws StorageError if the folder cannot be read. */
  async open(output: string): Promise<LibraryIndex> {
    const known = this.#indexes.get(output);
    if (known) return known;
    const { signal } = this;
    const index = await scanIndexed(this.folder, output, { signal }).catch((error: unknown) => {
      throw toStorageError(error, output);
    });
    this.#indexes.set(output, index);
    return index;
  }

  /** Keeps the index up to date while the run saves and removes archives. */
  update(
    output: string,
    saved: readonly Pick<ExistingArchive, 'chapterId' | 'titleId' | 'file'>[],
    removed: ReadonlySet<string>,
  ): void {
    const archives = saved.map((archive) => ({ ...archive, ownership: 'own' as const }));
    this.#indexes.get(output)?.update(archives, removed);
  }
}
