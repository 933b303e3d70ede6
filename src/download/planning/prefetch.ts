/**
 * Requests the delivery metadata of a chapter before it is needed, while the catalogue metadata is still on its way.
 * Used when a run has a single chapter: with more, the round trips that it saves are negligible.
 */
import type { Chapter } from '../../service/chapters.js';
import type { LibraryIndex } from '../../library/scan.js';
import { fetchAtHomeMetadata, type AtHomeMetadata } from '../../service/at-home.js';
import { unavailableReason } from '../../selection/exclusions.js';
import type { DownloadSession } from '../download-session.js';
import { savedState } from '../../plan/decide.js';

export interface PrefetchedMetadata {
  /** When it was requested, in the clock's monotonic time. */
  readonly requestedAtMs: number;
  readonly metadata: Promise<AtHomeMetadata>;
}

/**
 * Requests the delivery metadata of the only target. A target that is given as a chapter is requested at once, beside its
 * catalogue metadata. Any other one is requested when that has come, which says whether it is a chapter, and whether it was
 * taken down; `onChapters` takes it, and resolves after the response, so that this request gets the open connection, and not
 * that for the title, which nothing waits for. `take` returns the request once: a later attempt needs fresh metadata. Never
 * throws.
 */
export function prefetchSingleChapter(
  libraryScan: Promise<LibraryIndex>,
  { request: options, client, context, signal, history }: DownloadSession,
) {
  const { clock } = context;
  const [target, ...others] = options.targets;
  let request: PrefetchedMetadata | undefined;
  const start = async (chapterId: string): Promise<void> => {
    // Awaited first: the module of savedState is loaded when it is named, and the first request does not need it.
    const library = await libraryScan;
    const { state } = savedState({ id: chapterId }, { library, history });
    if (signal.aborted || (!options.force && state !== 'missing')) return;
    const metadata = fetchAtHomeMetadata(client, chapterId, signal);
    request = { requestedAtMs: clock.monotonicMs(), metadata };
    await metadata;
  };
  // The plan reports a library that cannot be read, and the caller of `take` a failed request.
  const startSafely = (chapterId: string) => start(chapterId).catch(() => undefined);
  // Its groups are not known yet, and one of them may be excluded.
  const isSure = target?.kind === 'chapter' && !options.selection.excludedGroups?.length;
  if (isSure && others.length === 0) void startSafely(target.id);
  return {
    onChapters: async (chapters: readonly Chapter[]): Promise<void> => {
      const chapter = chapters.find(({ id }) => id === target?.id);
      if (isSure || !chapter || others.length > 0) return;
      if (!unavailableReason(chapter, clock.wallMs())) await startSafely(chapter.id);
    },
    take: (): PrefetchedMetadata | undefined => {
      const taken = request;
      request = undefined;
      return taken;
    },
  };
}
