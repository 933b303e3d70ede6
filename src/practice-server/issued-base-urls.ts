/**
 * The base URLs that the service has issued (spec 2.4). They contain what clients get wrong: a path prefix, `%2F`, `~`
 * and a lower-case escape in the token. Page URLs are compared in normal form (RFC 3986, section 6.2.2), since HTTP
 * libraries normalise them.
 */
import { randomBytes } from 'node:crypto';
import { oneOf } from './catalogue-query.js';
import { getWithQuery } from './catalogue-responses.js';
import { jsonResponse, notFound, type Endpoint } from './endpoint.js';
import type { Library, LibraryChapter, LibraryPage, Quality } from './library/library.js';
import { findFault, type FaultName, type PageFaultPlan } from './page-faults.js';

interface IssuedBaseUrl {
  readonly origin: string;
  readonly chapter: LibraryChapter;
  /** Whether its images are on the first-party domain, so that no report is due (spec 4.3). */
  readonly firstParty: boolean;
  /** The base URL itself is faulty. */
  readonly fault?: FaultName;
  /** In monotonic time. */
  expiresAtMs: number;
}

/** `page` is absent if the base URL is right and the rest of the URL is wrong. */
export type FoundPage =
  | { readonly base: IssuedBaseUrl; readonly page?: undefined }
  | {
      readonly base: IssuedBaseUrl;
      readonly page: LibraryPage;
      readonly quality: Quality;
      /** From 0. */
      readonly index: number;
    };

/** The start of every base URL's path. */
export const BASE_PATH_START = '/edge/';

/** The form that equivalent URLs share; text that is not a URL is returned unchanged. */
function normalizeUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  return new URL(text).href.replace(/%[\da-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
  });
}

export class IssuedBaseUrls {
  readonly #byUrl = new Map<string, IssuedBaseUrl>();

  issue(base: IssuedBaseUrl): string {
    const token = randomBytes(16).toString('hex');
    const url = `${base.origin}${BASE_PATH_START}v1%2Fpractice/~reader/${token}%3d`;
    this.#byUrl.set(normalizeUrl(url), base);
    return url;
  }

  /** Finds the page of a full URL, as it was requested or reported. */
  find(url: string): FoundPage | undefined {
    const segments = normalizeUrl(url).split('/');
    const [quality = '', hash, fileName] = segments.slice(-3);
    const base = this.#byUrl.get(segments.slice(0, -3).join('/'));
    if (!base) return undefined;
    if (!isQuality(quality) || hash !== base.chapter.hash) return { base };
    const pages = base.chapter.pages(quality);
    const index = pages.findIndex((page) => page.fileName === fileName);
    const page = pages[index];
    return page ? { base, page, quality, index } : { base };
  }

  expireAll(): void {
    for (const base of this.#byUrl.values()) base.expiresAtMs = 0;
  }
}

const isQuality = (text: string): text is Quality => text === 'data' || text === 'data-saver';

/** The URL's origin; the first node stands for those on port 443. */
export type NextOrigin = (fault: FaultName | undefined, onPort443: boolean) => string;

const PARAMETERS = { forcePort443: oneOf('true', 'false') };

interface AtHomeDeps {
  readonly library: Library;
  readonly baseUrls: IssuedBaseUrls;
  readonly plans: readonly PageFaultPlan[];
  /** The origin of the next base URL: each call may return another node, unless it must be on port 443. */
  readonly nextOrigin: NextOrigin;
  /** Whether pages are on the first-party domain (spec 4.3). */
  readonly firstParty: boolean;
  readonly baseUrlMs: number;
  nowMs(): number;
}

/** GET /at-home/server/{id} (spec 4.2): the base URL and the page names of a chapter. */
export function atHomeEndpoint(deps: AtHomeDeps): Endpoint {
  const attempts = new Map<string, number>();
  return getWithQuery('/at-home/server/{id}', PARAMETERS, (query, { ids: [id = ''] }) => {
    const chapter = deps.library.chapter(id);
    const pages = chapter?.pages('data') ?? [];
    if (!chapter || chapter.attributes.isUnavailable || pages.length === 0) {
      return notFound('Chapter not found');
    }
    const attempt = (attempts.get(chapter.id) ?? 0) + 1;
    attempts.set(chapter.id, attempt);
    const fault = findFault({ chapter: chapter.id, attempt }, deps.plans);
    const baseUrl = deps.baseUrls.issue({
      origin: deps.nextOrigin(fault, query.one('forcePort443') === 'true'),
      chapter,
      firstParty: deps.firstParty,
      expiresAtMs: deps.nowMs() + deps.baseUrlMs,
      fault,
    });
    return jsonResponse(200, {
      result: 'ok',
      baseUrl,
      chapter: {
        hash: chapter.hash,
        data: pages.map((page) => page.fileName),
        dataSaver: chapter.pages('data-saver').map((page) => page.fileName),
      },
    });
  });
}
