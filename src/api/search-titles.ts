/** Titles by their names, the best match first. */
import { UsageError } from '../core/errors.js';
import { collectionQuery, MAX_PAGE_SIZE } from './collection.js';
import type { ServiceClient } from './client.js';
import { CollectionReader, type CollectionOptions } from './collection-reader.js';
import { withRatings } from './query.js';
import { toTitle, type Title } from './titles.js';

export interface TitleSearchOptions extends CollectionOptions {
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
  wish: TitleSearchOptions = {},
): Promise<Title[]> {
  const title = words.replace(/\s+/gu, ' ').trim();
  const limit = wish.limit ?? USUAL_LIMIT;
  if (title === '') throw new UsageError('bad-option', 'There are no words to search for.');
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE_SIZE) {
    throw new UsageError(
      'bad-option',
      `A search finds 1 to ${MAX_PAGE_SIZE} titles, not ${limit}.`,
    );
  }
  const query = withRatings(collectionQuery(0, limit));
  query.append('title', title);
  query.append('order[relevance]', 'desc');
  for (const language of wish.languages ?? []) {
    query.append('availableTranslatedLanguage[]', language);
  }
  const reader = new CollectionReader(client, '/manga', (it) => it.titleEntity, wish);
  const { items } = await reader.readPage(query);
  reader.finish();
  return items.map(toTitle);
}
