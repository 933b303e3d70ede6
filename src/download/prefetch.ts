/**
 * Requests the delivery metadata of a chapter before it is needed, while the catalogue metadata is still on its way.
 * Used when a run has a single chapter: with more, the round trip that it saves is negligible. Without it, 20 pages of
 * 300 KB at 80 ms a round trip take 1.05 times as long.
 */
import type { Chapter } from '../api/chapters.js';
import type { ServiceClient } from '../api/client.js';
import type { LibraryIndex } from '../cbz/library-index.js';
import type { Clock } from '../core/clock.js';
import { interruptedError } from '../core/errors.js';
import { fetchAtHomeMetadata, type AtHomeMetadata } from '../image/at-home.js';
import { unavailableReason } from '../selection/select-chapters.js';
import type { Target } from '../selection/target.js';

export interface PrefetchedMetadata {
  /** When it was requested, in the clock's monotonic time. */
  readonly requestedAtMs: number;
  readonly metadata: Promise<AtHomeMetadata>;
}

/** Requests end when `signal` is aborted or when they are cancelled. */
export class MetadataPrefetcher {
  readonly #requests = new Map<string, PrefetchedMetadata & { readonly stop: AbortController }>();

  constructor(
    private readonly client: ServiceClient,
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
  ) {}

  start(chapterId: string): void {
    if (this.signal.aborted) return;
    const stop = new AbortController();
    const signal = AbortSignal.any([this.signal, stop.signal]);
    const requestedAtMs = this.clock.monotonicMs();
    const metadata = fetchAtHomeMetadata(this.client, chapterId, signal);
    // The caller of `take` handles the failure.
    metadata.catch(() => undefined);
    this.#requests.set(chapterId, { requestedAtMs, metadata, stop });
  }

  cancelExcept(chapterIds: ReadonlySet<string>): void {
    for (const [chapterId, { stop }] of this.#requests) {
      if (chapterIds.has(chapterId)) continue;
      stop.abort(interruptedError());
      this.#requests.delete(chapterId);
    }
  }

  /** Returns each request once: a later attempt needs fresh metadata. */
  take(chapterId: string): PrefetchedMetadata | undefined {
    const request = this.#requests.get(chapterId);
    this.#requests.delete(chapterId);
    return request;
  }
}

export interface PrefetchDeps {
  readonly prefetch?: (chapterId: string) => void;
  readonly nowMs: number;
}

/**
 * Calls `prefetch` for the only target once it is sure to be downloaded. Returns a callback for the catalogue metadata
 * of the targets, which decide whether an id of unknown kind is a chapter. Never throws.
 */
export function prefetchSingleChapter(
  { targets, force }: { readonly targets: readonly Target[]; readonly force: boolean },
  libraryScan: Promise<LibraryIndex>,
  { prefetch, nowMs }: PrefetchDeps,
): (chapters: readonly Chapter[]) => void {
  const [target, ...others] = targets;
  if (!prefetch || !target || others.length > 0) return () => undefined;
  const prefetchIfMissing = (): void => {
    libraryScan
      .then((library) => {
        if (force || !library.find(target.id)) prefetch(target.id);
      })
      // The plan reports a library that cannot be read.
      .catch(() => undefined);
  };
  if (target.kind === 'chapter') {
    prefetchIfMissing();
    return () => undefined;
  }
  return (chapters) => {
    if (chapters.some((chapter) => chapter.id === target.id && !unavailableReason(chapter, nowMs)))
      prefetchIfMissing();
  };
}
