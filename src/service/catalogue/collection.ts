/** Queries of collections, within the service's bounds (spec 8.4): a query that it would reject is not sent. */
import { UsageError } from '../../core/errors.js';

const OFFSET_PARAMETER = 'offset';
/** The specification calls it `size`; the service's documentation and schema call it `limit`. */
const SIZE_PARAMETER = 'limit';

/** The maximum of `offset + size`. */
export const MAX_COLLECTION_END = 10_000;
/** The maximum of `size`, except for feeds. */
export const MAX_PAGE_SIZE = 100;
export const MAX_FEED_PAGE_SIZE = 500;

/** The service leaves out the last one unless it is requested. */
const CONTENT_RATINGS = ['safe', 'suggestive', 'erotica', 'pornographic'] as const;

/** The query of one page of a collection. Throws `bad-option` if it ends beyond the maximum. */
export function collectionQuery(offset: number, size: number): URLSearchParams {
  const query = new URLSearchParams({
    [SIZE_PARAMETER]: String(size),
    [OFFSET_PARAMETER]: String(offset),
  });
  checkCollectionEnd(query);
  return query;
}

/** How many entries a query requests; 0 if it does not say. */
export function requestedSize(query: URLSearchParams): number {
  return Number(query.get(SIZE_PARAMETER) ?? 0);
}

/** Throws `bad-option` for a query that ends beyond the maximum. A query without the parameters passes. */
export function checkCollectionEnd(query: URLSearchParams): void {
  const offset = Number(query.get(OFFSET_PARAMETER) ?? 0);
  const end = offset + requestedSize(query);
  if (end <= MAX_COLLECTION_END) return;
  throw new UsageError(
    'bad-option',
    `The service lists only the first ${MAX_COLLECTION_END} entries: ${offset + 1} to ${end} were requested.`,
    { hint: 'Narrow the search: by language, group, chapters or volumes, or by date.' },
  );
}

/** Appends each value as `name[]`. */
export function appendAll(
  query: URLSearchParams,
  name: string,
  values: readonly string[] = [],
): URLSearchParams {
  for (const value of values) query.append(`${name}[]`, value);
  return query;
}

/** Requests entries of every content rating. */
export function withRatings(query: URLSearchParams): URLSearchParams {
  return appendAll(query, 'contentRating', CONTENT_RATINGS);
}

/** Requests chapters that were taken down too, which the service leaves out by default. */
export function withUnavailable(query: URLSearchParams): URLSearchParams {
  query.append('includeUnavailable', '1');
  return query;
}

/** The format of the service's `…Since` filters: UTC, whole seconds, without a zone. */
export function formatSince(date: Date): string {
  return date.toISOString().slice(0, 'YYYY-MM-DDThh:mm:ss'.length);
}

/** The list in parts of at most `size`. */
export function chunk<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}
