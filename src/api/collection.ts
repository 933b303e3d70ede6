/**
 * The bounds of collections (spec 8.4): what the service would reject is refused here, before it is sent, with
 * a word on how to ask for less. The parameter that the specification's prose calls `size` is named in one place.
 */
import { UsageError } from '../core/errors.js';

const OFFSET_PARAMETER = 'offset';
/** The specification's "size"; the live service's own documentation and its published schema say `limit`. */
const SIZE_PARAMETER = 'limit';

/** `offset + size` may not be greater. */
export const MAX_COLLECTION_END = 10_000;
/** What `size` takes at most, as a rule. */
export const MAX_PAGE_SIZE = 100;
/** What `size` takes at most at the few feeds that allow more. */
export const MAX_FEED_PAGE_SIZE = 500;

/** The query of one piece of a collection. Throws `bad-option` where it would reach too far. */
export function collectionQuery(offset: number, size: number): URLSearchParams {
  const query = new URLSearchParams({
    [SIZE_PARAMETER]: String(size),
    [OFFSET_PARAMETER]: String(offset),
  });
  checkCollectionEnd(query);
  return query;
}

/** How many entries a query asks for; 0 where it does not say it. */
export function requestedSize(query: URLSearchParams): number {
  return Number(query.get(SIZE_PARAMETER) ?? 0);
}

/** Refuses a query that the service would reject for its reach. A query without the two parameters passes. */
export function checkCollectionEnd(query: URLSearchParams): void {
  const offset = Number(query.get(OFFSET_PARAMETER) ?? 0);
  const size = requestedSize(query);
  if (offset + size <= MAX_COLLECTION_END) return;
  throw new UsageError(
    'bad-option',
    `The service lists no more than the first ${MAX_COLLECTION_END} entries; entries ${offset + 1} to ${offset + size} were asked for.`,
    {
      hint: 'Narrow the search until it finds fewer: by language, group, chapters or volumes, or by date.',
    },
  );
}
