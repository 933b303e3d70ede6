/** The endpoint limits, table 8.3 of the specification, independent of the client's own table. */
import type { Method } from './endpoint.js';
import { matchRoute } from './route-match.js';

export interface LimitRow {
  readonly method: Method;
  readonly path: string;
  readonly requests: number;
  readonly periodMinutes: number;
  /** Rows of the same quota share one count. */
  readonly quota: string;
}

const row = (name: string, requests: number, periodMinutes: number, quota = name): LimitRow => {
  const [method = '', path = ''] = name.split(' ');
  return { method: method as Method, path, requests, periodMinutes, quota };
};

export const LIMIT_TABLE: readonly LimitRow[] = [
  row('GET /at-home/server/{id}', 40, 1),
  row('POST /auth/login', 30, 60),
  row('POST /auth/refresh', 60, 60),
  row('POST /author', 10, 60),
  row('PUT /author', 10, 1),
  row('DELETE /author/{id}', 10, 10),
  row('POST /captcha/solve', 10, 10),
  row('POST /cover', 100, 10),
  row('PUT /cover/{id}', 100, 10),
  row('DELETE /cover/{id}', 10, 10),
  row('POST /chapter/{id}/read', 300, 10),
  row('PUT /chapter/{id}', 10, 1),
  row('DELETE /chapter/{id}', 10, 1),
  row('POST /forums/thread', 10, 1),
  row('POST /manga', 10, 60),
  row('PUT /manga/{id}', 10, 60),
  row('DELETE /manga/{id}', 10, 10),
  row('POST /manga/draft/{id}/commit', 10, 60),
  row('GET /manga/random', 60, 1),
  row('POST /report', 10, 1),
  row('GET /report', 10, 1),
  row('POST /group', 10, 60),
  row('PUT /group/{id}', 10, 1),
  row('DELETE /group/{id}', 10, 10),
  row('GET /upload', 30, 1),
  row('POST /upload/begin', 20, 1, 'upload begin'),
  row('POST /upload/begin/{id}', 20, 1, 'upload begin'),
  row('POST /upload/{id}/commit', 10, 1),
  row('DELETE /upload/{id}', 30, 1),
  row('POST /upload/{id}', 250, 1, 'upload files'),
  row('DELETE /upload/{id}/{id}', 250, 1, 'upload files'),
  row('DELETE /upload/{id}/batch', 250, 1, 'upload files'),
];

/** The row in which a request to the API host counts. */
export function limitRowOf(method: string, path: string): LimitRow | undefined {
  const rows = LIMIT_TABLE.filter((row) => row.method === method);
  return matchRoute(rows, path)?.route;
}
