/** Whether a chapter is saved, by the archives of an output folder and a history. Pure. */
import type { ExistingArchive, LibraryIndex } from '../library/scan.js';
import { mayHaveChanged, type ListedChapter, type SavedChapter } from './chapter-changes.js';

export interface KnownChapters {
  readonly library: Pick<LibraryIndex, 'find' | 'findDamaged'>;
  /** Chapters that count as saved although their archives may be missing. */
  readonly history?: { readonly has: (chapterId: string) => boolean } | undefined;
  /** What the files of chapters say of them, if they were read. */
  readonly saved?: ReadonlyMap<string, SavedChapter> | undefined;
}

export type SavedState =
  | { readonly state: 'missing' }
  /** The history has the chapter: its archive was moved or removed. */
  | { readonly state: 'recorded' }
  | {
      readonly state: 'saved';
      readonly archive: ExistingArchive;
      /** Whether the chapter may have changed on the service. */
      readonly isOutdated: boolean;
    };

/** `chapter` has what is known of the service's entry. */
export function savedState(
  chapter: ListedChapter & { readonly id: string },
  { library, history, saved }: KnownChapters,
): SavedState {
  const { id } = chapter;
  const archive = library.find(id);
  if (archive) {
    const { version } = archive;
    const isOutdated = mayHaveChanged(saved?.get(archive.chapterId) ?? { version }, chapter);
    return { state: 'saved', archive, isOutdated };
  }
  return { state: history?.has(id) === true ? 'recorded' : 'missing' };
}
