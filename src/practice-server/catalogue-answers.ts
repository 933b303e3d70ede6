/** The forms of the catalogue's answers: one entity, a page of a collection, and the usual refusals. */
import { readQuery, type CatalogueQuery, type Parameters } from './catalogue-query.js';
import { errorAnswer, jsonAnswer, type Answer, type EndpointRequest } from './endpoint.js';

/** What the service says to a guest who asks for what is a reader's own. */
export function loginWanted(): Answer {
  return errorAnswer(401, {
    title: 'unauthorized_http_exception',
    detail: 'This is for readers who are logged in.',
  });
}

export function notFound(what: string): Answer {
  return errorAnswer(404, {
    title: 'not_found_http_exception',
    detail: `There is no such ${what}.`,
  });
}

/** One entity. */
export const entityAnswer = (data: unknown): Answer =>
  jsonAnswer(200, { result: 'ok', response: 'entity', data });

/** One page of what there is. Only what is on the page is dressed up. */
export function collectionAnswer<T>(
  all: readonly T[],
  query: CatalogueQuery,
  dress: (item: T) => unknown,
): Answer {
  const { limit, offset } = query;
  const data = all.slice(offset, offset + limit).map(dress);
  return jsonAnswer(200, {
    result: 'ok',
    response: 'collection',
    data,
    limit,
    offset,
    total: all.length,
  });
}

/** Answers with what `answer` makes of the query, or refuses the query. */
export function asked(
  { query }: EndpointRequest,
  parameters: Parameters,
  answer: (query: CatalogueQuery) => Answer,
  limit?: number,
): Answer {
  const read = readQuery(query, parameters, limit);
  return 'refusal' in read ? read.refusal : answer(read);
}
