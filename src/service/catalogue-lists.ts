/** The chapters and titles of a scanlation group, and the titles of an author or artist. Read without a token. */
import type { ServiceClient } from './client.js';
import {
  appendAll,
  MAX_COLLECTION_END,
  MAX_PAGE_SIZE,
  withRatings,
} from './catalogue/collection.js';
import { ServiceError } from '../core/errors.js';
import { formatCount } from '../core/human-format.js';
import { CollectionReader, fetchEntity, type CollectionOptions } from './catalogue/entities.js';
import type { Feed } from './feeds.js';
import { TITLE_INCLUDES, titleSchema, toTitle, type Title } from './titles.js';

/** Also an artist is an author to the service. */
type TitleOwner = 'group' | 'author';

/** The parameters of `GET /manga` that keep the titles of an owner. */
const TITLE_FILTERS: Readonly<Record<TitleOwner, string>> = {
  group: 'group',
  author: 'authorOrArtist',
};

/** The name of a group or an author, by one request. Throws ServiceRefusal with status 404 if there is none. */
export async function fetchOwnerName(
  client: ServiceClient,
  owner: TitleOwner,
  id: string,
  signal?: AbortSignal,
): Promise<string> {
  const options = { signal };
  const entity =
    owner === 'group'
      ? fetchEntity(client, `/group/${id}`, (schemas) => schemas.groupEntity, options)
      : fetchEntity(client, `/author/${id}`, (schemas) => schemas.authorEntity, options);
  return (await entity).attributes.name;
}

/** The chapters of a group, with all their groups. */
export const groupFeed = (groupId: string): Feed => ({
  path: '/chapter',
  pageSize: MAX_PAGE_SIZE,
  filter: [['groups[]', groupId]],
});

/**
 * All titles with a chapter by the group, or by the author or artist, with their people and covers, oldest first. One
 * request per 100. Throws ServiceError `bad-response` for more than the service lists (spec 8.4).
 */
export async function fetchOwnedTitles(
  client: ServiceClient,
  owner: TitleOwner,
  id: string,
  options: CollectionOptions,
): Promise<Title[]> {
  const reader = new CollectionReader(client, '/manga', titleSchema, options);
  const parameters = withRatings(appendAll(new URLSearchParams(), 'includes', TITLE_INCLUDES));
  parameters.append(TITLE_FILTERS[owner], id);
  parameters.append('order[createdAt]', 'asc');
  const titles = new Map<string, Title>();
  for await (const { items, isLast } of reader.pages(MAX_PAGE_SIZE, parameters)) {
    for (const entity of items) titles.set(entity.id, toTitle(entity));
    if (!isLast) continue;
    reader.finish();
    return [...titles.values()];
  }
  throw new ServiceError(
    'bad-response',
    `MangaDex lists only the first ${formatCount(MAX_COLLECTION_END)} titles of ${owner}:${id}.`,
    { hint: 'Put the titles into lists on MangaDex, and pass these: list:UUID' },
  );
}
