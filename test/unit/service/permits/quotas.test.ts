import { readAddresses } from '../../../../src/config/service-addresses.js';
import {
  ENDPOINT_QUOTAS,
  endpointQuota,
  quotaKeysOf,
  quotasOf,
} from '../../../../src/service/quotas.js';

const keyOf = (method: string, path: string): string | undefined =>
  quotasOf('api', method, path)[1]?.key;

test('the table has the 32 rows of spec 8.3', () => {
  expect(ENDPOINT_QUOTAS).toHaveLength(32);
  const rows = ENDPOINT_QUOTAS.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(rows).size).toBe(32);
});

test.each([
  ['GET', '/at-home/server/a96676e5', 40, 1],
  ['POST', '/author', 10, 60],
  ['PUT', '/author', 10, 1],
  ['POST', '/chapter/1/read', 300, 10],
  ['GET', '/manga/random', 60, 1],
  ['DELETE', '/manga/random', 10, 10],
  ['POST', '/upload/begin', 20, 1],
  ['POST', '/upload/begin/7', 20, 1],
  ['POST', '/upload/7', 250, 1],
  ['POST', '/upload/7/commit', 10, 1],
  ['DELETE', '/upload/7', 30, 1],
  ['DELETE', '/upload/7/8', 250, 1],
  ['DELETE', '/upload/7/batch', 250, 1],
  ['POST', '/upload/begin/commit', 20, 1],
])('%s %s draws on %d requests in %d minutes', (method, path, requests, minutes) => {
  expect(quotasOf('api', method, path)).toEqual([
    { key: 'api', requests: 5, periodMs: 1_000 },
    { key: keyOf(method, path), requests, periodMs: minutes * 60_000 },
  ]);
});

test('rows that share a quota share a key, and no others do', () => {
  expect(keyOf('POST', '/upload/begin')).toBe(keyOf('POST', '/upload/begin/7'));
  expect(keyOf('POST', '/upload/7')).toBe(keyOf('DELETE', '/upload/7/batch'));
  expect(keyOf('POST', '/upload/7')).toBe(keyOf('DELETE', '/upload/7/8'));
  const keys = ENDPOINT_QUOTAS.map(({ method, path }) => keyOf(method, path));
  expect(new Set(keys).size).toBe(32 - 1 - 2);
});

test('other requests use only the general limit; no spelling of a path bypasses its quota', () => {
  for (const path of ['/manga/x', '/at-home/server', '/at-home/server/x/y', '/']) {
    expect(quotasOf('api', 'GET', path)).toHaveLength(1);
  }
  expect(endpointQuota('get', '//at-home//server/x/')).toBe(ENDPOINT_QUOTAS[0]);
});

describe('the quotas of a request', () => {
  const addresses = readAddresses({
    apiUrl: 'https://api.example.org/v2/',
    authUrl: 'https://auth.example.org',
    networkUrl: 'https://api.example.network',
    realm: 'r',
  });
  const keys = (method: string, url: string): readonly string[] =>
    quotaKeysOf(addresses, { method, url: new URL(url) });

  test('are found below the base path, for every spelling of the host', () => {
    const expected = ['api.example.org', 'api.example.org GET /at-home/server/{id}'];
    expect(keys('GET', 'https://api.example.org/v2/at-home/server/x')).toEqual(expected);
    expect(keys('GET', 'https://API.example.org.:443/v2/at-home/server/x')).toEqual(expected);
  });

  test('are none for the report host: its /report is not an endpoint of the API', () => {
    expect(keys('POST', 'https://api.example.network/report')).toEqual([]);
    expect(keys('POST', 'https://api.example.org/v2/report')).toHaveLength(2);
  });

  test('are separate for each host', () => {
    expect(keys('POST', 'https://auth.example.org/realms/r/token')).toEqual(['auth.example.org']);
  });
});
