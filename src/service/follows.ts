/**
 * What the logged-in account follows, and its reading statuses. The service has announced that subscriptions to lists
 * are to replace follows: all of these endpoints are in this file.
 */
import { isUuid } from '../core/uuid.js';
import type { ServiceClient } from './client.js';
import { appendAll } from './catalogue/collection.js';
import { CollectionReader, type CollectionOptions } from './catalogue/entities.js';
import type { Feed } from './feeds.js';
import { parseWith } from './catalogue/parse-response.js';
import { READING_STATUSES, type ReadingStatus } from '../config/reading-statuses.js';
import { TITLE_INCLUDES, titleSchema, toTitle, type Title } from './titles.js';

/** The chapters of all titles that the account follows. */
export const FOLLOWED_FEED: Feed = { path: '/user/follows/manga/feed' };

/** The titles that the account follows, with their people and covers. One request per 100. */
export async function fetchFollowedTitles(
  client: ServiceClient,
  options: CollectionOptions,
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
