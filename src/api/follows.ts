/**
 * What the logged-in account follows, and its reading statuses. The service has announced that subscriptions to lists
 * are to replace follows: all of these endpoints are in this file.
 */
import { isUuid } from '../core/uuid.js';
import { chapterSchema, toChapter, type Chapter } from './chapters.js';
import type { ServiceClient } from './client.js';
import { appendAll, MAX_PAGE_SIZE } from './collection.js';
import { CollectionReader } from './entities.js';
import { feedParameters, readFeed, type FeedOptions } from './feeds.js';
import { parseWith } from './parse-response.js';
import { READING_STATUSES, type ReadingStatus } from './reading-statuses.js';
import { TITLE_INCLUDES, titleSchema, toTitle, type Title } from './titles.js';

const FEED_PATH = '/user/follows/manga/feed';

/** All chapters of all followed titles with their groups, oldest first. One request per 500. */
export function fetchFollowedFeed(client: ServiceClient, options: FeedOptions): Promise<Chapter[]> {
  return readFeed(client, FEED_PATH, options);
}

/**
 * The chapters of followed titles that became readable at `sinceMs` or later, newest first, usually by one request: it
 * reads pages of 100 until one ends with an older chapter. No `…Since` filter expresses this, since a chapter may become
 * readable long after its creation. Resolves with undefined if there are more than the service lists (spec 8.4).
 */
export async function fetchFollowedSince(
  client: ServiceClient,
  sinceMs: number,
  options: FeedOptions,
): Promise<Chapter[] | undefined> {
  const reader = new CollectionReader(client, FEED_PATH, chapterSchema, options);
  const found: Chapter[] = [];
  const parameters = feedParameters(options.languages);
  parameters.append('order[readableAt]', 'desc');
  for await (const { items, isLast } of reader.pages(MAX_PAGE_SIZE, parameters)) {
    const chapters = items.map(toChapter);
    found.push(...chapters.filter((chapter) => readableMs(chapter) >= sinceMs));
    const oldest = chapters.at(-1);
    if (!isLast && (!oldest || readableMs(oldest) >= sinceMs)) continue;
    reader.finish();
    return found;
  }
  return undefined;
}

/** When the chapter became readable. An unknown time counts as now. */
export function readableMs({ readableAt, publishAt, createdAt }: Chapter): number {
  return (readableAt ?? publishAt ?? createdAt)?.getTime() ?? Number.POSITIVE_INFINITY;
}

/** The titles that the account follows, with their people and covers. One request per 100. */
export async function fetchFollowedTitles(
  client: ServiceClient,
  options: FeedOptions,
): Promise<Title[]> {
  const path = '/user/follows/manga';
  const reader = new CollectionReader(client, path, titleSchema, options);
  const parameters = appendAll(new URLSearchParams(), 'includes', TITLE_INCLUDES);
  return (await reader.readAll(parameters)).map(toTitle);
}

/** The reading status of each title in the account's library, by one request. Unknown statuses are left out. */
export async function fetchReadingStatuses(
  client: ServiceClient,
  signal?: AbortSignal,
): Promise<Map<string, ReadingStatus>> {
  const { statuses } = await client.api({
    method: 'GET',
    path: '/manga/status',
    parser: parseWith((schemas) => schemas.readingStatuses),
    signal,
  });
  return new Map(
    Object.entries(statuses).flatMap(([id, status]) => {
      const known = READING_STATUSES.find((each) => each === status);
      return isUuid(id) && known ? [[id.toLowerCase(), known] as const] : [];
    }),
  );
}
