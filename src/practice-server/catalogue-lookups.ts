/**
 * Requests of other clients: people and groups, covers and tags by id, a random title, a title's volumes, and statistics.
 */
import { randomInt } from 'node:crypto';
import { groupBy } from '../core/group-by.js';
import { titleCovers } from './catalogue-covers.js';
import { groupEntity, tagEntity, type Entities } from './catalogue-entities.js';
import { anyOf, select, type Filter } from './catalogue-filters.js';
import {
  anyText,
  includes,
  language,
  orders,
  paging,
  uuid,
  type CatalogueQuery,
  type QueryParameters,
} from './catalogue-query.js';
import {
  asObject,
  collectionResponse,
  entityEndpoint,
  entityOrNotFound,
  getWithQuery,
} from './catalogue-responses.js';
import { RANDOM_TITLE_PARAMETERS, selectTitles } from './catalogue-titles.js';
import {
  get,
  invalidRequest,
  jsonResponse,
  notFound,
  type Endpoint,
  type EndpointResponse,
} from './endpoint.js';
import { isPublished, type Library, type LibraryChapter } from './library/library.js';

/** The distinct items of a library that have an id and a name. */
const distinct = <T extends { readonly id: string }>(items: readonly T[]): T[] => [
  ...new Map(items.map((item) => [item.id, item])).values(),
];

interface Named {
  readonly id: string;
  readonly name: string;
}

/** `/author` and `/group` by ids or a part of the name, and `/author/{id}` and `/group/{id}`. */
function namedEndpoints<T extends Named>(
  path: string,
  included: QueryParameters,
  items: () => readonly T[],
  convert: (item: T, includes: readonly string[]) => unknown,
): Endpoint[] {
  const parameters = {
    ...paging(0, 100),
    'ids[]': uuid,
    name: anyText,
    ...orders('name'),
    ...included,
  };
  return [
    getWithQuery(path, parameters, (query) => {
      const name = query.one('name')?.toLowerCase() ?? '';
      const filters: Filter<T>[] = [
        anyOf(query, 'ids', ({ id }) => [id]),
        (item) => item.name.toLowerCase().includes(name),
      ];
      const found = select(distinct(items()), query, filters, { name: (item) => item.name });
      return collectionResponse(found, query, (item) => convert(item, query.includes));
    }),
    entityEndpoint(`${path}/{id}`, included, (id, names) => {
      const item = items().find((each) => each.id === id.toLowerCase());
      return item && convert(item, names);
    }),
  ];
}

function personEndpoints(library: Library, entities: Entities): Endpoint[] {
  const people = () => library.titles().flatMap(({ authors, artists }) => [...authors, ...artists]);
  const groups = () => library.chapters().flatMap((chapter) => chapter.groups);
  return [
    ...namedEndpoints('/author', includes('manga'), people, (person, included) =>
      entities.person(person, included),
    ),
    ...namedEndpoints('/group', includes('leader', 'member'), groups, groupEntity),
    entityEndpoint('/cover/{id}', includes('manga', 'user'), (id, included) => {
      const found = titleCovers(library).find(({ cover }) => cover.id === id.toLowerCase());
      return found && entities.cover(found.title, found.cover, included);
    }),
  ];
}

const chaptersOf = (releases: readonly LibraryChapter[]): object =>
  asObject(
    [...groupBy(releases, ({ attributes }) => attributes.chapter ?? 'none')].map(
      ([chapter, [first, ...others]]) => [
        chapter,
        {
          chapter,
          id: first?.id,
          others: others.map(({ id }) => id),
          isUnavailable: false,
          count: others.length + 1,
        },
      ],
    ),
  );

const AGGREGATE_PARAMETERS = { 'translatedLanguage[]': language, 'groups[]': uuid };

/** A title's volumes and chapters: for each number a chapter's id and the ids of its other releases. */
function aggregateResponse(
  chapters: readonly LibraryChapter[],
  query: CatalogueQuery,
  nowMs: number,
): EndpointResponse {
  const filters: Filter<LibraryChapter>[] = [
    (chapter) => isPublished(chapter, nowMs),
    anyOf(query, 'translatedLanguage', ({ attributes }) => [attributes.translatedLanguage]),
    anyOf(query, 'groups', ({ groups }) => groups.map(({ id }) => id)),
  ];
  const selected = chapters.filter((chapter) => filters.every((filter) => filter(chapter)));
  const volumes = [...groupBy(selected, ({ attributes }) => attributes.volume ?? 'none')].map(
    ([volume, releases]) =>
      [volume, { volume, count: releases.length, chapters: chaptersOf(releases) }] as const,
  );
  return jsonResponse(200, { result: 'ok', volumes: asObject(volumes) });
}

/** The practice server has no ratings and followers. */
const NO_STATISTICS = { comments: null, rating: { average: null, bayesian: 0 }, follows: 0 };

function titleEndpoints(library: Library, entities: Entities, nowMs: () => number): Endpoint[] {
  return [
    getWithQuery('/manga/tag', {}, () => {
      const tags = distinct(library.titles().flatMap((title) => title.tags));
      return collectionResponse(tags, { offset: 0, limit: tags.length }, tagEntity);
    }),
    getWithQuery('/manga/random', RANDOM_TITLE_PARAMETERS, (query) => {
      const titles = selectTitles(library, query);
      const title = titles[titles.length === 0 ? 0 : randomInt(titles.length)];
      return entityOrNotFound('title', title && entities.title(title, query.includes));
    }),
    getWithQuery('/manga/{id}/aggregate', AGGREGATE_PARAMETERS, (query, { ids: [id = ''] }) => {
      const title = library.title(id);
      return title
        ? aggregateResponse(library.chaptersOf(title.id), query, nowMs())
        : notFound('No such title');
    }),
    getWithQuery('/statistics/manga', { 'manga[]': uuid, ...paging(0, 100) }, (query) => {
      const ids = query.all('manga');
      if (ids.length === 0) {
        return invalidRequest('Error validating /: the property manga is missing.');
      }
      const known = ids.filter((id) => library.title(id));
      const statistics = Object.fromEntries(known.map((id) => [id, NO_STATISTICS]));
      return jsonResponse(200, { result: 'ok', statistics });
    }),
  ];
}

export function lookupEndpoints(
  library: Library,
  entities: Entities,
  nowMs: () => number,
): Endpoint[] {
  return [
    ...personEndpoints(library, entities),
    ...titleEndpoints(library, entities, nowMs),
    get('/auth/check', ({ account }) =>
      jsonResponse(200, {
        result: 'ok',
        isAuthenticated: account !== undefined,
        roles: account === undefined ? ['IS_AUTHENTICATED_ANONYMOUSLY'] : ['ROLE_MEMBER'],
        permissions: [],
      }),
    ),
  ];
}
