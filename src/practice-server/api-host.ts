/** The API host: the bearer, the captcha, the apiFaults asked for, and then the endpoints. */
import type { Captcha } from './captcha-check.js';
import { errorAnswer, type Answer, type Endpoint } from './endpoint.js';
import type { Host } from './middleware.js';
import { BASE_PATH_START } from './issued-base-urls.js';
import { addFindings, type OpenEntry } from './request-log.js';
import type { ApiFaults } from './api-faults.js';
import type { ServePage } from './edge-node.js';
import { mostSpecific } from './route-match.js';
import type { IssuedTokens } from './issued-tokens.js';

export interface ApiHostDeps {
  readonly endpoints: readonly Endpoint[];
  readonly issued: IssuedTokens;
  readonly captcha: Captcha;
  readonly apiFaults: ApiFaults;
  /** The pages, where the API's own host serves them. */
  readonly servePage?: ServePage | undefined;
  readonly rejectBearerWith: 401 | 403;
}

const MAX_COLLECTION_REACH = 10_000;

/** Who the bearer stands for; `rejected` where one was sent that does not hold. */
function bearerOf(entry: OpenEntry, issued: IssuedTokens): { account?: string; rejected: boolean } {
  const { authorization } = entry.headers;
  if (authorization === undefined) return { rejected: false };
  const account = issued.accountOf(/^Bearer (\S+)$/.exec(authorization)?.[1] ?? '');
  return account === undefined ? { rejected: true } : { account, rejected: false };
}

/** Whether a collection is asked for beyond its bound (spec 8.4); `limit` is the live service's word for `size`. */
function reachesTooFar(query: URLSearchParams): boolean {
  const size = Number(query.get('limit') ?? query.get('size') ?? 0);
  return Number(query.get('offset') ?? 0) + size > MAX_COLLECTION_REACH;
}

export function createApiHost(deps: ApiHostDeps): Host {
  const dispatch = (entry: OpenEntry, request: Parameters<Host>[1]): Answer => {
    const ofPath = deps.endpoints.filter(
      ({ path }) => mostSpecific([{ path }], request.path) !== undefined,
    );
    const found = mostSpecific(
      ofPath.filter(({ method }) => method === request.method),
      request.path,
    );
    if (found) return found.row.answer({ ...request, ids: found.ids });
    if (ofPath.length > 0) {
      addFindings(entry, 'wrong-method');
      return errorAnswer(405, { title: 'method_not_allowed', detail: 'Another method is needed' });
    }
    addFindings(entry, 'not-found');
    return errorAnswer(404, { title: 'not_found_http_exception', detail: 'No such path' });
  };

  return (entry, request) => {
    const { account, rejected } = bearerOf(entry, deps.issued);
    if (rejected) {
      addFindings(entry, 'bearer-rejected');
      return errorAnswer(deps.rejectBearerWith, {
        title: 'unauthorized_http_exception',
        detail: 'The access token does not hold',
      });
    }
    if (deps.servePage && entry.path.startsWith(BASE_PATH_START)) return deps.servePage(entry);
    const captcha = deps.captcha.stop(entry);
    if (captcha) {
      addFindings(entry, 'captcha-demanded');
      return captcha;
    }
    const apiFault = deps.apiFaults.next(entry, account);
    if (apiFault) {
      addFindings(entry, 'api-fault');
      return apiFault;
    }
    if (reachesTooFar(request.query)) {
      addFindings(entry, 'collection-too-far');
      return errorAnswer(400, { title: 'validation_exception', detail: 'Beyond 10,000' });
    }
    return dispatch(entry, account === undefined ? request : { ...request, account });
  };
}
