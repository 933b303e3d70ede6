/**
 * The chapters of a title or of a list. The service shows the first 10,000 of a collection (spec 8.4); a longer
 * feed is walked on from the last chapter's moment of creation, and what is seen twice at the seam counts once.
 */
import { MAX_COLLECTION_END, collectionQuery, MAX_FEED_PAGE_SIZE } from './collection.js';
import type { ServiceClient } from './client.js';
import { ServiceError } from '../core/errors.js';
import type { ChapterEntity } from './response-schemas.js';
import { toChapter, type Chapter } from './chapters.js';
import { CollectionReader, type CollectionOptions } from './collection-reader.js';
import { formatSince, withRatings } from './query.js';

export interface FeedOptions extends CollectionOptions {
  /** Only these; all where there are none. */
  readonly languages?: readonly string[];
}

/** All chapters of a title, oldest first; the groups come along. One call for each 500. */
export function fetchTitleFeed(
  client: ServiceClient,
  titleId: string,
  wish: FeedOptions = {},
): Promise<Chapter[]> {
  return fetchFeed(client, `/manga/${titleId}/feed`, wish);
}

/** All chapters of all titles of a list, oldest first; the groups come along. One call for each 500. */
export function fetchListFeed(
  client: ServiceClient,
  listId: string,
  wish: FeedOptions = {},
): Promise<Chapter[]> {
  return fetchFeed(client, `/list/${listId}/feed`, wish);
}

/** No title comes near it; a feed that goes on and on is not followed for ever. */
const MOST_CHAPTERS = 200_000;

async function fetchFeed(
  client: ServiceClient,
  path: string,
  wish: FeedOptions,
): Promise<Chapter[]> {
  const found = new Map<string, Chapter>();
  const reader = new CollectionReader(client, path, (it) => it.chapterEntity, wish);
  let since: Date | undefined;
  for (;;) {
    const last = await walkWindow(reader, wish, since, found);
    if (last === undefined) {
      reader.finish();
      return [...found.values()];
    }
    const movedOn = last.createdAt && (!since || last.createdAt > since);
    if (!movedOn || found.size > MOST_CHAPTERS) {
      throw new ServiceError('bad-answer', `The feed ${path} cannot be walked to its end.`);
    }
    since = last.createdAt;
  }
}

/**
 * Adds what one window of 10,000 shows. Resolves with its last chapter where there is more behind it, with
 * `undefined` at the feed's end.
 */
async function walkWindow(
  reader: CollectionReader<ChapterEntity>,
  wish: FeedOptions,
  since: Date | undefined,
  found: Map<string, Chapter>,
): Promise<Chapter | undefined> {
  let last: Chapter | undefined;
  for (let offset = 0; offset < MAX_COLLECTION_END;) {
    const { items, received, total } = await reader.readPage(feedQuery(offset, wish, since));
    for (const entity of items) {
      last = toChapter(entity);
      found.set(last.id, last);
    }
    offset += received;
    if (received === 0 || offset >= total) return undefined;
  }
  return last;
}

function feedQuery(offset: number, wish: FeedOptions, since: Date | undefined): URLSearchParams {
  const size = Math.min(MAX_FEED_PAGE_SIZE, MAX_COLLECTION_END - offset);
  const query = withRatings(collectionQuery(offset, size));
  for (const language of wish.languages ?? []) query.append('translatedLanguage[]', language);
  query.append('includes[]', 'scanlation_group');
  query.append('order[createdAt]', 'asc');
  if (since) query.append('createdAtSince', formatSince(since));
  return query;
}
