/**
 * What other clients ask the catalogue for: people, groups, covers and tags by themselves, a random title, a title's
 * volumes at a glance, statistics, and who is logged in. The answers have the form of the live service's.
 */
import { randomInt } from 'node:crypto';
import {
  asked,
  collectionAnswer,
  entityAnswer,
  loginWanted,
  notFound,
} from './catalogue-answers.js';
import { aggregateAnswer, AGGREGATE_PARAMETERS } from './catalogue-aggregate.js';
import type { Entities } from './catalogue-entities.js';
import { anId, includes, paging, type CatalogueQuery } from './catalogue-query.js';
import { RANDOM_TITLE_PARAMETERS, shownTitles } from './catalogue-titles.js';
import { errorAnswer, jsonAnswer, type Answer, type Endpoint } from './endpoint.js';
import type { Library } from './library/library.js';

const byId = <T extends { readonly id: string }>(things: readonly T[], id: string): T | undefined =>
  things.find((thing) => thing.id === id.toLowerCase());

function personEndpoints(library: Library, entities: Entities): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/author/{id}',
      answer: (request) =>
        asked(request, includes('manga'), (query) => {
          const people = library
            .titles()
            .flatMap(({ authors, artists }) => [...authors, ...artists]);
          const person = byId(people, request.ids[0] ?? '');
          return person
            ? entityAnswer(entities.person(person, query.all('includes')))
            : notFound('author');
        }),
    },
    {
      method: 'GET',
      path: '/group/{id}',
      answer: (request) =>
        asked(request, includes('leader', 'member'), () => {
          const groups = library.chapters().flatMap((chapter) => chapter.groups);
          const group = byId(groups, request.ids[0] ?? '');
          return group ? entityAnswer(entities.group(group)) : notFound('group');
        }),
    },
    {
      method: 'GET',
      path: '/cover/{id}',
      answer: (request) =>
        asked(request, includes('manga', 'user'), (query) => {
          const [id = ''] = request.ids;
          const title = library.titles().find(({ covers }) => byId(covers, id));
          const cover = title && byId(title.covers, id);
          return cover
            ? entityAnswer(entities.cover(title, cover, query.all('includes')))
            : notFound('cover');
        }),
    },
  ];
}

/** Nobody rates or follows titles here. */
const NO_STATISTICS = { comments: null, rating: { average: null, bayesian: 0 }, follows: 0 };

function statisticsAnswer(library: Library, query: CatalogueQuery): Answer {
  const ids = query.all('manga');
  if (ids.length === 0) {
    const detail = 'Error validating /: the property manga is missing.';
    return errorAnswer(400, { title: 'validation_exception', detail });
  }
  const known = ids.filter((id) => library.title(id));
  const statistics = Object.fromEntries(known.map((id) => [id, NO_STATISTICS]));
  return jsonAnswer(200, { result: 'ok', statistics });
}

function titleEndpoints(library: Library, entities: Entities, nowMs: () => number): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/manga/tag',
      answer: (request) =>
        asked(request, {}, (query) => {
          const tags = library.titles().flatMap((title) => title.tags);
          const distinct = [...new Map(tags.map((tag) => [tag.id, tag])).values()];
          return collectionAnswer(distinct, { ...query, limit: distinct.length }, entities.tag);
        }),
    },
    {
      method: 'GET',
      path: '/manga/random',
      answer: (request) =>
        asked(request, RANDOM_TITLE_PARAMETERS, (query) => {
          const titles = shownTitles(library.titles(), entities, query);
          const title = titles[titles.length === 0 ? 0 : randomInt(titles.length)];
          return title
            ? entityAnswer(entities.title(title, query.all('includes')))
            : notFound('title');
        }),
    },
    {
      method: 'GET',
      path: '/manga/{id}/aggregate',
      answer: (request) =>
        asked(request, AGGREGATE_PARAMETERS, (query) => {
          const title = library.title(request.ids[0] ?? '');
          if (!title) return notFound('title');
          return aggregateAnswer(entities.chaptersOf(title.id), query, nowMs());
        }),
    },
    {
      method: 'GET',
      path: '/statistics/manga',
      answer: (request) =>
        asked(request, { 'manga[]': anId, ...paging(0, 100) }, (query) =>
          statisticsAnswer(library, query),
        ),
    },
  ];
}

function userEndpoints(entities: Entities): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/user/me',
      answer: ({ account }) =>
        account === undefined ? loginWanted() : entityAnswer(entities.user(account)),
    },
    {
      method: 'GET',
      path: '/auth/check',
      answer: ({ account }) =>
        jsonAnswer(200, {
          result: 'ok',
          isAuthenticated: account !== undefined,
          roles: account === undefined ? ['IS_AUTHENTICATED_ANONYMOUSLY'] : ['ROLE_MEMBER'],
          permissions: [],
        }),
    },
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
    ...userEndpoints(entities),
  ];
}
