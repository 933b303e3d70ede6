/** Titles by their names, the best match first. */
import { UsageError } from '../kernel/errors.js';
import { collectionQuery, LARGEST_PAGE } from '../service/collection.js';
import type { ServiceClient } from '../service/client.js';
import { CollectionReader, type CatalogueOptions } from './collection-reader.js';
import { withRatings } from './query.js';
import { readTitle, type Title } from './title.js';

export interface SearchWish extends CatalogueOptions {
  /** How many at most, 1 to 100; 20 where not given. */
  readonly limit?: number;
  /** Only titles with chapters in one of these languages. */
  readonly languages?: readonly string[];
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
  const reader = new CollectionReader(client, '/manga', (it) => it.titleEntity, wish);
  const { items } = await reader.page(query);
  reader.finish();
  return items.map(readTitle);
}
