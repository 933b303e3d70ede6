/** What `adopt` needs of an archive, from the store of what is known of files: it opens only those that are new or were changed. */
import { resolve, sep } from 'node:path';
import type { FileState } from '../core/file-state.js';
import { readLibraryFile } from '../library/file.js';
import type { ChapterRecord } from '../library/record.js';
import { FolderStore } from '../library/store.js';

/** What `adopt` made of a file. */
export interface AdoptedFile {
  /** The path of the archive. */
  readonly file: string;
  /** What the archive was before; undefined for a folder that was packed. */
  readonly from: FileState | undefined;
  readonly record: ChapterRecord;
  /** False for an archive with a comment of another program, which stays. */
  readonly isMarked: boolean;
}

export class KnownArchives {
  private constructor(private readonly stores: readonly (readonly [string, FolderStore])[]) {}

  /** @param roots the folders that are searched */
  static open(stateFolder: string, roots: readonly string[]): KnownArchives {
    const distinct = [...new Set(roots.map((each) => resolve(each)))];
    return new KnownArchives(
      distinct.map((root) => [root, FolderStore.open(stateFolder, root)] as const),
    );
  }

  /** What is in the regular file; it is opened if that is not known. */
  read(file: string): ReturnType<FolderStore['read']> {
    return this.#storeOf(file)?.read(resolve(file), true) ?? readLibraryFile(file);
  }

  /** After the file got the record of tankobon. */
  async setAdopted({ file, from, ...adopted }: AdoptedFile, to: FileState): Promise<void> {
    // What a reader finds in a file that was packed is not known.
    if (from) await this.#storeOf(file)?.setRecorded(resolve(file), { from, to, ...adopted });
  }

  /** Without it the next run is slower. */
  async save(): Promise<void> {
    for (const [, store] of this.stores) await store.save().catch(() => undefined);
  }

  #storeOf(file: string): FolderStore | undefined {
    const path = resolve(file);
    const above = this.stores.find(([root]) =>
      path.startsWith(root.endsWith(sep) ? root : root + sep),
    );
    return above?.[1];
  }
}
