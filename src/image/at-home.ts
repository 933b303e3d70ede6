/**
 * The chapter image delivery metadata of spec 4.2 (`GET /at-home/server/{id}`): where a chapter's pages are, and
 * for how long that holds.
 */
import type { Clock } from '../core/clock.js';
import { ChapterError, interruption } from '../core/errors.js';
import { ServiceRefusal } from '../api/api-errors.js';
import type { ServiceClient } from '../api/client.js';
import type { Quality } from './page-url.js';

/** What the metadata says, in the specification's words (2.4). */
export interface AtHomeMetadata {
  readonly baseUrl: string;
  readonly hash: string;
  readonly data: readonly string[];
  readonly dataSaver: readonly string[];
}

/**
 * Asks for a chapter's metadata. Throws ChapterError('chapter-not-found' | 'chapter-refused'), or the
 * ServiceError of the request.
 */
export async function fetchAtHomeMetadata(
  client: ServiceClient,
  chapterId: string,
  signal?: AbortSignal,
): Promise<AtHomeMetadata> {
  try {
    const answer = await client.api({
      method: 'GET',
      path: `/at-home/server/${chapterId}`,
      // Loaded while the answer is on its way: what it is written with is large.
      parser: async () => {
        const { atHomeSchema: deliveryAnswer } = await import('./at-home-schema.js');
        return (value) => deliveryAnswer.parse(value);
      },
      ...(signal && { signal }),
    });
    return { baseUrl: answer.baseUrl, ...answer.chapter };
  } catch (error) {
    throw asChapterError(error, chapterId);
  }
}

function asChapterError(error: unknown, chapterId: string): unknown {
  if (!(error instanceof ServiceRefusal)) return error;
  if (error.status === 404) {
    return new ChapterError('chapter-not-found', `The service has no chapter ${chapterId}.`, {
      cause: error,
    });
  }
  if (error.status === 403 || error.status === 401) {
    return new ChapterError('chapter-refused', `The service refuses chapter ${chapterId} to you.`, {
      cause: error,
    });
  }
  return error;
}

/** An answer, and when it was asked for, in the clock's monotonic time. */
export interface PrefetchedMetadata {
  readonly requestedAtMs: number;
  readonly metadata: Promise<AtHomeMetadata>;
}

/** Metadata that is asked for before it is needed. Ends with its signal, or when it is dropped. */
export class MetadataPrefetcher {
  readonly #asked = new Map<string, PrefetchedMetadata & { readonly stop: AbortController }>();

  constructor(
    private readonly client: ServiceClient,
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
  ) {}

  start(chapterId: string): void {
    if (this.signal.aborted) return;
    const stop = new AbortController();
    const signal = AbortSignal.any([this.signal, stop.signal]);
    const askedAtMs = this.clock.monotonicMs();
    const metadata = fetchAtHomeMetadata(this.client, chapterId, signal);
    // Whoever takes it hears of its failure.
    metadata.catch(() => undefined);
    this.#asked.set(chapterId, { requestedAtMs: askedAtMs, metadata, stop });
  }

  /** Breaks off what was asked for other chapters than these. */
  cancelExcept(chapterIds: ReadonlySet<string>): void {
    for (const [chapterId, { stop }] of this.#asked) {
      if (chapterIds.has(chapterId)) continue;
      stop.abort(interruption());
      this.#asked.delete(chapterId);
    }
  }

  /** Hands it out once: what is asked for after that has to be fresh. */
  take(chapterId: string): PrefetchedMetadata | undefined {
    const asked = this.#asked.get(chapterId);
    this.#asked.delete(chapterId);
    return asked;
  }
}

/** The file names of a chapter's pages in this quality, in page order. */
export function pageFileNames(metadata: AtHomeMetadata, quality: Quality): readonly string[] {
  return quality === 'data' ? metadata.data : metadata.dataSaver;
}
