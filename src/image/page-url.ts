/**
 * The address of a page, by the rule of spec 4.2: base URL, quality segment, chapter hash and file name, joined
 * as the strings they are. The base URL is opaque: nothing of it is decoded, normalised or trimmed.
 */
import { LoadError } from '../core/errors.js';
import { printableLine } from '../core/printable.js';
import { isSafeAddress } from '../core/web-address.js';

/** How much of a base URL a message shows. */
const MAX_SHOWN = 80;

export type Quality = 'data' | 'data-saver';

export interface PageLocation {
  readonly baseUrl: string;
  readonly quality: Quality;
  readonly hash: string;
  readonly fileName: string;
}

/** One segment of a path and nothing more: no separator, no dots alone, nothing that ends or escapes a path. */
const PLAIN_SEGMENT = /^(?!\.{1,2}$)[^/\\?#\p{Cc}]{1,255}$/u;

/** Whether `name` can stand as one segment of a page's address, and so of a path on this machine. */
export function isPathSegment(name: string): boolean {
  return PLAIN_SEGMENT.test(name);
}

/**
 * The address to load. Throws LoadError('bad-page-url') where the string is no address, is neither https: nor
 * loopback http:, has a query or a fragment, or would be changed on its way (dot segments, backslashes, a user name).
 */
export function pageUrl({ baseUrl, quality, hash, fileName }: PageLocation): URL {
  const text = `${baseUrl}/${quality}/${hash}/${fileName}`;
  if (/\p{Cs}/u.test(text) || !URL.canParse(text)) {
    throw new LoadError(
      'bad-page-url',
      `The base URL makes no web address: ${printableLine(baseUrl, MAX_SHOWN)}`,
    );
  }
  const url = new URL(text);
  if (!isSafeAddress(url)) {
    throw new LoadError(
      'bad-page-url',
      `A page is loaded over https: alone, not from ${printableLine(baseUrl, MAX_SHOWN)}`,
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw new LoadError(
      'bad-page-url',
      `The base URL has a query or a fragment: ${printableLine(baseUrl, MAX_SHOWN)}`,
    );
  }
  if (url.username !== '' || url.password !== '' || !survives(text, url)) {
    throw new LoadError(
      'bad-page-url',
      `The base URL would not survive being asked for: ${printableLine(baseUrl, MAX_SHOWN)}`,
    );
  }
  return url;
}

/** Parsing may lower-case the host and percent-encode a stray character; it must not move the path. */
function survives(text: string, url: URL): boolean {
  const path = text.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  return decoded(url.pathname) === decoded(path);
}

function decoded(path: string): string {
  return encodeURI(path).replace(/%25([0-9a-f]{2})/gi, '%$1');
}

/** The digest that a page's name carries, lower-case hex, as the live service's do (public-facts, "Image delivery"). */
export function digestInFileName(fileName: string): string | undefined {
  return /^[a-z]?\d+-([0-9a-f]{64})\.[a-z]+$/i.exec(fileName)?.[1]?.toLowerCase();
}
