/** The catalogue: titles, chapters, lists, covers, feeds and reading markers, as the live service documents them. */
import type { Clock } from '../core/clock.js';
import {
  CHAPTER_INCLUDES,
  CHAPTER_PARAMETERS,
  FEED_PARAMETERS,
  selectChapters,
} from './catalogue-chapters.js';
import { coverSearch } from './catalogue-covers.js';
import { Entities, listEntity } from './catalogue-entities.js';
import { followEndpoints } from './catalogue-follows.js';
import { lookupEndpoints } from './catalogue-lookups.js';
import type { CatalogueQuery } from './catalogue-query.js';
import { readingEndpoints } from './catalogue-reading.js';
import {
  collectionResponse,
  entityEndpoint,
  entityOrNotFound,
  withQuery,
} from './catalogue-responses.js';
import { selectTitles, TITLE_INCLUDES, TITLE_PARAMETERS } from './catalogue-titles.js';
import {
  get,
  notFound,
  type Endpoint,
  type EndpointRequest,
  type EndpointResponse,
} from './endpoint.js';
import type { Library, LibraryChapter, LibraryList, LibraryTitle } from './library/library.js';

const FEED_LIMIT = 100;

/** `clock` determines what is published. Reading markers are kept as long as the endpoints. */
export function catalogueEndpoints(library: Library, clock: Pick<Clock, 'wallMs'>): Endpoint[] {
  const nowMs = (): number => clock.wallMs();
  const entities = new Entities(library, nowMs);

  const chaptersPage = (
    chapters: readonly LibraryChapter[],
    query: CatalogueQuery,
  ): EndpointResponse =>
    collectionResponse(selectChapters(chapters, library, query, nowMs()), query, (chapter) =>
      entities.chapter(chapter, query.includes),
    );
  const titlesPage = (titles: readonly LibraryTitle[], query: CatalogueQuery): EndpointResponse =>
    collectionResponse(titles, query, (title) => entities.title(title, query.includes));
  /** `titleIds` returns undefined for what does not exist. */
  const feed = (titleIds: (request: EndpointRequest) => readonly string[] | undefined) =>
    withQuery(
      FEED_PARAMETERS,
      (query, request) => {
        const ids = titleIds(request);
        return ids
          ? chaptersPage(ids.flatMap(entities.chaptersOf), query)
          : notFound('No such feed');
      },
      FEED_LIMIT,
    );
  /** A private list is visible to its owner only. */
  const visibleList = ({ ids: [id = ''], account }: EndpointRequest): LibraryList | undefined => {
    const list = library.list(id);
    return list?.visibility === 'private' && account === undefined ? undefined : list;
  };

  return [
    get(
      '/chapter',
      withQuery(CHAPTER_PARAMETERS, (query) => chaptersPage(library.chapters(), query)),
    ),
    entityEndpoint('/chapter/{id}', CHAPTER_INCLUDES, (id, includes) => {
      const chapter = library.chapter(id);
      return chapter && entities.chapter(chapter, includes);
    }),
    get(
      '/manga',
      withQuery(TITLE_PARAMETERS, (query) =>
        titlesPage(selectTitles(library.titles(), entities.chaptersOf, query), query),
      ),
    ),
    entityEndpoint('/manga/{id}', TITLE_INCLUDES, (id, includes) => {
      const title = library.title(id);
      return title && entities.title(title, includes);
    }),
    get(
      '/manga/{id}/feed',
      feed(({ ids: [id = ''] }) => {
        const title = library.title(id);
        return title && [title.id];
      }),
    ),
    coverSearch(library, entities),
    get(
      '/list/{id}',
      withQuery({}, (_, request) => {
        const list = visibleList(request);
        return entityOrNotFound('list', list && listEntity(list));
      }),
    ),
    get(
      '/list/{id}/feed',
      feed((request) => visibleList(request)?.titleIds),
    ),
    ...followEndpoints(
      library,
      entities,
      feed(() => library.followedTitleIds()),
    ),
    ...readingEndpoints(library, entities),
    ...lookupEndpoints(library, entities, nowMs),
  ];
}
