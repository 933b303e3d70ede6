/** What a reader has read: marked chapter by chapter, or many of one title at once. For a reader logged in alone. */
import { loginWanted, notFound } from './catalogue-answers.js';
import type { Entities } from './catalogue-entities.js';
import { readQuery, anyText } from './catalogue-query.js';
import {
  errorAnswer,
  jsonAnswer,
  type Answer,
  type Endpoint,
  type EndpointRequest,
} from './endpoint.js';
import type { Library } from './library/library.js';

const done = (): Answer => jsonAnswer(200, { result: 'ok' });

interface Markers {
  readonly chapterIdsRead: readonly string[];
  readonly chapterIdsUnread: readonly string[];
}

const isTextArray = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** `{ chapterIdsRead, chapterIdsUnread }`, either of which may be absent; anything else is refused. */
function markersIn(request: EndpointRequest): Markers | undefined {
  if (request.headers['content-type']?.split(';')[0]?.trim() !== 'application/json') {
    return undefined;
  }
  let body: unknown;
  try {
    body = JSON.parse(request.body.toString());
  } catch {
    return undefined;
  }
  if (typeof body !== 'object' || body === null) {
    return undefined;
  }
  const { chapterIdsRead = [], chapterIdsUnread = [], ...rest } = body as Record<string, unknown>;
  const whole = isTextArray(chapterIdsRead) && isTextArray(chapterIdsUnread);
  return whole && Object.keys(rest).length === 0 ? { chapterIdsRead, chapterIdsUnread } : undefined;
}

/** The endpoints of reading marks. The marks live as long as what is returned. */
export function readingEndpoints(library: Library, entities: Entities): Endpoint[] {
  const marks = new Map<string, Set<string>>();
  const readBy = (account: string): Set<string> => {
    const read = marks.get(account) ?? new Set<string>();
    marks.set(account, read);
    return read;
  };

  const markOne = ({ ids: [id = ''], account }: EndpointRequest): Answer => {
    const chapter = library.chapter(id);
    if (account === undefined) {
      return loginWanted();
    }
    if (chapter === undefined) {
      return notFound('chapter');
    }
    readBy(account).add(chapter.id);
    return done();
  };

  const markMany = (request: EndpointRequest): Answer => {
    const title = library.title(request.ids[0] ?? '');
    if (request.account === undefined) {
      return loginWanted();
    }
    const query = readQuery(request.query, { updateHistory: anyText });
    if ('refusal' in query) {
      return query.refusal;
    }
    if (title === undefined) {
      return notFound('title');
    }
    const markers = markersIn(request);
    if (markers === undefined) {
      return errorAnswer(400, {
        title: 'validation_exception',
        detail:
          'Error validating /: the body is a JSON object of chapterIdsRead and chapterIdsUnread.',
      });
    }
    const read = readBy(request.account);
    const own = entities.chaptersOf(title.id).map((chapter) => chapter.id);
    own.filter((id) => markers.chapterIdsRead.includes(id)).forEach((id) => read.add(id));
    markers.chapterIdsUnread.forEach((id) => read.delete(id));
    return done();
  };

  const showMarks = ({ ids: [id = ''], account }: EndpointRequest): Answer => {
    const title = library.title(id);
    if (account === undefined) {
      return loginWanted();
    }
    if (title === undefined) {
      return notFound('title');
    }
    const read = readBy(account);
    const own = entities.chaptersOf(title.id).map((chapter) => chapter.id);
    return jsonAnswer(200, { result: 'ok', data: own.filter((chapterId) => read.has(chapterId)) });
  };

  return [
    { method: 'POST', path: '/chapter/{id}/read', answer: markOne },
    { method: 'POST', path: '/manga/{id}/read', answer: markMany },
    { method: 'GET', path: '/manga/{id}/read', answer: showMarks },
  ];
}
