/** The forms of the catalogue's responses, and handlers that check the query or the login first. */
import { readQuery, type CatalogueQuery, type QueryParameters } from './catalogue-query.js';
import {
  errorResponse,
  get,
  jsonResponse,
  notFound,
  type Endpoint,
  type EndpointRequest,
  type EndpointResponse,
} from './endpoint.js';

type Handler<Request = EndpointRequest> = (request: Request) => EndpointResponse;

/** The response with an entity, or 404. */
export const entityOrNotFound = (type: string, data: unknown): EndpointResponse =>
  data === undefined
    ? notFound(`No such ${type}`)
    : jsonResponse(200, { result: 'ok', response: 'entity', data });

/** One page of the items; only those of the page are converted. */
export function collectionResponse<T>(
  items: readonly T[],
  { limit, offset }: Pick<CatalogueQuery, 'limit' | 'offset'>,
  convert: (item: T) => unknown,
): EndpointResponse {
  const data = items.slice(offset, offset + limit).map(convert);
  const total = items.length;
  return jsonResponse(200, { result: 'ok', response: 'collection', data, limit, offset, total });
}

/** The service writes an empty object as an empty list. */
export const asObject = (entries: readonly (readonly [string, unknown])[]): object =>
  entries.length === 0 ? [] : Object.fromEntries(entries);

/** A handler that refuses an invalid query. */
export function withQuery<Request extends EndpointRequest>(
  parameters: QueryParameters,
  respond: (query: CatalogueQuery, request: Request) => EndpointResponse,
  defaultLimit?: number,
): Handler<Request> {
  return (request) => {
    const query = readQuery(request.query, parameters, defaultLimit);
    return 'refusal' in query ? query.refusal : respond(query, request);
  };
}

/** GET of `path`; refuses an invalid query. */
export const getWithQuery = (
  path: string,
  parameters: QueryParameters,
  respond: (query: CatalogueQuery, request: EndpointRequest) => EndpointResponse,
): Endpoint => get(path, withQuery(parameters, respond));

/** The endpoint of one entity by its id, such as `/author/{id}`. */
export const entityEndpoint = (
  path: string,
  parameters: QueryParameters,
  find: (id: string, includes: readonly string[]) => unknown,
): Endpoint =>
  getWithQuery(path, parameters, (query, { ids: [id = ''] }) =>
    entityOrNotFound(path.split('/')[1] ?? '', find(id, query.includes)),
  );

export type UserRequest = EndpointRequest & { readonly account: string };

/** A handler that refuses anonymous requests. */
export function withLogin(respond: Handler<UserRequest>): Handler {
  return (request) => {
    const { account } = request;
    if (account !== undefined) return respond({ ...request, account });
    const detail = 'This is for readers who are logged in.';
    return errorResponse(401, { title: 'unauthorized_http_exception', detail });
  };
}
