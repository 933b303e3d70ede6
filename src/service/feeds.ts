/**
 * Lists of titles, those of a group, an author or an artist, and the feeds of chapters of a title, a list or a group.
 * The service shows the first 10,000 entries of a collection (spec 8.4); a longer feed is continued from the creation
 * date of the last chapter, without duplicates.
 */
import { chapterSchema, toChapter, type Chapter } from './chapters.js';
import type { ServiceClient } from './client.js';
import {
  appendAll,
  collectionQuery,
  formatSince,
  MAX_FEED_PAGE_SIZE,
  MAX_PAGE_SIZE,
  withRatings,
  withUnavailable,
  MAX_COLLECTION_END,
} from './catalogue/collection.js';
import {
  CollectionReader,
  endlessCollection,
  fetchEntity,
  type CollectionOptions,
} from './catalogue/entities.js';
import { ServiceError } from '../core/errors.js';
import { formatCount } from '../core/human-format.js';
import { TITLE_INCLUDES, titleSchema, toTitle, type Title } from './titles.js';

interface TitleList {
  readonly id: string;
  readonly name: string;
  readonly titleIds: readonly string[];
}

/** What has a feed; `follows`: all titles that the account follows. */
type FeedSource =
  { readonly kind: 'title' | 'list' | 'group'; readonly id: string } | { readonly kind: 'follows' };

interface Feed {
  readonly path: string;
  /** 500 if absent. */
  readonly pageSize?: number;
  /** Parameters besides those of every feed. */
  readonly filter?: readonly (readonly [name: string, value: string])[];
}

function feedOf(source: FeedSource): Feed {
  switch (source.kind) {
    case 'title':
      return { path: `/manga/${source.id}/feed` };
    case 'list':
      return { path: `/list/${source.id}/feed` };
    case 'group':
      return { path: '/chapter', pageSize: MAX_PAGE_SIZE, filter: [['groups[]', source.id]] };
    case 'follows':
      return { path: '/user/follows/manga/feed' };
  }
}

interface FeedOptions extends CollectionOptions {
  /** All languages if absent or empty. */
  readonly languages?: readonly string[];
}

/** A list, by one request. Throws ServiceRefusal with status 404 if it is not found or private. */
export async function fetchList(
  client: ServiceClient,
  listId: string,
  signal?: AbortSignal,
): Promise<TitleList> {
  const list = await fetchEntity(client, `/list/${listId}`, (schemas) => schemas.listEntity, {
    signal,
  });
  const titles = list.relationships.filter(({ type }) => type === 'manga');
  return {
    id: list.id,
    name: list.attributes.name,
    titleIds: [...new Set(titles.map(({ id }) => id))],
  };
}

/** All chapters of a title with their groups, also those that were taken down, oldest first. One request per 500. */
export function fetchTitleFeed(
  client: ServiceClient,
  titleId: string,
  options: FeedOptions = {},
): Promise<Chapter[]> {
  return readFeed(client, { kind: 'title', id: titleId }, options);
}

/** The number of chapters of a title in all languages, by one request. */
export async function fetchFeedTotal(
  client: ServiceClient,
  titleId: string,
  signal?: AbortSignal,
): Promise<number> {
  const { path } = feedOf({ kind: 'title', id: titleId });
  const reader = new CollectionReader(client, path, chapterSchema, { signal });
  const { total } = await reader.readPage(withUnavailable(withRatings(collectionQuery(0, 1))));
  return total;
}

/** The query of a feed: chapters in these languages, also those that were taken down, with their groups. */
function feedParameters({ filter = [] }: Feed, { languages }: FeedOptions): URLSearchParams {
  const parameters = withUnavailable(withRatings(new URLSearchParams()));
  appendAll(parameters, 'translatedLanguage', languages);
  appendAll(parameters, 'includes', ['scanlation_group']);
  for (const [name, value] of filter) parameters.append(name, value);
  return parameters;
}

/** All chapters with their groups, oldest first, read in windows of 10,000. One request for each page. */
export async function readFeed(
  client: ServiceClient,
  source: FeedSource,
  options: FeedOptions,
): Promise<Chapter[]> {
  const feed = feedOf(source);
  const { path, pageSize = MAX_FEED_PAGE_SIZE } = feed;
  const chapters = new Map<string, Chapter>();
  const reader = new CollectionReader(client, path, chapterSchema, options);
  for (let since: Date | undefined; ;) {
    const parameters = feedParameters(feed, options);
    parameters.append('order[createdAt]', 'asc');
    if (since) parameters.append('createdAtSince', formatSince(since));
    let last: Chapter | undefined;
    for await (const { items, isLast } of reader.pages(pageSize, parameters)) {
      for (const entity of items) {
        last = toChapter(entity, client);
        chapters.set(last.id, last);
      }
      if (!isLast) continue;
      reader.finish();
      return [...chapters.values()];
    }
    const isAdvancing = last?.createdAt && (!since || last.createdAt > since);
    if (!isAdvancing) throw endlessCollection(path);
    since = last?.createdAt;
  }
}

/**
 * The chapters that became readable at `sinceMs` or later, newest first, usually by one request: it reads pages of 100
 * until one ends with an older chapter. No `…Since` filter expresses this, since a chapter may become readable long
 * after its creation. Resolves with undefined if there are more than the service lists (spec 8.4).
 */
export async function readFeedSince(
  client: ServiceClient,
  source: FeedSource,
  sinceMs: number,
  options: FeedOptions,
): Promise<Chapter[] | undefined> {
  const feed = feedOf(source);
  const reader = new CollectionReader(client, feed.path, chapterSchema, options);
  const found: Chapter[] = [];
  const parameters = feedParameters(feed, options);
  parameters.append('order[readableAt]', 'desc');
  for await (const { items, isLast } of reader.pages(MAX_PAGE_SIZE, parameters)) {
    const chapters = items.map((entity) => toChapter(entity, client));
    for (const each of chapters.filter((chapter) => readableMs(chapter) >= sinceMs))
      found.push(each);
    const oldest = chapters.at(-1);
    if (!isLast && (!oldest || readableMs(oldest) >= sinceMs)) continue;
    reader.finish();
    return found;
  }
  return undefined;
}

/** When the chapter became readable. An unknown time counts as now. */
function readableMs({ readableAt, publishAt, createdAt }: Chapter): number {
  return (readableAt ?? publishAt ?? createdAt)?.getTime() ?? Number.POSITIVE_INFINITY;
}

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
    for (const entity of items) titles.set(entity.id, toTitle(entity, client));
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
