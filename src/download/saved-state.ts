/** Whether a chapter is saved, by the archives of an output folder and a history. Pure. */
import type { ExistingArchive, LibraryIndex } from '../cbz/library-index.js';

export interface KnownChapters {
  readonly library: Pick<LibraryIndex, 'find'>;
  /** Chapters that count as saved although their archives may be missing. */
  readonly history?: { readonly has: (chapterId: string) => boolean } | undefined;
}

export type SavedState =
  | { readonly state: 'missing' }
  /** In the history: its archive was moved or removed. */
  | { readonly state: 'recorded' }
  | {
      readonly state: 'saved';
      readonly archive: ExistingArchive;
      /** Whether the service has a newer version. */
      readonly isOutdated: boolean;
    };

/** `version`: that of the service; undefined if it is not known. */
export function savedState(
  { id, version = 0 }: { readonly id: string; readonly version?: number | undefined },
  { library, history }: KnownChapters,
): SavedState {
  const archive = library.find(id);
  if (archive) {
    const isOutdated = version > (archive.version ?? Number.POSITIVE_INFINITY);
    return { state: 'saved', archive, isOutdated };
  }
  return { state: history?.has(id) === true ? 'recorded' : 'missing' };
}
