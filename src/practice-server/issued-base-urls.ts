/**
 * The base URLs that the service has handed out (spec 2.4). Each is good for one chapter and for a while, and
 * has what clients get wrong: a path prefix, `%2F`, `~`, and a trailing token with an escape in lower case. Page
 * addresses are compared as RFC 3986 section 6.2.2 does, since HTTP libraries normalise them.
 */
import { randomBytes } from 'node:crypto';
import type { FaultName } from './page-faults.js';
import type { LibraryChapter, LibraryPage, Quality } from './library/library.js';

interface IssuedBaseUrl {
  readonly baseUrl: string;
  readonly chapter: LibraryChapter;
  /** Where the pages come from the own domain, no report is due. */
  readonly own: boolean;
  /** The base URL is bad from the start. */
  readonly fault?: FaultName;
  /** By the clock's monotonic count. */
  expiresAtMs: number;
}

export interface FoundPage {
  readonly issued: IssuedBaseUrl;
  /** Absent where the base URL is right and the rest is not. */
  readonly place?: {
    readonly quality: Quality;
    readonly index: number;
    readonly page: LibraryPage;
  };
}

export interface BaseUrls {
  issue(base: {
    origin: string;
    chapter: LibraryChapter;
    own: boolean;
    expiresAtMs: number;
    fault?: FaultName;
  }): IssuedBaseUrl;
  /** What a page's full address, as it was sent or reported, stands for. */
  find(url: string): FoundPage | undefined;
  all(): Iterable<IssuedBaseUrl>;
}

/** What every path of a base URL begins with. */
export const BASE_PATH_START = '/edge/';

const QUALITIES: readonly Quality[] = ['data', 'data-saver'];

/** The form that equivalent URLs share (RFC 3986, section 6.2.2); a string that is not a URL stays as it is. */
function normalizeUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  return new URL(text).href.replace(/%[\da-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
  });
}

/** Percent-encoding is not case-sensitive: HTTP clients turn `%3d` into `%3D` (RFC 3986, section 6.2.2.1). */
function normalized(url: string): string {
  return url.replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase());
}

export function createBaseUrls(): BaseUrls {
  const byUrl = new Map<string, IssuedBaseUrl>();
  return {
    issue({ origin, ...rest }) {
      const token = randomBytes(16).toString('hex');
      const baseUrl = `${origin}${BASE_PATH_START}v1%2Fpractice/~reader/${token}%3d`;
      const issued: IssuedBaseUrl = { baseUrl, ...rest };
      byUrl.set(normalizeUrl(baseUrl), issued);
      return issued;
    },
    find(url) {
      const segments = normalizeUrl(url).split('/');
      const [segment, hash, fileName] = segments.slice(-3);
      const issued = byUrl.get(normalized(segments.slice(0, -3).join('/')));
      if (!issued) return undefined;
      const quality = QUALITIES.find((known) => known === segment);
      if (!quality || hash !== issued.chapter.hash) return { issued };
      const pages = issued.chapter.pages(quality);
      const index = pages.findIndex((page) => page.fileName === fileName);
      const page = pages[index];
      return page ? { issued, place: { quality, index, page } } : { issued };
    },
    all: () => byUrl.values(),
  };
}
