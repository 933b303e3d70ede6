/** The chapter image delivery metadata (`GET /at-home/server/{id}`, spec 4.2): where a chapter's pages are. */
import { ChapterError } from '../core/errors.js';
import { ServiceRefusal } from './api-errors.js';
import type { ServiceClient } from './client.js';
import type { Quality } from '../config/quality.js';

/** With the specification's names (2.4). */
export interface AtHomeMetadata {
  readonly baseUrl: string;
  readonly hash: string;
  readonly data: readonly string[];
  readonly dataSaver: readonly string[];
}

/** Throws ChapterError('chapter-not-found' | 'chapter-refused'), or the ServiceError of the request. */
export async function fetchAtHomeMetadata(
  client: ServiceClient,
  chapterId: string,
  signal?: AbortSignal,
): Promise<AtHomeMetadata> {
  try {
    const response = await client.api({
      method: 'GET',
      path: `/at-home/server/${chapterId}`,
      query: new URLSearchParams(client.port443 ? { forcePort443: 'true' } : {}),
      // The schema library is large: it is loaded while the response is on its way.
      parser: async () => {
        const { atHomeSchema } = await import('./pages/at-home-schema.js');
        return (value) => atHomeSchema.parse(value);
      },
      signal,
    });
    return { baseUrl: response.baseUrl, ...response.chapter };
  } catch (cause) {
    if (!(cause instanceof ServiceRefusal)) throw cause;
    const { status, requestIdNote } = cause;
    const failed = (code: ChapterError['code'], message: string) =>
      new ChapterError(code, `${message}: ${chapterId}${requestIdNote}`, { cause });
    if (status === 404) throw failed('chapter-not-found', 'Chapter not found');
    if (status === 401 || status === 403)
      throw failed('chapter-refused', 'Access to the chapter denied');
    throw cause;
  }
}

/** The file names of a chapter's pages, in page order. */
export function pageFileNames(metadata: AtHomeMetadata, quality: Quality): readonly string[] {
  return quality === 'data' ? metadata.data : metadata.dataSaver;
}
