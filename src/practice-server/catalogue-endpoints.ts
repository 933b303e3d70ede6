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
import { lookupEndpoints } from './catalogue-lookups.js';
import type { CatalogueQuery } from './catalogue-query.js';
import {
  collectionResponse,
  entityEndpoint,
  entityOrNotFound,
  getWithQuery,
  withQuery,
} from './catalogue-responses.js';
import { selectTitles, TITLE_INCLUDES, TITLE_PARAMETERS } from './catalogue-titles.js';
import { followEndpoints, readingEndpoints } from './catalogue-user.js';
import {
  get,
  notFound,
  type Endpoint,
  type EndpointRequest,
  type EndpointResponse,
} from './endpoint.js';
import type { Library, LibraryChapter, LibraryList } from './library/library.js';

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
  /** `titleIds` returns undefined for what does not exist. */
  const feed = (titleIds: (request: EndpointRequest) => readonly string[] | undefined) =>
    withQuery(
      FEED_PARAMETERS,
      (query, request) => {
        const chapters = titleIds(request)?.flatMap((id) => library.chaptersOf(id));
        return chapters ? chaptersPage(chapters, query) : notFound('No such feed');
      },
      FEED_LIMIT,
    );
  /** A private list is visible to its owner only. */
  const visibleList = ({ ids: [id = ''], account }: EndpointRequest): LibraryList | undefined => {
    const list = library.list(id);
    return list?.visibility === 'private' && account === undefined ? undefined : list;
  };
  const titleFeed = feed(({ ids: [id = ''] }) => {
    const title = library.title(id);
    return title && [title.id];
  });
  const listFeed = feed((request) => visibleList(request)?.titleIds);
  const followedFeed = feed(() => library.followedTitleIds());

  return [
    getWithQuery('/chapter', CHAPTER_PARAMETERS, (query) =>
      chaptersPage(library.chapters(), query),
    ),
    entityEndpoint('/chapter/{id}', CHAPTER_INCLUDES, (id, includes) => {
      const chapter = library.chapter(id);
      return chapter && entities.chapter(chapter, includes);
    }),
    getWithQuery('/manga', TITLE_PARAMETERS, (query) =>
      collectionResponse(selectTitles(library, query), query, (title) =>
        entities.title(title, query.includes),
      ),
    ),
    entityEndpoint('/manga/{id}', TITLE_INCLUDES, (id, includes) => {
      const title = library.title(library.currentId(id));
      return title && entities.title(title, includes);
    }),
    get('/manga/{id}/feed', titleFeed),
    coverSearch(library, entities),
    getWithQuery('/list/{id}', {}, (_, request) => {
      const list = visibleList(request);
      return entityOrNotFound('list', list && listEntity(list));
    }),
    get('/list/{id}/feed', listFeed),
    ...followEndpoints(library, entities, followedFeed),
    ...readingEndpoints(library),
    ...lookupEndpoints(library, entities, nowMs),
  ];
}
