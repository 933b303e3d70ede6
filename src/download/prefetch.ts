/**
 * The one chapter that was named, told as soon as it is sure to be loaded: what it takes to load it can be asked for
 * while its metadata is still on the way. Of several chapters none is told, since there nothing is gained.
 */
import type { LibraryIndex } from '../cbz/library-index.js';
import type { Chapter } from '../api/chapters.js';
import { unavailableReason } from '../selection/select-chapters.js';
import type { Target } from '../selection/target.js';

export interface PrefetchDeps {
  readonly prefetch?: (chapterId: string) => void;
  readonly nowMs: number;
}

/** Gives what is to be told of the chapters that were named, once the service has shown them. Never throws. */
export function prefetchSingleChapter(
  { targets, force }: { readonly targets: readonly Target[]; readonly force: boolean },
  shelfScan: Promise<LibraryIndex>,
  { prefetch, nowMs }: PrefetchDeps,
): (named: readonly Chapter[]) => void {
  const [only, ...others] = targets;
  if (!prefetch || !only || others.length > 0) return () => undefined;
  const tellIfMissing = (): void => {
    const told = shelfScan.then((shelf) => {
      if (force || !shelf.find(only.id)) prefetch(only.id);
    });
    // A shelf that cannot be read is the plan's to tell.
    told.catch(() => undefined);
  };
  if (only.kind === 'chapter') {
    tellIfMissing();
    return () => undefined;
  }
  return (named) => {
    if (named.some((chapter) => chapter.id === only.id && !unavailableReason(chapter, nowMs)))
      tellIfMissing();
  };
}
