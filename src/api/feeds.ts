/**
 * Lists of titles, and the feeds of chapters of a title or a list. The service shows the first 10,000 entries of a
 * collection (spec 8.4); a longer feed is continued from the creation date of the last chapter, without duplicates.
 */
import { ServiceError } from '../core/errors.js';
import { toChapter, type Chapter } from './chapters.js';
import type { ServiceClient } from './client.js';
import {
  appendAll,
  collectionQuery,
  formatSince,
  MAX_COLLECTION_END,
  MAX_FEED_PAGE_SIZE,
  withRatings,
} from './collection.js';
import { CollectionReader, type CollectionOptions } from './collection-reader.js';
import { parseWith } from './parse-response.js';
import type { ChapterEntity } from './response-schemas.js';

export interface TitleList {
  readonly id: string;
  readonly name: string;
  readonly titleIds: readonly string[];
}

export interface FeedOptions extends CollectionOptions {
  /** All languages if absent or empty. */
  readonly languages?: readonly string[];
}

/** A list, by one request. Throws ServiceRefusal with status 404 if it is not found or private. */
export async function fetchList(
  client: ServiceClient,
  listId: string,
  signal?: AbortSignal,
): Promise<TitleList> {
  const { data } = await client.api({
    method: 'GET',
    path: `/list/${listId}`,
    parser: parseWith(({ single, listEntity }) => single(listEntity)),
    signal,
  });
  const titles = data.relationships.filter(({ type }) => type === 'manga');
  return {
    id: data.id,
    name: data.attributes.name,
    titleIds: [...new Set(titles.map(({ id }) => id))],
  };
}

/** All chapters of a title with their groups, oldest first. One request per 500. */
export function fetchTitleFeed(
  client: ServiceClient,
  titleId: string,
  options: FeedOptions = {},
): Promise<Chapter[]> {
  return readFeed(client, `/manga/${titleId}/feed`, options);
}

/** The number of chapters of a title in all languages, by one request. */
export async function fetchFeedTotal(
  client: ServiceClient,
  titleId: string,
  signal?: AbortSignal,
): Promise<number> {
  const reader = new CollectionReader(client, `/manga/${titleId}/feed`, (it) => it.chapterEntity, {
    signal,
  });
  const { total } = await reader.readPage(withRatings(collectionQuery(0, 1)));
  return total;
}

/** All chapters of all titles of a list with their groups, oldest first. One request per 500. */
export function fetchListFeed(
  client: ServiceClient,
  listId: string,
  options: FeedOptions = {},
): Promise<Chapter[]> {
  return readFeed(client, `/list/${listId}/feed`, options);
}

/** Far more than any title has: a limit for feeds that never end. */
const MAX_CHAPTERS = 200_000;

/** All chapters of the feed at `path`, oldest first. */
export async function readFeed(
  client: ServiceClient,
  path: string,
  options: FeedOptions,
): Promise<Chapter[]> {
  const chapters = new Map<string, Chapter>();
  const reader = new CollectionReader(client, path, (it) => it.chapterEntity, options);
  let since: Date | undefined;
  for (;;) {
    const last = await readWindow(reader, options, since, chapters);
    if (last === undefined) {
      reader.finish();
      return [...chapters.values()];
    }
    const isAdvancing = last.createdAt && (!since || last.createdAt > since);
    if (!isAdvancing || chapters.size > MAX_CHAPTERS) {
      throw new ServiceError(
        'bad-answer',
        `Unexpected response from the service: the feed does not end: ${path}.`,
      );
    }
    since = last.createdAt;
  }
}

/** Adds a window of up to 10,000 chapters. Resolves with its last one; with undefined at the end of the feed. */
async function readWindow(
  reader: CollectionReader<ChapterEntity>,
  { languages }: FeedOptions,
  since: Date | undefined,
  chapters: Map<string, Chapter>,
): Promise<Chapter | undefined> {
  let last: Chapter | undefined;
  for (let offset = 0; offset < MAX_COLLECTION_END;) {
    const size = Math.min(MAX_FEED_PAGE_SIZE, MAX_COLLECTION_END - offset);
    const query = withRatings(collectionQuery(offset, size));
    appendAll(query, 'translatedLanguage', languages);
    appendAll(query, 'includes', ['scanlation_group']);
    query.append('order[createdAt]', 'asc');
    if (since) query.append('createdAtSince', formatSince(since));
    const { items, received, total } = await reader.readPage(query);
    for (const entity of items) {
      last = toChapter(entity);
      chapters.set(last.id, last);
    }
    offset += received;
    if (received === 0 || offset >= total) return undefined;
  }
  return last;
}
