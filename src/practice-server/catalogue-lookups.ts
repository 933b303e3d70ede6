/**
 * Requests of other clients: people, groups, covers and tags by id, a random title, a title's volumes, statistics, and
 * the logged-in user.
 */
import { randomInt } from 'node:crypto';
import { aggregateResponse, AGGREGATE_PARAMETERS } from './catalogue-aggregate.js';
import { titleCovers } from './catalogue-covers.js';
import { groupEntity, tagEntity, userEntity, type Entities } from './catalogue-entities.js';
import { includes, paging, uuid } from './catalogue-query.js';
import {
  collectionResponse,
  entityOrNotFound,
  withLogin,
  withQuery,
} from './catalogue-responses.js';
import { RANDOM_TITLE_PARAMETERS, selectTitles } from './catalogue-titles.js';
import { get, invalidRequest, jsonResponse, notFound, type Endpoint } from './endpoint.js';
import type { Library } from './library/library.js';

const byId = <T extends { readonly id: string }>(items: readonly T[], id = ''): T | undefined =>
  items.find((item) => item.id === id.toLowerCase());

function personEndpoints(library: Library, entities: Entities): Endpoint[] {
  return [
    get(
      '/author/{id}',
      withQuery(includes('manga'), (query, { ids: [id] }) => {
        const people = library.titles().flatMap(({ authors, artists }) => [...authors, ...artists]);
        return entityOrNotFound('author', byId(people, id), (person) =>
          entities.person(person, query.includes),
        );
      }),
    ),
    get(
      '/group/{id}',
      withQuery(includes('leader', 'member'), (_, { ids: [id] }) => {
        const groups = library.chapters().flatMap((chapter) => chapter.groups);
        return entityOrNotFound('group', byId(groups, id), groupEntity);
      }),
    ),
    get(
      '/cover/{id}',
      withQuery(includes('manga', 'user'), (query, { ids: [id = ''] }) => {
        const found = titleCovers(library).find(({ cover }) => cover.id === id.toLowerCase());
        return entityOrNotFound('cover', found, ({ title, cover }) =>
          entities.cover(title, cover, query.includes),
        );
      }),
    ),
  ];
}

/** The practice server has no ratings and followers. */
const NO_STATISTICS = { comments: null, rating: { average: null, bayesian: 0 }, follows: 0 };

function titleEndpoints(library: Library, entities: Entities, nowMs: () => number): Endpoint[] {
  return [
    get(
      '/manga/tag',
      withQuery({}, () => {
        const tags = library.titles().flatMap((title) => title.tags);
        const distinct = [...new Map(tags.map((tag) => [tag.id, tag])).values()];
        return collectionResponse(distinct, { offset: 0, limit: distinct.length }, tagEntity);
      }),
    ),
    get(
      '/manga/random',
      withQuery(RANDOM_TITLE_PARAMETERS, (query) => {
        const titles = selectTitles(library.titles(), entities.chaptersOf, query);
        const title = titles[titles.length === 0 ? 0 : randomInt(titles.length)];
        return entityOrNotFound('title', title, (each) => entities.title(each, query.includes));
      }),
    ),
    get(
      '/manga/{id}/aggregate',
      withQuery(AGGREGATE_PARAMETERS, (query, { ids: [id = ''] }) => {
        const title = library.title(id);
        return title
          ? aggregateResponse(entities.chaptersOf(title.id), query, nowMs())
          : notFound('No such title');
      }),
    ),
    get(
      '/statistics/manga',
      withQuery({ 'manga[]': uuid, ...paging(0, 100) }, (query) => {
        const ids = query.all('manga');
        if (ids.length === 0) {
          return invalidRequest('Error validating /: the property manga is missing.');
        }
        const known = ids.filter((id) => library.title(id));
        const statistics = Object.fromEntries(known.map((id) => [id, NO_STATISTICS]));
        return jsonResponse(200, { result: 'ok', statistics });
      }),
    ),
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
    get(
      '/user/me',
      withLogin(({ account }) => entityOrNotFound('user', account, userEntity)),
    ),
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
