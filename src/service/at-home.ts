/** The chapter image delivery metadata (`GET /at-home/server/{id}`, spec 4.2): where a chapter's pages are. */
import { ChapterError, LoadError } from '../core/errors.js';
import { ServiceRefusal } from './requests/api-errors.js';
import type { ServiceClient } from './client.js';
import type { Quality } from '../config/quality.js';
import { printableLine } from '../core/printable.js';
import { isSafeAddress } from '../core/web-address.js';

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

const MAX_SHOWN_LENGTH = 80;

interface PageLocation {
  readonly baseUrl: string;
  readonly quality: Quality;
  readonly hash: string;
  readonly fileName: string;
}

/**
 * The URL of a page: base URL, quality, chapter hash and file name, joined as strings. The base URL is opaque: it is not
 * decoded, normalised or trimmed. Throws LoadError('bad-page-url') if the result is not a URL, is neither https: nor loopback http:, has credentials,
 * a query or a fragment, or would be changed by URL parsing (dot segments, backslashes).
 */
export function pageUrl({ baseUrl, quality, hash, fileName }: PageLocation): URL {
  const text = `${baseUrl}/${quality}/${hash}/${fileName}`;
  const invalid = (reason: string) =>
    new LoadError('bad-page-url', `${reason}: ${printableLine(baseUrl, MAX_SHOWN_LENGTH)}`);
  if (/\p{Cs}/u.test(text) || !URL.canParse(text)) throw invalid('The base URL is not a valid URL');
  const url = new URL(text);
  if (!isSafeAddress(url)) throw invalid('The base URL does not use https:');
  if (url.search !== '' || url.hash !== '') throw invalid('The base URL has a query or a fragment');
  if (url.username !== '' || url.password !== '') throw invalid('The base URL has credentials');
  if (!hasSamePath(text, url)) throw invalid('The base URL changes when it is parsed');
  return url;
}

/** Parsing may lower-case the host and percent-encode characters, but must not change the path. */
function hasSamePath(text: string, url: URL): boolean {
  const path = text.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  return encoded(url.pathname) === encoded(path);
}

/** Percent-encodes what is not encoded yet. */
function encoded(path: string): string {
  return encodeURI(path).replace(/%25([0-9a-f]{2})/gi, '%$1');
}

/** The sha256 in a page's file name, lower-case hex; the live service puts it there. */
export function digestInFileName(fileName: string): string | undefined {
  return /^[a-z]?\d+-([0-9a-f]{64})\.[a-z]+$/i.exec(fileName)?.[1]?.toLowerCase();
}
