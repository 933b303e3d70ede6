/** The existing archives of the output folders of a run: each is scanned once, when it is first needed. */
import type { ExistingArchive, LibraryIndex } from '../cbz/library-index.js';
import { addToIndex, scanIndexed } from '../cbz/library-cache.js';
import { toStorageError } from '../core/files.js';

export class SyncLibraries {
  readonly #indexes = new Map<string, LibraryIndex>();
  readonly #saved = new Map<string, Set<string>>();

  constructor(
    private readonly stateFolder: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Throws StorageError if the folder cannot be read. */
  async open(output: string): Promise<LibraryIndex> {
    const known = this.#indexes.get(output);
    if (known) return known;
    const { signal, stateFolder } = this;
    const index = await scanIndexed(stateFolder, output, { signal }).catch((error: unknown) => {
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
    const files = this.#saved.get(output) ?? new Set();
    this.#saved.set(output, files);
    for (const { file } of saved) files.add(file);
  }

  /** Writes the index, so that a file that is damaged before the next run is known. */
  async save(): Promise<void> {
    for (const [output, files] of this.#saved)
      // Without it, the next scan opens them.
      if (files.size > 0) await addToIndex(this.stateFolder, output, files).catch(() => undefined);
  }
}
