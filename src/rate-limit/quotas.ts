/**
 * The limits that the service publishes, as data: the general one of each API host (spec 8.2), and all rows of
 * the endpoint table (spec 8.3). A request is matched to what it uses; nothing here counts.
 */

export interface Quota {
  /** Two requests with the same key draw on the same allowance. */
  readonly key: string;
  readonly requests: number;
  readonly periodMs: number;
}

export interface EndpointQuota {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `{id}` stands for any one segment. */
  readonly shape: string;
  readonly requests: number;
  readonly periodMinutes: number;
  /** Rows of the same name share one allowance; without one, a row stands alone. */
  readonly shared?: string;
}

const row = (
  method: EndpointQuota['method'],
  shape: string,
  requests: number,
  periodMinutes: number,
  shared?: string,
): EndpointQuota => ({
  method,
  shape,
  requests,
  periodMinutes,
  ...(shared !== undefined && { shared }),
});

export const ENDPOINT_QUOTAS: readonly EndpointQuota[] = [
  row('GET', '/at-home/server/{id}', 40, 1),
  row('POST', '/auth/login', 30, 60),
  row('POST', '/auth/refresh', 60, 60),
  row('POST', '/author', 10, 60),
  row('PUT', '/author', 10, 1),
  row('DELETE', '/author/{id}', 10, 10),
  row('POST', '/captcha/solve', 10, 10),
  row('POST', '/cover', 100, 10),
  row('PUT', '/cover/{id}', 100, 10),
  row('DELETE', '/cover/{id}', 10, 10),
  row('POST', '/chapter/{id}/read', 300, 10),
  row('PUT', '/chapter/{id}', 10, 1),
  row('DELETE', '/chapter/{id}', 10, 1),
  row('POST', '/forums/thread', 10, 1),
  row('POST', '/manga', 10, 60),
  row('PUT', '/manga/{id}', 10, 60),
  row('DELETE', '/manga/{id}', 10, 10),
  row('POST', '/manga/draft/{id}/commit', 10, 60),
  row('GET', '/manga/random', 60, 1),
  row('POST', '/report', 10, 1),
  row('GET', '/report', 10, 1),
  row('POST', '/group', 10, 60),
  row('PUT', '/group/{id}', 10, 1),
  row('DELETE', '/group/{id}', 10, 10),
  row('GET', '/upload', 30, 1),
  row('POST', '/upload/begin', 20, 1, 'upload begin'),
  row('POST', '/upload/begin/{id}', 20, 1, 'upload begin'),
  row('POST', '/upload/{id}/commit', 10, 1),
  row('DELETE', '/upload/{id}', 30, 1),
  row('POST', '/upload/{id}', 250, 1, 'upload files'),
  row('DELETE', '/upload/{id}/{id}', 250, 1, 'upload files'),
  row('DELETE', '/upload/{id}/batch', 250, 1, 'upload files'),
];

/** Spec 8.2.1: about 5 a second, and at least that. */
const GENERAL_LIMIT = { requests: 5, periodMs: 1_000 } as const;

/** By how much the periods differ from the published ones. */
export interface PeriodScale {
  readonly general: number;
  readonly endpoint: number;
}

const MS_A_MINUTE = 60_000;

/**
 * The row that a request falls under; `path` is the one below the API's base, with its leading slash. Where
 * several shapes fit, the one that is literal for longer wins: `/upload/begin` is not an `{id}`.
 */
export function endpointQuota(method: string, path: string): EndpointQuota | undefined {
  const segments = segmentsOf(path);
  return ENDPOINT_QUOTAS.filter(
    (candidate) =>
      candidate.method === method.toUpperCase() && fits(segmentsOf(candidate.shape), segments),
  ).sort((a, b) => specificity(b).localeCompare(specificity(a)))[0];
}

/** The name of a row's allowance on its host. */
function rowName(of: EndpointQuota): string {
  return of.shared ?? `${of.method} ${of.shape}`;
}

/** All that one request to an API host uses: the host's general limit, and its endpoint's quota if it has one. */
export function quotasOf(
  host: string,
  method: string,
  path: string,
  scale: PeriodScale = { general: 1, endpoint: 1 },
): readonly Quota[] {
  const endpoint = endpointQuota(method, path);
  const { requests, periodMs } = GENERAL_LIMIT;
  return [
    { key: host, requests, periodMs: periodMs * scale.general },
    ...(endpoint === undefined
      ? []
      : [
          {
            key: `${host} ${rowName(endpoint)}`,
            requests: endpoint.requests,
            periodMs: endpoint.periodMinutes * MS_A_MINUTE * scale.endpoint,
          },
        ]),
  ];
}

/** Empty segments count for nothing: a path that is written oddly must not slip past its quota. */
function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function fits(shape: readonly string[], segments: readonly string[]): boolean {
  return (
    shape.length === segments.length &&
    shape.every((part, at) => part === '{id}' || part === segments[at])
  );
}

/** Sorts after another's where it is literal at the first place at which the two differ. */
function specificity(of: EndpointQuota): string {
  return segmentsOf(of.shape)
    .map((part) => (part === '{id}' ? '0' : '1'))
    .join('');
}
