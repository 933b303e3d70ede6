/**
 * Marks chapters as read for the user. The chapters of one title take one request if the service supports that;
 * otherwise each has its own, within the quota of `POST /chapter/{id}/read` (spec 8.3).
 */
import { ServiceRefusal } from './api-errors.js';
import type { ServiceClient } from './client.js';
import { chunk } from './catalogue/collection.js';
import { parseWith } from './catalogue/parse-response.js';

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
      for (const id of data) read.add(id.toLowerCase());
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
