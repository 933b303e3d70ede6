/** The published limits: the general one of each API host (spec 8.2), and the endpoint table (spec 8.3). */
import type { RequestInfo } from './permits/rate-ledger.js';
import { hostKey, pathBelow, type ServiceAddresses } from '../config/service-addresses.js';

export interface Quota {
  /** Requests with the same key draw on the same quota. */
  readonly key: string;
  readonly requests: number;
  readonly periodMs: number;
}

export interface EndpointQuota {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `{id}` stands for any one segment. */
  readonly path: string;
  readonly requests: number;
  readonly periodMinutes: number;
  /** Rows with the same name share one quota. */
  readonly sharedName?: string;
}

const row = (
  method: EndpointQuota['method'],
  path: string,
  requests: number,
  periodMinutes: number,
  sharedName?: string,
): EndpointQuota => ({ method, path, requests, periodMinutes, sharedName });

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

/** Spec 8.2.1: about 5 per second. */
const GENERAL_LIMIT = { requests: 5, periodMs: 1_000 } as const;

/** The longest period of the table. */
export const MAX_PERIOD_MS = 60 * 60_000;
const UNKNOWN_QUOTA = { requests: 1, periodMinutes: 60 } as const;

const ROWS_BY_NAME = new Map([...ENDPOINT_QUOTAS].reverse().map((each) => [nameOf(each), each]));

/** Factors on the published periods, for a practice service with shorter ones. */
export interface PeriodScale {
  readonly general: number;
  readonly endpoint: number;
}

/**
 * The row that applies to a request; `path` is relative to the API's base, with a leading slash. Of several matching
 * rows, the one that is literal for longer wins: in `/upload/begin`, `begin` is not an `{id}`.
 */
export function endpointQuota(method: string, path: string): EndpointQuota | undefined {
  const segments = segmentsOf(path);
  const matching = ENDPOINT_QUOTAS.filter(
    (row) => row.method === method.toUpperCase() && matches(segmentsOf(row.path), segments),
  );
  // A brace sorts after every letter, and so `{id}` after a literal segment.
  return matching.sort((a, b) => (a.path < b.path ? -1 : 1))[0];
}

/** The quotas of a request to an API host: the general limit, and that of its endpoint if it has one. */
export function quotasOf(host: string, method: string, path: string): readonly Quota[] {
  return keysOf(host, endpointQuota(method, path)).map((key) => quotaOf(key));
}

function keysOf(host: string, row: EndpointQuota | undefined): readonly string[] {
  return row ? [host, `${host} ${nameOf(row)}`] : [host];
}

/** The quota of a key. One that this version does not know counts as used up for an hour. */
export function quotaOf(key: string, scale: PeriodScale = { general: 1, endpoint: 1 }): Quota {
  if (isGeneralKey(key)) {
    const { requests, periodMs } = GENERAL_LIMIT;
    return { key, requests, periodMs: periodMs * scale.general };
  }
  const name = key.slice(key.indexOf(' ') + 1);
  const { requests, periodMinutes } = ROWS_BY_NAME.get(name) ?? UNKNOWN_QUOTA;
  return { key, requests, periodMs: periodMinutes * 60_000 * scale.endpoint };
}

/** Whether a key is that of a host's general limit. */
export function isGeneralKey(key: string): boolean {
  return !key.includes(' ');
}

function nameOf({ sharedName, method, path }: EndpointQuota): string {
  return sharedName ?? `${method} ${path}`;
}

/**
 * The keys of the quotas of a request, the general limit first: it applies to the API's host and, by itself, to the token
 * endpoint's. Others have no known limit.
 */
export function quotaKeysOf(
  { apiUrl, authUrl }: ServiceAddresses,
  { method, url }: RequestInfo,
): readonly string[] {
  const host = hostKey(url);
  if (host === hostKey(apiUrl))
    return keysOf(host, endpointQuota(method, pathBelow(apiUrl, url) ?? ''));
  return host === hostKey(authUrl) ? [host] : [];
}

/** Ignores empty segments, so that no spelling of a path bypasses its quota. */
function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => part === '{id}' || part === segments[index])
  );
}
