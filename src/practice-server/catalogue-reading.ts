/** Reading markers of logged-in users, set for one chapter or for many chapters of one title. */
import { z } from 'zod';
import type { Entities } from './catalogue-entities.js';
import { anyText, oneOf, uuid } from './catalogue-query.js';
import { withLogin, withQuery, type UserRequest } from './catalogue-responses.js';
import { get, invalidRequest, jsonResponse, notFound, type Endpoint } from './endpoint.js';
import type { Library } from './library/library.js';

const MARKERS = z.strictObject({
  chapterIdsRead: z.array(z.string()).default([]),
  chapterIdsUnread: z.array(z.string()).default([]),
});

function readMarkers({ headers, body }: UserRequest): z.infer<typeof MARKERS> | undefined {
  if (headers['content-type']?.split(';')[0]?.trim() !== 'application/json') return undefined;
  try {
    return MARKERS.parse(JSON.parse(body.toString()));
  } catch {
    return undefined;
  }
}

/** The markers are kept as long as the endpoints. */
export function readingEndpoints(library: Library, entities: Entities): Endpoint[] {
  const readChapters = new Map<string, Set<string>>();
  const readBy = (account: string): Set<string> => {
    const read = readChapters.get(account) ?? new Set<string>();
    readChapters.set(account, read);
    return read;
  };
  const chapterIdsOf = (titleId: string): string[] =>
    entities.chaptersOf(titleId).map(({ id }) => id);

  return [
    {
      method: 'POST',
      path: '/chapter/{id}/read',
      respond: withLogin(({ ids: [id = ''], account }) => {
        const chapter = library.chapter(id);
        if (!chapter) return notFound('No such chapter');
        readBy(account).add(chapter.id);
        return jsonResponse(200, { result: 'ok' });
      }),
    },
    {
      method: 'POST',
      path: '/manga/{id}/read',
      respond: withLogin(
        withQuery({ updateHistory: anyText }, (_, request) => {
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
        }),
      ),
    },
    get(
      '/manga/read',
      withLogin(
        withQuery({ 'ids[]': uuid, grouped: oneOf('true', 'false') }, (query, { account }) => {
          const read = readBy(account);
          const byTitle = query.all('ids').map((id) => {
            const titleId = id.toLowerCase();
            return [titleId, chapterIdsOf(titleId).filter((each) => read.has(each))] as const;
          });
          const data =
            query.one('grouped') === 'true'
              ? Object.fromEntries(byTitle.filter(([, ids]) => ids.length > 0))
              : byTitle.flatMap(([, ids]) => ids);
          return jsonResponse(200, { result: 'ok', data });
        }),
      ),
    ),
    get(
      '/manga/{id}/read',
      withLogin(({ ids: [id = ''], account }) => {
        const title = library.title(id);
        if (!title) return notFound('No such title');
        const read = readBy(account);
        const data = chapterIdsOf(title.id).filter((chapterId) => read.has(chapterId));
        return jsonResponse(200, { result: 'ok', data });
      }),
    ),
  ];
}
