/** What a logged-in reader follows and has read: titles, their feed, reading statuses, reading markers. */
import { z } from 'zod';
import { parseJson } from '../core/json.js';
import { userEntity, type Entities } from './catalogue-entities.js';
import { anyText, oneOf, paging, uuid } from './catalogue-query.js';
import {
  asObject,
  collectionResponse,
  entityOrNotFound,
  withLogin,
  withQuery,
  type UserRequest,
} from './catalogue-responses.js';
import { TITLE_INCLUDES } from './catalogue-titles.js';
import { get, invalidRequest, jsonResponse, notFound, type Endpoint } from './endpoint.js';
import type { Library } from './library/library.js';

const STATUSES = ['reading', 'on_hold', 'plan_to_read', 'dropped', 're_reading', 'completed'];

const MARKERS = z.strictObject({
  chapterIdsRead: z.array(z.string()).default([]),
  chapterIdsUnread: z.array(z.string()).default([]),
});

function readMarkers({ headers, body }: UserRequest): z.infer<typeof MARKERS> | undefined {
  const mediaType = headers['content-type']?.split(';')[0]?.trim();
  if (mediaType !== 'application/json') return undefined;
  return MARKERS.safeParse(parseJson(body.toString())).data;
}

/** `feed` serves the chapters of the followed titles. */
export function followEndpoints(
  library: Library,
  entities: Entities,
  feed: Endpoint['respond'],
): Endpoint[] {
  const followedTitles = withQuery({ ...paging(1, 100), ...TITLE_INCLUDES }, (query) => {
    const titles = library.followedTitleIds().flatMap((id) => library.title(id) ?? []);
    return collectionResponse(titles, query, (title) => entities.title(title, query.includes));
  });
  const readingStatuses = withQuery({ status: oneOf(...STATUSES) }, (query) => {
    const requested = query.one('status');
    const statuses = [...library.readingStatuses()].filter(
      ([, status]) => requested === undefined || status === requested,
    );
    return jsonResponse(200, { result: 'ok', statuses: asObject(statuses) });
  });
  return [
    get(
      '/user/me',
      withLogin(({ account }) => entityOrNotFound('user', userEntity(account))),
    ),
    get('/user/follows/manga/feed', withLogin(feed)),
    get('/user/follows/manga', withLogin(followedTitles)),
    get('/manga/status', withLogin(readingStatuses)),
  ];
}

/** The markers are kept as long as the endpoints. */
export function readingEndpoints(library: Library): Endpoint[] {
  const readByAccount = new Map<string, Set<string>>();
  const readBy = (account: string): Set<string> => {
    const read = readByAccount.get(account) ?? new Set<string>();
    readByAccount.set(account, read);
    return read;
  };
  const chapterIdsOf = (titleId: string): string[] =>
    library.chaptersOf(titleId).map(({ id }) => id);
  const readChapterIdsOf = (titleId: string, account: string): string[] =>
    chapterIdsOf(titleId).filter((id) => readBy(account).has(id));

  const markChapter = withLogin(({ ids: [id = ''], account }) => {
    const chapter = library.chapter(id);
    if (!chapter) return notFound('No such chapter');
    readBy(account).add(chapter.id);
    return jsonResponse(200, { result: 'ok' });
  });
  const markTitle = withQuery({ updateHistory: anyText }, (_, request: UserRequest) => {
    const title = library.title(request.ids[0] ?? '');
    if (!title) return notFound('No such title');
    const markers = readMarkers(request);
    if (!markers) {
      return invalidRequest(
        'Error validating /: the body is a JSON object of chapterIdsRead and chapterIdsUnread.',
      );
    }
    const read = readBy(request.account);
    const known = chapterIdsOf(title.id);
    for (const id of markers.chapterIdsRead) if (known.includes(id)) read.add(id);
    for (const id of markers.chapterIdsUnread) read.delete(id);
    return jsonResponse(200, { result: 'ok' });
  });
  const markersOfTitle = withLogin(({ ids: [id = ''], account }) => {
    const title = library.title(id);
    return title
      ? jsonResponse(200, { result: 'ok', data: readChapterIdsOf(title.id, account) })
      : notFound('No such title');
  });
  const markersOfTitles = withQuery(
    { 'ids[]': uuid, grouped: oneOf('true', 'false') },
    (query, { account }: UserRequest) => {
      const titleIds = query.all('ids').map((id) => id.toLowerCase());
      const byTitle = titleIds.map((id) => [id, readChapterIdsOf(id, account)] as const);
      const data =
        query.one('grouped') === 'true'
          ? Object.fromEntries(byTitle.filter(([, ids]) => ids.length > 0))
          : byTitle.flatMap(([, ids]) => ids);
      return jsonResponse(200, { result: 'ok', data });
    },
  );
  return [
    { method: 'POST', path: '/chapter/{id}/read', respond: markChapter },
    { method: 'POST', path: '/manga/{id}/read', respond: withLogin(markTitle) },
    get('/manga/read', withLogin(markersOfTitles)),
    get('/manga/{id}/read', markersOfTitle),
  ];
}
