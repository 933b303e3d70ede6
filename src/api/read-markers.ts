/**
 * Marks chapters as read for the user who is logged in. Chapters of one title go in one call where the service
 * offers that; else each has its own, within the quota of `POST /chapter/{id}/read` (spec 8.3).
 */
import type { ServiceClient } from './client.js';
import { ServiceRefusal } from './api-errors.js';
import { chunk } from './query.js';
import { parseWith } from './parse-response.js';

const MOST_AT_ONCE = 100;
/** The service has no such endpoint. */
const NOT_OFFERED: readonly number[] = [404, 405];

/** Marks chapters of one title, or of no title that is known. Throws what the requests throw. */
export async function markRead(
  client: ServiceClient,
  titleId: string | undefined,
  chapterIds: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  if (titleId === undefined) return markEach(client, chapterIds, signal);
  for (const ids of chunk(chapterIds, MOST_AT_ONCE)) {
    try {
      await client.api({
        method: 'POST',
        path: `/manga/${titleId}/read`,
        json: { chapterIdsRead: ids, chapterIdsUnread: [] },
        parser: parseWith(({ done }) => done),
        ...(signal && { signal }),
      });
    } catch (error) {
      if (!(error instanceof ServiceRefusal) || !NOT_OFFERED.includes(error.status)) throw error;
      await markEach(client, ids, signal);
    }
  }
}

async function markEach(
  client: ServiceClient,
  chapterIds: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const id of chapterIds) {
    await client.api({
      method: 'POST',
      path: `/chapter/${id}/read`,
      parser: parseWith(({ done }) => done),
      ...(signal && { signal }),
    });
  }
}
