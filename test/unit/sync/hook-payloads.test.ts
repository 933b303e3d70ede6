import { join, sep } from 'node:path';
import { commonFolder, seriesUpdates } from '../../../src/events/series-updates.js';
import { mapPath, notificationText } from '../../../src/sync/hooks/hook-payloads.js';
import {
  kavitaRequest,
  komgaRequest,
  ntfyRequest,
  webhookRequest,
} from '../../../src/sync/hooks/web-hooks.js';

const path = (...parts: string[]) => join(sep, ...parts);
const update = (titleId: string, number: string, file: string) => ({
  titleId,
  series: `Series ${titleId}`,
  output: path('comics'),
  chapter: { id: `${titleId}-${number}`, number, language: 'en', groups: ['G'], file },
});

const [one] = seriesUpdates([
  update('a', '1', path('comics', 'A', '1.cbz')),
  update('a', '2', path('comics', 'A', 'Extra', '2.cbz')),
]);
if (!one) throw new Error('There is no update.');

test('one payload for each series, with the folder of its files', () => {
  const updates = seriesUpdates([
    update('a', '1', path('comics', 'A', '1.cbz')),
    update('b', '1', path('comics', 'B', '1.cbz')),
    update('a', '2', path('comics', 'A', '2.cbz')),
  ]);
  expect(updates).toMatchObject([
    {
      event: 'series-updated',
      series: { id: 'a', name: 'Series a', folder: path('comics', 'A') },
      chapters: [{ id: 'a-1' }, { id: 'a-2' }],
    },
    { series: { id: 'b' }, chapters: [{ id: 'b-1' }] },
  ]);
  expect(commonFolder([path('a', 'x.cbz'), path('b', 'x.cbz')])).toBe(sep);
});

describe('the path of a media server', () => {
  test.each([
    [path('home', 'me', 'Comics', 'A'), '/comics/A'],
    [path('home', 'me', 'Comics'), '/comics'],
    [path('home', 'me', 'Comics', 'Manga', 'A', 'B'), '/manga/A/B'],
    [path('home', 'me', 'ComicsOther'), path('home', 'me', 'ComicsOther')],
  ])('%s is %s', (folder, expected) => {
    const map = {
      [path('home', 'me', 'Comics')]: '/comics/',
      [path('home', 'me', 'Comics', 'Manga') + sep]: '/manga',
    };
    expect(mapPath(folder, map)).toBe(expected);
  });

  test('everything below the root', () => {
    expect(mapPath(path('comics', 'A'), { [sep]: '/mnt' })).toBe('/mnt/comics/A');
    expect(mapPath(path('comics', 'A'), { [path('comics')]: '/' })).toBe('/A');
  });
});

test('the requests are those of the API descriptions', () => {
  expect(webhookRequest({ url: 'https://example.org/hook' }, one)).toEqual({
    url: new URL('https://example.org/hook'),
    json: one,
    headers: {},
  });
  expect(ntfyRequest({ url: 'https://ntfy.sh/topic' }, one, 'token')).toMatchObject({
    text: 'Series a: 2 new chapters (1, 2)',
    headers: { authorization: 'Bearer token' },
  });
  expect(komgaRequest({ url: 'http://nas:25600/komga/', library: 'LIB' }, 'key')).toEqual({
    url: new URL('http://nas:25600/komga/api/v1/libraries/LIB/scan'),
    headers: { 'X-API-Key': 'key' },
  });
  const kavita = { url: 'http://nas:5000', 'path-map': { [path('comics')]: '/data' } };
  expect(kavitaRequest(kavita, one, 'key')).toMatchObject({
    url: new URL('http://nas:5000/api/Library/scan-folder'),
    json: { folderPath: '/data/A' },
    headers: { 'x-api-key': 'key' },
  });
});

test.each([
  [path('comics', 'A... B', 'Vol.1', 'x.cbz'), '/data'],
  [path('comics', 'C', 'A..', 'x.cbz'), '/data/C'],
])('Kavita is sent the nearest folder without two dots: %s', (file, folderPath) => {
  const [dotted] = seriesUpdates([update('a', '1', file)]);
  if (!dotted) throw new Error('There is no update.');
  const kavita = { url: 'http://nas:5000', 'path-map': { [path('comics')]: '/data' } };
  expect(kavitaRequest(kavita, dotted, 'key').json).toMatchObject({ folderPath });
});

test('a notification names at most ten chapters', () => {
  const many = Array.from({ length: 12 }, (_, index) =>
    update('a', String(index + 1), path('comics', 'A', 'x.cbz')),
  );
  const [all] = seriesUpdates(many);
  if (!all) throw new Error('There is no update.');
  expect(notificationText(all)).toBe(
    'Series a: 12 new chapters (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)',
  );
});

test.each([
  ['..', '/a/%252E%252E/b', '..'],
  ['.', '/a/%252E/b', '.'],
  ['../..', '/a/..%2F../b', '../..'],
  ['...', '/a/.../b', '...'],
])('a title %s stays one segment of the path of a webhook', (name, pathname, inQuery) => {
  const url = 'https://example.org/a/{series}/b?name={series}';
  const { url: filled } = webhookRequest({ url }, { ...one, series: { ...one.series, name } });
  expect([filled.pathname, filled.searchParams.get('name')]).toEqual([pathname, inQuery]);
});
