/** Titles by their names, the best match first. */
import { UsageError } from '../kernel/errors.js';
import { collectionQuery, LARGEST_PAGE } from '../service/collection.js';
import type { ServiceClient } from '../service/client.js';
import { withRatings } from './query.js';
import { shapedAs } from './shape.js';
import { readTitle, type Title } from './title.js';

export interface SearchWish {
  /** How many at most, 1 to 100; 20 where not given. */
  readonly limit?: number;
  /** Only titles with chapters in one of these languages. */
  readonly languages?: readonly string[];
  readonly signal?: AbortSignal;
}

const USUAL_LIMIT = 20;

/** One call. Throws UsageError `bad-option` for empty words or a limit out of its range. */
export async function searchTitles(
  client: ServiceClient,
  words: string,
  wish: SearchWish = {},
): Promise<Title[]> {
  const title = words.replace(/\s+/gu, ' ').trim();
  const limit = wish.limit ?? USUAL_LIMIT;
  if (title === '') throw new UsageError('bad-option', 'There are no words to search for.');
  if (!Number.isInteger(limit) || limit < 1 || limit > LARGEST_PAGE) {
    throw new UsageError('bad-option', `A search finds 1 to ${LARGEST_PAGE} titles, not ${limit}.`);
  }
  const query = withRatings(collectionQuery(0, limit));
  query.append('title', title);
  query.append('order[relevance]', 'desc');
  for (const language of wish.languages ?? []) {
    query.append('availableTranslatedLanguage[]', language);
  }
  const answer = await client.api({
    method: 'GET',
    path: '/manga',
    query,
    shape: shapedAs(({ collection, titleEntity }) => collection(titleEntity)),
    ...(wish.signal && { signal: wish.signal }),
  });
  return answer.data.map(readTitle);
}
