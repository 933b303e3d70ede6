/**
 * The catalogue of the practice service: titles, chapters, lists, covers, feeds and reading marks, answered
 * as the live service's public documentation shows them.
 */
import type { Clock } from '../core/clock.js';
import {
  asked,
  collectionAnswer,
  entityAnswer,
  loginWanted,
  notFound,
} from './catalogue-answers.js';
import { CHAPTER_PARAMETERS, FEED_PARAMETERS, shownChapters } from './catalogue-chapters.js';
import { COVER_PARAMETERS, coversAnswer } from './catalogue-covers.js';
import { entitiesOf, UPLOADER_ID, type Entities } from './catalogue-entities.js';
import { includes, type CatalogueQuery } from './catalogue-query.js';
import { lookupEndpoints } from './catalogue-lookups.js';
import { readingEndpoints } from './catalogue-reading.js';
import {
  FOLLOWED_TITLES_PARAMETERS,
  ONE_TITLE_PARAMETERS,
  shownTitles,
  TITLE_PARAMETERS,
} from './catalogue-titles.js';
import type { Answer, Endpoint, EndpointRequest } from './endpoint.js';
import type { Library, LibraryChapter, LibraryList } from './library/library.js';

const FEED_LIMIT = 100;

interface Shelf {
  readonly library: Library;
  readonly entities: Entities;
  readonly clock: Pick<Clock, 'wallMs'>;
}

function chaptersAnswer(
  shelf: Shelf,
  chapters: readonly LibraryChapter[],
  query: CatalogueQuery,
): Answer {
  const { library, entities, clock } = shelf;
  const options = { library, query, nowMs: clock.wallMs(), uploaderId: UPLOADER_ID };
  return collectionAnswer(shownChapters(chapters, options), query, (chapter) =>
    entities.chapter(chapter, query.all('includes')),
  );
}

function feedAnswer(shelf: Shelf, request: EndpointRequest, titleIds: readonly string[]): Answer {
  const chapters = titleIds.flatMap((titleId) => shelf.entities.chaptersOf(titleId));
  return asked(
    request,
    FEED_PARAMETERS,
    (query) => chaptersAnswer(shelf, chapters, query),
    FEED_LIMIT,
  );
}

function chapterEndpoints(shelf: Shelf): Endpoint[] {
  const { library, entities } = shelf;
  return [
    {
      method: 'GET',
      path: '/chapter',
      answer: (request) =>
        asked(request, CHAPTER_PARAMETERS, (query) =>
          chaptersAnswer(shelf, library.chapters(), query),
        ),
    },
    {
      method: 'GET',
      path: '/chapter/{id}',
      answer: (request) =>
        asked(request, includes('manga', 'scanlation_group', 'user'), (query) => {
          const chapter = library.chapter(request.ids[0] ?? '');
          return chapter
            ? entityAnswer(entities.chapter(chapter, query.all('includes')))
            : notFound('chapter');
        }),
    },
  ];
}

function titleEndpoints(shelf: Shelf): Endpoint[] {
  const { library, entities } = shelf;
  return [
    {
      method: 'GET',
      path: '/manga',
      answer: (request) =>
        asked(request, TITLE_PARAMETERS, (query) => {
          const titles = shownTitles(library.titles(), entities, query);
          return collectionAnswer(titles, query, (title) =>
            entities.title(title, query.all('includes')),
          );
        }),
    },
    {
      method: 'GET',
      path: '/manga/{id}',
      answer: (request) =>
        asked(request, ONE_TITLE_PARAMETERS, (query) => {
          const title = library.title(request.ids[0] ?? '');
          return title
            ? entityAnswer(entities.title(title, query.all('includes')))
            : notFound('title');
        }),
    },
    {
      method: 'GET',
      path: '/manga/{id}/feed',
      answer: (request) => {
        const title = library.title(request.ids[0] ?? '');
        return title ? feedAnswer(shelf, request, [title.id]) : notFound('title');
      },
    },
    {
      method: 'GET',
      path: '/cover',
      answer: (request) =>
        asked(request, COVER_PARAMETERS, (query) => coversAnswer(library, entities, query)),
    },
  ];
}

/** A list that this request may see: a private one is its owner's alone. */
function seenList(
  { library }: Shelf,
  { ids: [id = ''], account }: EndpointRequest,
): LibraryList | undefined {
  const list = library.list(id);
  return list?.visibility === 'private' && account === undefined ? undefined : list;
}

function listEndpoints(shelf: Shelf): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/list/{id}',
      answer: (request) =>
        asked(request, {}, () => {
          const list = seenList(shelf, request);
          return list ? entityAnswer(shelf.entities.list(list)) : notFound('list');
        }),
    },
    {
      method: 'GET',
      path: '/list/{id}/feed',
      answer: (request) => {
        const list = seenList(shelf, request);
        return list ? feedAnswer(shelf, request, list.titleIds) : notFound('list');
      },
    },
  ];
}

function followEndpoints(shelf: Shelf): Endpoint[] {
  const { library, entities } = shelf;
  return [
    {
      method: 'GET',
      path: '/user/follows/manga/feed',
      answer: (request) =>
        request.account === undefined
          ? loginWanted()
          : feedAnswer(shelf, request, library.followedTitleIds()),
    },
    {
      method: 'GET',
      path: '/user/follows/manga',
      answer: (request) =>
        request.account === undefined
          ? loginWanted()
          : asked(request, FOLLOWED_TITLES_PARAMETERS, (query) => {
              const titles = library.followedTitleIds().flatMap((id) => library.title(id) ?? []);
              return collectionAnswer(titles, query, (title) =>
                entities.title(title, query.all('includes')),
              );
            }),
    },
  ];
}

/**
 * All that the API host answers of the catalogue. The clock tells what is published by now. Reading marks are
 * kept as long as the endpoints.
 */
export function catalogueEndpoints(library: Library, clock: Pick<Clock, 'wallMs'>): Endpoint[] {
  const nowMs = (): number => clock.wallMs();
  const shelf: Shelf = { library, entities: entitiesOf(library, nowMs), clock };
  return [
    ...chapterEndpoints(shelf),
    ...titleEndpoints(shelf),
    ...listEndpoints(shelf),
    ...followEndpoints(shelf),
    ...readingEndpoints(library, shelf.entities),
    ...lookupEndpoints(library, shelf.entities, nowMs),
  ];
}
