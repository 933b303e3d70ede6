/**
 * The existing archives of the output folders of a run: each is scanned when it is first needed, and again after another
 * process may have renamed files.
 */
import { type LibraryIndex, addToIndex, scanLibrary } from '../library/scan.js';
import { toStorageError } from '../core/files.js';
import { warnOfForbidden } from '../core/read-folder.js';
import type { DownloadResult } from '../download/download-result.js';

export class SyncLibraries {
  readonly #indexes = new Map<string, LibraryIndex>();
  readonly #saved = new Map<string, Set<string>>();
  #generation: number | undefined;

  constructor(
    private readonly stateFolder: string,
    private readonly signal: AbortSignal,
    private readonly warn: (message: string) => void,
  ) {}

  /** Forgets what was found before another process had a folder for itself, in which it may have renamed files. */
  enterGeneration(generation: number | undefined): void {
    if (generation === undefined || generation !== this.#generation) this.#indexes.clear();
    this.#generation = generation;
  }

  /** Throws StorageError if the folder cannot be read. */
  async open(output: string): Promise<LibraryIndex> {
    const known = this.#indexes.get(output);
    if (known) return known;
    const { signal, stateFolder } = this;
    const onUnreadableFolder = warnOfForbidden(this.warn);
    const options = { stateFolder, signal, onUnreadableFolder };
    const index = await scanLibrary(output, options).catch((error: unknown) => {
      throw toStorageError(error, output);
    });
    this.#indexes.set(output, index);
    return index;
  }

  /** Scans the folder again when it is needed: books were written there. */
  forget(output: string): void {
    this.#indexes.delete(output);
  }

  /** Keeps the index up to date with what the download of a title saved and removed. */
  update(
    output: string,
    titleId: string,
    result: Pick<DownloadResult, 'savedFiles' | 'retaggedFiles' | 'removedFiles'>,
  ): void {
    const written = [...result.savedFiles, ...result.retaggedFiles];
    const own = { titleId, ownership: 'own', isBound: false } as const;
    const chapters = written.map(([chapterId, file]) => ({ ...own, chapterId, file }));
    this.#indexes.get(output)?.update(chapters, result.removedFiles);
    const files = written.map(([, file]) => file);
    this.#saved.set(output, new Set([...(this.#saved.get(output) ?? []), ...files]));
  }

  /** Writes the index, so that a file that is damaged before the next run is known. */
  async save(): Promise<void> {
    for (const [output, files] of this.#saved)
      // Without it, the next scan opens them.
      if (files.size > 0) await addToIndex(this.stateFolder, output, files).catch(() => undefined);
  }
}
