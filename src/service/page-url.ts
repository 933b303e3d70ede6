/**
 * The URL of a page by the rule of spec 4.2: base URL, quality, chapter hash and file name, joined as strings. The
 * base URL is opaque: it is not decoded, normalised or trimmed.
 */
import type { Quality } from '../config/quality.js';
import { LoadError } from '../core/errors.js';
import { printableLine } from '../core/printable.js';
import { isSafeAddress } from '../core/web-address.js';

const MAX_SHOWN_LENGTH = 80;

export interface PageLocation {
  readonly baseUrl: string;
  readonly quality: Quality;
  readonly hash: string;
  readonly fileName: string;
}

/** No separators, no control characters, not `.` or `..`. */
const PATH_SEGMENT = /^(?!\.{1,2}$)[^/\\?#\p{Cc}]{1,255}$/u;

/** Whether `name` is safe as one segment of a URL's path, and so of a path on this machine. */
export function isPathSegment(name: string): boolean {
  return PATH_SEGMENT.test(name);
}

/**
 * Throws LoadError('bad-page-url') if the result is not a URL, is neither https: nor loopback http:, has credentials,
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
