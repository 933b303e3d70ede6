/** The existing archives of the output folders of a run: each is scanned once, when it is first needed. */
import type { ExistingArchive, LibraryIndex } from '../cbz/library-index.js';
import { scanLibrary } from '../cbz/scan-library.js';
import { toStorageError } from '../core/files.js';
import { LibraryCache } from './library-cache.js';

export class SyncLibraries {
  readonly #indexes = new Map<string, LibraryIndex>();

  constructor(
    private readonly folder: string,
    private readonly signal: AbortSignal,
    private readonly warn: (message: string) => void,
  ) {}

  /** Throws StorageError if the folder cannot be read. */
  async open(output: string): Promise<LibraryIndex> {
    const known = this.#indexes.get(output);
    if (known) return known;
    const cache = await LibraryCache.open(this.folder, output);
    const index = await scanLibrary(output, { signal: this.signal, cache }).catch(
      (error: unknown) => {
        throw toStorageError(error, output);
      },
    );
    // Without it the next scan is slower.
    await cache.save().catch((error: unknown) => {
      this.warn(`The index of ${output} was not stored: ${String(error)}`);
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
