/**
 * Requests of other clients: people, groups, covers and tags by id, a random title, a title's volumes, and statistics.
 */
import { randomInt } from 'node:crypto';
import { groupBy } from '../core/group-by.js';
import { titleCovers } from './catalogue-covers.js';
import { groupEntity, tagEntity, type Entities } from './catalogue-entities.js';
import { anyOf, type Filter } from './catalogue-filters.js';
import { includes, language, paging, uuid, type CatalogueQuery } from './catalogue-query.js';
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

const byId = <T extends { readonly id: string }>(items: readonly T[], id: string): T | undefined =>
  items.find((item) => item.id === id.toLowerCase());

function personEndpoints(library: Library, entities: Entities): Endpoint[] {
  return [
    entityEndpoint('/author/{id}', includes('manga'), (id, included) => {
      const people = library.titles().flatMap(({ authors, artists }) => [...authors, ...artists]);
      const person = byId(people, id);
      return person && entities.person(person, included);
    }),
    entityEndpoint('/group/{id}', includes('leader', 'member'), (id) => {
      const group = byId(
        library.chapters().flatMap(({ groups }) => groups),
        id,
      );
      return group && groupEntity(group);
    }),
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
      const tags = library.titles().flatMap((title) => title.tags);
      const distinct = [...new Map(tags.map((tag) => [tag.id, tag])).values()];
      return collectionResponse(distinct, { offset: 0, limit: distinct.length }, tagEntity);
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
