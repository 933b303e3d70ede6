/**
 * What the logged-in account follows, its reading statuses, and the chapters that it has read. The service has
 * announced that subscriptions to lists are to replace follows: all of these endpoints are in this file, except the feed
 * of the followed titles (feeds.ts).
 */
import { isUuid } from '../core/uuid.js';
import type { ServiceClient } from './client.js';
import { appendAll, chunk } from './catalogue/collection.js';
import { CollectionReader, type CollectionOptions } from './catalogue/entities.js';
import { parseWith } from './catalogue/parse-response.js';
import { READING_STATUSES, type ReadingStatus } from '../config/reading-statuses.js';
import { TITLE_INCLUDES, titleSchema, toTitle, type Title } from './titles.js';
import { ServiceRefusal } from './requests/api-errors.js';

/** The titles that the account follows, with their people and covers. One request per 100. */
export async function fetchFollowedTitles(
  client: ServiceClient,
  options: CollectionOptions,
): Promise<Title[]> {
  const path = '/user/follows/manga';
  const reader = new CollectionReader(client, path, titleSchema, options);
  const parameters = appendAll(new URLSearchParams(), 'includes', TITLE_INCLUDES);
  return (await reader.readAll(parameters)).map((entity) => toTitle(entity, client));
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

const MAX_CHAPTERS = 100;
/** In the address of one request. */
const MAX_TITLES = 100;
/** The service does not have the endpoint. */
const UNSUPPORTED_STATUSES: readonly number[] = [404, 405];

/** The ids of the chapters of these titles that are marked as read; undefined if the service does not say which. */
export async function fetchReadMarkers(
  client: ServiceClient,
  titleIds: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const read = new Set<string>();
  const parser = parseWith(({ readMarkers }) => readMarkers);
  for (const ids of chunk(titleIds, MAX_TITLES)) {
    const query = new URLSearchParams(ids.map((id): [string, string] => ['ids[]', id]));
    try {
      const { data } = await client.api({
        method: 'GET',
        path: '/manga/read',
        query,
        parser,
        signal,
      });
      const chapterIds = Array.isArray(data) ? data : Object.values(data).flat();
      for (const id of chapterIds) read.add(id.toLowerCase());
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      return undefined;
    }
  }
  return read;
}

/** Marks chapters of one title, or of an unknown one. */
export async function markRead(
  client: ServiceClient,
  titleId: string | undefined,
  chapterIds: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const post = (path: string, json?: unknown) =>
    client.api({
      method: 'POST',
      path,
      json,
      parser: parseWith(({ okResult }) => okResult),
      signal,
    });
  const markEach = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) await post(`/chapter/${id}/read`);
  };
  if (titleId === undefined) return markEach(chapterIds);
  for (const ids of chunk(chapterIds, MAX_CHAPTERS)) {
    try {
      await post(`/manga/${titleId}/read`, { chapterIdsRead: ids, chapterIdsUnread: [] });
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      await markEach(ids);
    }
  }
}

function isUnsupported(error: unknown): boolean {
  return error instanceof ServiceRefusal && UNSUPPORTED_STATUSES.includes(error.status);
}
