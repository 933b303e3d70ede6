/** The API host: checks the bearer, the captcha and injected faults, then calls the endpoint. */
import type { ApiFaults } from './api-faults.js';
import type { Captcha } from './captcha-check.js';
import { MAX_WINDOW } from './catalogue-query.js';
import type { ServePage } from './edge-node.js';
import {
  errorResponse,
  invalidRequest,
  methodNotAllowed,
  notFound,
  type Endpoint,
  type EndpointRequest,
  type EndpointResponse,
} from './endpoint.js';
import { BASE_PATH_START } from './issued-base-urls.js';
import type { IssuedTokens } from './issued-tokens.js';
import type { Host } from './middleware.js';
import { withFinding, type OpenEntry } from './request-log.js';
import { matchRoute } from './route-match.js';

export interface ApiHostDeps {
  readonly endpoints: readonly Endpoint[];
  readonly accessTokens: IssuedTokens;
  readonly captcha: Captcha;
  readonly apiFaults: ApiFaults;
  /** Present if the API host serves the pages. */
  readonly servePage?: ServePage;
  readonly rejectBearerWith: 401 | 403;
}

/** Whether the query exceeds the collection window (spec 8.4). The live service calls `size` `limit`. */
function exceedsWindow(query: URLSearchParams): boolean {
  const size = Number(query.get('limit') ?? query.get('size') ?? 0);
  return Number(query.get('offset') ?? 0) + size > MAX_WINDOW;
}

function dispatch(
  entry: OpenEntry,
  request: EndpointRequest,
  endpoints: readonly Endpoint[],
): EndpointResponse {
  const match = matchRoute(
    endpoints.filter(({ method }) => method === request.method),
    request.path,
  );
  if (match) return match.route.respond({ ...request, ids: match.ids });
  if (matchRoute(endpoints, request.path)) {
    return withFinding(entry, 'wrong-method', methodNotAllowed('Another method is needed'));
  }
  return withFinding(entry, 'not-found', notFound('No such path'));
}

export function createApiHost(deps: ApiHostDeps): Host {
  return (entry, request) => {
    const { authorization } = entry.headers;
    const token = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? '';
    const account = deps.accessTokens.ownerOf(token)?.account;
    if (authorization !== undefined && account === undefined) {
      const error = {
        title: 'unauthorized_http_exception',
        detail: 'The access token is invalid or expired',
      };
      return withFinding(entry, 'bearer-rejected', errorResponse(deps.rejectBearerWith, error));
    }
    if (deps.servePage && entry.path.startsWith(BASE_PATH_START)) return deps.servePage(entry);
    const challenge = deps.captcha.challenge(entry);
    if (challenge) return withFinding(entry, 'captcha-demanded', challenge);
    const fault = deps.apiFaults.next(entry, account);
    if (fault) return fault;
    if (exceedsWindow(request.query)) {
      return withFinding(entry, 'collection-too-far', invalidRequest('Beyond 10,000'));
    }
    return dispatch(entry, { ...request, account }, deps.endpoints);
  };
}
