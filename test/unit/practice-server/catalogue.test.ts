import { coverEndpoints } from '../../../src/practice-server/catalogue-covers.js';
import { catalogueEndpoints } from '../../../src/practice-server/catalogue-endpoints.js';
import type { EndpointResponse, Endpoint } from '../../../src/practice-server/endpoint.js';
import {
  endlessTitle,
  EXAMPLE_CHAPTERS,
  EXAMPLE_LISTS,
  EXAMPLE_TITLES,
  exampleLibrary,
} from '../../../src/practice-server/library/library.js';
import { matchRoute } from '../../../src/practice-server/route-match.js';

interface Entity {
  id: string;
  type: string;
  attributes: Record<string, unknown>;
  relationships: { id: string; type: string; attributes?: Record<string, unknown> }[];
}

interface Page {
  result: string;
  response: string;
  data: Entity[];
  limit: number;
  offset: number;
  total: number;
}

const NOW_MS = Date.UTC(2025, 5, 1);
const library = exampleLibrary();
const clock = { wallMs: () => NOW_MS };
let endpoints: Endpoint[] = [];

beforeEach(() => {
  endpoints = [...catalogueEndpoints(library, clock), ...coverEndpoints(library)];
});

interface AskOptions {
  method?: string;
  account?: string;
  json?: unknown;
}

/** Calls the matching endpoint. Brackets in the query need no encoding. */
function ask(target: string, { method = 'GET', account, json }: AskOptions = {}): EndpointResponse {
  const [path = '', query = ''] = target.split('?');
  const found = matchRoute(
    endpoints.filter((endpoint) => endpoint.method === method),
    path,
  );
  if (found === undefined) {
    throw new Error(`no endpoint for ${method} ${path}`);
  }
  return found.route.respond({
    method,
    path,
    ids: found.ids,
    query: new URLSearchParams(query),
    headers: json === undefined ? {} : { 'content-type': 'application/json' },
    body: Buffer.from(json === undefined ? '' : JSON.stringify(json)),
    ...(account === undefined ? {} : { account }),
  });
}

function bodyOf(response: EndpointResponse): unknown {
  return JSON.parse(typeof response.body === 'string' ? response.body : 'null');
}

function page(target: string, options: AskOptions = {}): Page {
  const response = ask(target, options);
  expect(response.status).toBe(200);
  return bodyOf(response) as Page;
}

function entity(target: string): Entity {
  const response = ask(target);
  expect(response.status).toBe(200);
  const body = bodyOf(response) as { result: string; response: string; data: Entity };
  expect([body.result, body.response]).toEqual(['ok', 'entity']);
  return body.data;
}

const idsOf = ({ data }: Page): string[] => data.map(({ id }) => id);
const attributesOf = ({ data }: Page, name: string): unknown[] =>
  data.map(({ attributes }) => attributes[name]);
const related = ({ relationships }: Entity, type: string): Entity['relationships'] =>
  relationships.filter((each) => each.type === type);

const LONG_FEED = `/manga/${EXAMPLE_TITLES.long}/feed`;
const LIGHTHOUSE_FEED = `/manga/${EXAMPLE_TITLES.lighthouse}/feed`;

describe('refusals', () => {
  test.each([
    ['an undocumented parameter', `${LONG_FEED}?colour=red`],
    ["the specification's word for limit", `${LONG_FEED}?size=10`],
    ['an array without its brackets', `${LONG_FEED}?translatedLanguage=en`],
    ['a limit over 500 for a feed', `${LONG_FEED}?limit=501`],
    ['a limit of 0 for a feed', `${LONG_FEED}?limit=0`],
    ['a limit over 100 for chapters', '/chapter?limit=101'],
    ['a window over 10,000', `${LONG_FEED}?limit=500&offset=9501`],
    ['a time with a zone', `${LONG_FEED}?createdAtSince=2024-01-01T00:00:00Z`],
    ['an unknown rating', `${LONG_FEED}?contentRating[]=mild`],
    ['an unknown order', `${LONG_FEED}?order[pages]=asc`],
    ['an id that is not a UUID', '/chapter?ids[]=7'],
    ['any parameter at a list', `/list/${EXAMPLE_LISTS.public}?includes[]=manga`],
  ])('%s is refused with the documented error', (_, target) => {
    const response = ask(target);
    expect(response.status).toBe(400);
    expect(bodyOf(response)).toMatchObject({
      result: 'error',
      errors: [{ status: 400, title: 'validation_exception' }],
    });
  });

  test.each(['/chapter', '/manga', '/list'])('%s responds with 404 for an unknown id', (path) => {
    const response = ask(`${path}/00000000-0000-4000-8000-000000000000`);
    expect(response.status).toBe(404);
    expect(bodyOf(response)).toMatchObject({ result: 'error', errors: [{ status: 404 }] });
  });

  test("a user's own data is refused to anonymous requests", () => {
    expect(ask('/user/follows/manga/feed').status).toBe(401);
    expect(ask(`/chapter/${EXAMPLE_CHAPTERS.first}/read`, { method: 'POST' }).status).toBe(401);
    expect(ask(`/list/${EXAMPLE_LISTS.private}`).status).toBe(404);
  });
});

describe('one chapter, one title', () => {
  test('a chapter has relationships to its groups, title and uploader without attributes', () => {
    const chapter = entity(`/chapter/${EXAMPLE_CHAPTERS.joint}`);
    expect(chapter.attributes).toMatchObject({
      volume: '2',
      chapter: '4',
      translatedLanguage: 'en',
      externalUrl: null,
      pages: 12,
      version: 1,
      publishAt: '2024-01-26T12:00:00+00:00',
    });
    expect(chapter.relationships.map(({ type }) => type)).toEqual([
      'scanlation_group',
      'scanlation_group',
      'manga',
      'user',
    ]);
    expect(chapter.relationships.every(({ attributes }) => attributes === undefined)).toBe(true);
  });

  test('includes[] adds the attributes of the named types', () => {
    const chapter = entity(
      `/chapter/${EXAMPLE_CHAPTERS.first}?includes[]=manga&includes[]=scanlation_group`,
    );
    expect(related(chapter, 'scanlation_group')[0]?.attributes).toMatchObject({
      name: 'Tidewater Scans',
    });
    expect(related(chapter, 'manga')[0]?.attributes).toMatchObject({
      title: { en: 'The Lighthouse Cat of Minami Island' },
      originalLanguage: 'ja',
      year: 2021,
      availableTranslatedLanguages: ['en', 'pt-br'],
    });
    expect(related(chapter, 'user')[0]?.attributes).toBeUndefined();
  });

  test('a title has its authors, artists and main cover', () => {
    const title = entity(
      `/manga/${EXAMPLE_TITLES.lighthouse}?includes[]=author&includes[]=artist&includes[]=cover_art`,
    );
    expect(related(title, 'author')[0]?.attributes).toMatchObject({ name: 'Aoi Minase' });
    expect(related(title, 'artist')[0]?.attributes).toMatchObject({ name: 'Ren Kurogane' });
    expect(related(title, 'cover_art')[0]?.attributes).toMatchObject({ volume: '1' });
    expect(title.attributes['tags']).toHaveLength(3);
  });
});

describe('feeds', () => {
  test('a page has its limit, its offset and the total', () => {
    const feed = page(`${LONG_FEED}?limit=500&offset=1500&order[chapter]=asc`);
    expect(feed).toMatchObject({
      result: 'ok',
      response: 'collection',
      limit: 500,
      offset: 1500,
      total: 1806,
    });
    expect(feed.data).toHaveLength(306);
    expect(page(LONG_FEED).data).toHaveLength(100);
  });

  test('consecutive pages contain each chapter once', () => {
    const ids = [0, 500, 1000, 1500].flatMap((offset) =>
      idsOf(page(`${LONG_FEED}?limit=500&offset=${offset}&order[chapter]=asc`)),
    );
    expect(ids).toHaveLength(1806);
    expect(new Set(ids).size).toBe(1806);
  });

  test('languages are filtered and orders applied in sequence', () => {
    const feed = page(
      `${LONG_FEED}?limit=4&translatedLanguage[]=es-la&translatedLanguage[]=pt-br&order[chapter]=desc&order[createdAt]=asc`,
    );
    expect(feed.total).toBe(980);
    expect(attributesOf(feed, 'chapter')).toEqual(['560', '559', '558', '557']);
    const numbers = attributesOf(page(`${LIGHTHOUSE_FEED}?order[chapter]=asc`), 'chapter');
    expect(numbers).toEqual(['1', '1', '2', '2', '3', '4', '5', '6', '10.5', null]);
  });

  test('unavailable and unpublished chapters are excluded by default', () => {
    const ids = idsOf(page(LIGHTHOUSE_FEED));
    expect(ids).toContain(EXAMPLE_CHAPTERS.external);
    expect(ids).not.toContain(EXAMPLE_CHAPTERS.unavailable);
    expect(ids).not.toContain(EXAMPLE_CHAPTERS.future);
    expect(idsOf(page(`${LIGHTHOUSE_FEED}?includeUnavailable=1`))).toContain(
      EXAMPLE_CHAPTERS.unavailable,
    );
  });

  test('include… selects such chapters at 1 and others at 0', () => {
    expect(idsOf(page(`${LIGHTHOUSE_FEED}?includeFuturePublishAt=1`))).toEqual([
      EXAMPLE_CHAPTERS.future,
    ]);
    expect(idsOf(page(`${LIGHTHOUSE_FEED}?includeEmptyPages=1`))).toEqual([
      EXAMPLE_CHAPTERS.external,
    ]);
    expect(idsOf(page(`${LIGHTHOUSE_FEED}?includeExternalUrl=1`)).sort()).toEqual(
      [EXAMPLE_CHAPTERS.external, EXAMPLE_CHAPTERS.externalWithPages].sort(),
    );
    const without = idsOf(page(`${LIGHTHOUSE_FEED}?includeEmptyPages=0`));
    expect(without).not.toContain(EXAMPLE_CHAPTERS.external);
    expect(without).toContain(EXAMPLE_CHAPTERS.future);
  });

  test('a group can be excluded', () => {
    const tidewater = '0d4c7b1a-62f9-4e35-8a17-1b5d8fae9201';
    const ids = idsOf(page(`${LIGHTHOUSE_FEED}?excludedGroups[]=${tidewater}`));
    expect(ids.sort()).toEqual(
      [EXAMPLE_CHAPTERS.portuguese, EXAMPLE_CHAPTERS.secondByOthers, EXAMPLE_CHAPTERS.bare].sort(),
    );
  });

  test('createdAtSince includes chapters of that time', () => {
    const since = (moment: string): string[] =>
      idsOf(page(`${LIGHTHOUSE_FEED}?createdAtSince=${moment}&order[createdAt]=asc`));
    expect(since('2024-03-01T12:00:00')).toEqual([EXAMPLE_CHAPTERS.decimal, EXAMPLE_CHAPTERS.bare]);
    expect(since('2024-03-01T12:00:01')).toEqual([EXAMPLE_CHAPTERS.bare]);
    expect(idsOf(page(`${LIGHTHOUSE_FEED}?updatedAtSince=2024-02-20T00:00:00`))).toContain(
      EXAMPLE_CHAPTERS.reuploaded,
    );
  });

  test('pornographic titles are excluded by default', () => {
    const feed = `/manga/${EXAMPLE_TITLES.rated}/feed`;
    expect(page(feed).total).toBe(0);
    expect(page(`${feed}?contentRating[]=pornographic`).total).toBe(1);
    expect(page(`/manga/${EXAMPLE_TITLES.wordy}/feed`).total).toBe(1);
  });

  test('createdAtSince continues a feed beyond the window', () => {
    const endless = endlessTitle();
    const [id] = endless.titles().map((title) => title.id);
    endpoints = catalogueEndpoints(endless, clock);
    const feed = `/manga/${id ?? ''}/feed`;
    const ordered = `${feed}?limit=500&order[createdAt]=asc`;
    const last = page(`${ordered}&offset=9500`).data.at(-1);
    expect(ask(`${ordered}&offset=10000`).status).toBe(400);
    const since = String(last?.attributes['createdAt']).slice(0, 19);
    const all = endless.chapters();
    const before = all.filter(({ attributes }) => attributes.createdAt.slice(0, 19) < since);
    expect(before.length).toBeLessThan(10_000);
    const rest = idsOf(page(`${ordered}&createdAtSince=${since}`));
    expect(rest.length).toBeLessThan(500);
    expect(new Set([...before.map(({ id }) => id), ...rest]).size).toBe(all.length);
  });
});

describe('chapters by id', () => {
  test('up to 100 ids fit in one page', () => {
    const requested = [EXAMPLE_CHAPTERS.first, EXAMPLE_CHAPTERS.decimal];
    const query = requested.map((id) => `ids[]=${id}`).join('&');
    expect(idsOf(page(`/chapter?limit=100&${query}`)).sort()).toEqual([...requested].sort());
  });
});

describe('searches', () => {
  const found = (query: string): string[] => idsOf(page(`/manga?${query}`));

  test('a title is found by words of any of its names, ignoring case and accents', () => {
    expect(found('title=lighthouse cat')).toEqual([EXAMPLE_TITLES.lighthouse]);
    expect(found('title=TODAI')).toEqual([EXAMPLE_TITLES.lighthouse]);
    expect(found(`title=${encodeURIComponent('灯台')}`)).toEqual([EXAMPLE_TITLES.lighthouse]);
    expect(found('title=no such thing')).toEqual([]);
  });

  test('titles are filtered by id, language, status, tag and rating', () => {
    expect(found(`ids[]=${EXAMPLE_TITLES.long}`)).toEqual([EXAMPLE_TITLES.long]);
    expect(found('originalLanguage[]=ko')).toEqual([EXAMPLE_TITLES.starlight]);
    expect(found('status[]=completed')).toEqual([EXAMPLE_TITLES.starlight]);
    expect(found('availableTranslatedLanguage[]=pt-br').sort()).toEqual(
      [EXAMPLE_TITLES.lighthouse, EXAMPLE_TITLES.long].sort(),
    );
    expect(found('')).not.toContain(EXAMPLE_TITLES.rated);
    expect(found('contentRating[]=pornographic')).toEqual([EXAMPLE_TITLES.rated]);
    expect(found('order[year]=desc&limit=1')).toEqual([EXAMPLE_TITLES.lighthouse]);
  });
});

describe('lists and follows', () => {
  test('a list has its titles, and its feed their chapters', () => {
    const list = entity(`/list/${EXAMPLE_LISTS.public}`);
    expect(list.attributes).toMatchObject({ name: 'For rainy days', visibility: 'public' });
    expect(related(list, 'manga').map(({ id }) => id)).toEqual([
      EXAMPLE_TITLES.lighthouse,
      EXAMPLE_TITLES.starlight,
      EXAMPLE_TITLES.odd,
    ]);
    expect(page(`/list/${EXAMPLE_LISTS.public}/feed?limit=500`).total).toBe(14);
    expect(page(`/list/${EXAMPLE_LISTS.empty}/feed`).total).toBe(0);
  });

  test('the titles that a user follows have a feed', () => {
    const feed = page('/user/follows/manga/feed?translatedLanguage[]=es-la', { account: 'reader' });
    expect(idsOf(feed)).toEqual([EXAMPLE_CHAPTERS.starlightSpanish]);
    expect(page('/user/follows/manga', { account: 'reader' }).total).toBe(3);
  });
});

describe('covers', () => {
  test('the covers of a title are ordered by volume and their images served', () => {
    const covers = page(`/cover?manga[]=${EXAMPLE_TITLES.lighthouse}&order[volume]=desc`);
    expect(attributesOf(covers, 'volume')).toEqual(['2', '1']);
    const fileName = String(covers.data[1]?.attributes['fileName']);
    const path = `/covers/${EXAMPLE_TITLES.lighthouse}/${fileName}`;
    expect(ask(path)).toMatchObject({ status: 200, headers: { 'Content-Type': 'image/png' } });
    expect(ask(`${path}.512.jpg`).headers).toEqual({ 'Content-Type': 'image/jpeg' });
    expect(ask(`/covers/${EXAMPLE_TITLES.long}/${fileName}`).status).toBe(404);
  });
});

describe('requests of other clients', () => {
  const { lighthouse, rated } = EXAMPLE_TITLES;
  const author = () => related(entity(`/manga/${lighthouse}`), 'author')[0]?.id;

  test.each([
    ['author', author, { name: 'Aoi Minase' }],
    ['group', () => '0d4c7b1a-62f9-4e35-8a17-1b5d8fae9201', { name: 'Tidewater Scans' }],
    ['cover', () => page(`/cover?manga[]=${lighthouse}`).data[0]?.id, { volume: '1' }],
  ])('%s is found by its id', (path, id, attributes) => {
    expect(entity(`/${path}/${id() ?? ''}`).attributes).toMatchObject(attributes);
    expect(ask(`/${path}/00000000-0000-4000-8000-000000000000`).status).toBe(404);
  });

  test('an author has their titles', () => {
    const person = entity(`/author/${author() ?? ''}?includes[]=manga`);
    const [first] = related(person, 'manga');
    expect(first).toMatchObject({ id: lighthouse, attributes: { year: 2021 } });
  });

  test('all tags are on one page', () => {
    const tags = page('/manga/tag');
    expect(tags).toMatchObject({ limit: tags.total, offset: 0 });
    expect(attributesOf(tags, 'name')).toContainEqual({ en: 'Adventure' });
    expect(new Set(idsOf(tags)).size).toBe(tags.total);
  });

  test('a random title matches the query', () => {
    expect(entity('/manga/random?contentRating[]=pornographic').id).toBe(rated);
    const adventure = '1b0c5e7d-3f28-4a96-8d41-60a2d4f3a301';
    const found = entity(`/manga/random?includedTags[]=${adventure}`).id;
    expect([lighthouse, EXAMPLE_TITLES.long]).toContain(found);
  });

  test('the aggregate has the published chapters by number', () => {
    const { volumes } = bodyOf(ask(`/manga/${lighthouse}/aggregate?translatedLanguage[]=en`)) as {
      volumes: Record<string, { count: number; chapters: Record<string, object> }>;
    };
    expect(Object.keys(volumes)).toEqual(['1', '2', 'none']);
    expect(volumes['1']).toMatchObject({
      volume: '1',
      count: 4,
      chapters: {
        '1': { chapter: '1', id: EXAMPLE_CHAPTERS.first, others: [], count: 1 },
        '2': {
          chapter: '2',
          id: EXAMPLE_CHAPTERS.second,
          others: [EXAMPLE_CHAPTERS.secondByOthers],
          count: 2,
        },
      },
    });
    expect(Object.keys(volumes['2']?.chapters ?? {})).not.toContain('7');
    expect(bodyOf(ask(`/manga/${lighthouse}/aggregate?translatedLanguage[]=fr`))).toEqual({
      result: 'ok',
      volumes: [],
    });
  });

  test('people and groups are found by id and by name', () => {
    const [person] = library.titles().flatMap(({ authors }) => authors);
    expect(idsOf(page(`/author?ids[]=${person?.id ?? ''}`))).toEqual([person?.id]);
    expect(attributesOf(page('/author?name=minase'), 'name')).toEqual(['Aoi Minase']);
    expect(attributesOf(page('/group?name=tide'), 'name')).toEqual(['Tidewater Scans']);
    expect(entity('/group/0d4c7b1a-62f9-4e35-8a17-1b5d8fae9201').type).toBe('scanlation_group');
  });

  test('statistics cover each requested title', () => {
    const path = `/statistics/manga?manga[]=${lighthouse}&manga[]=${rated}`;
    const { statistics } = bodyOf(ask(path)) as { statistics: Record<string, object> };
    expect(Object.keys(statistics)).toEqual([lighthouse, rated]);
    expect(statistics[lighthouse]).toMatchObject({ rating: { average: null }, follows: 0 });
    expect(ask('/statistics/manga').status).toBe(400);
  });

  test('the logged-in user is returned to that user only', () => {
    expect(ask('/user/me').status).toBe(401);
    const { data } = bodyOf(ask('/user/me', { account: 'reader' })) as { data: Entity };
    expect(data).toMatchObject({ type: 'user', attributes: { username: 'reader' } });
    expect(bodyOf(ask('/auth/check'))).toMatchObject({ isAuthenticated: false });
    expect(bodyOf(ask('/auth/check', { account: 'reader' }))).toMatchObject({
      isAuthenticated: true,
    });
  });

  test('the latest uploaded chapter of a title is published', () => {
    const { attributes } = entity(`/manga/${lighthouse}`);
    expect(attributes['latestUploadedChapter']).toBe(EXAMPLE_CHAPTERS.bare);
    expect(idsOf(page(`${LIGHTHOUSE_FEED}?limit=500`))).toContain(
      attributes['latestUploadedChapter'],
    );
  });
});

describe('reading markers', () => {
  const account = 'reader';
  const marks = (): unknown =>
    (bodyOf(ask(`/manga/${EXAMPLE_TITLES.lighthouse}/read`, { account })) as { data: unknown })
      .data;

  test('a chapter is marked by its endpoint', () => {
    const response = ask(`/chapter/${EXAMPLE_CHAPTERS.first}/read`, { method: 'POST', account });
    expect([response.status, bodyOf(response)]).toEqual([200, { result: 'ok' }]);
    expect(marks()).toEqual([EXAMPLE_CHAPTERS.first]);
  });

  test('chapters of a title are marked and unmarked together', () => {
    const path = `/manga/${EXAMPLE_TITLES.lighthouse}/read`;
    const { first, second, joint } = EXAMPLE_CHAPTERS;
    ask(path, { method: 'POST', account, json: { chapterIdsRead: [first, second] } });
    ask(path, {
      method: 'POST',
      account,
      json: { chapterIdsRead: [joint], chapterIdsUnread: [first] },
    });
    expect(marks()).toEqual([second, joint]);
  });

  test('the marks of several titles are listed together, or by title', () => {
    const { lighthouse, starlight } = EXAMPLE_TITLES;
    const { second, starlightSpanish } = EXAMPLE_CHAPTERS;
    for (const id of [second, starlightSpanish]) {
      ask(`/chapter/${id}/read`, { method: 'POST', account });
    }
    const path = `/manga/read?ids[]=${lighthouse}&ids[]=${starlight}&ids[]=${EXAMPLE_TITLES.odd}`;
    const markers = (query = '', of = account) => bodyOf(ask(path + query, { account: of }));
    expect(markers()).toEqual({ result: 'ok', data: [second, starlightSpanish] });
    expect(markers('&grouped=true')).toEqual({
      result: 'ok',
      data: { [lighthouse]: [second], [starlight]: [starlightSpanish] },
    });
    expect(markers('', 'another reader')).toEqual({ result: 'ok', data: [] });
    expect(ask(path).status).toBe(401);
    expect(ask(`${path}&grouped=1`, { account }).status).toBe(400);
    expect(ask('/manga/read?ids[]=7', { account }).status).toBe(400);
  });

  test.each([[{ chapters: [] }], [{ chapterIdsRead: 'all' }], [undefined]])(
    'a body that is not as documented is refused: %j',
    (json) => {
      const path = `/manga/${EXAMPLE_TITLES.lighthouse}/read`;
      expect(ask(path, { method: 'POST', account, json }).status).toBe(400);
      expect(marks()).toEqual([]);
    },
  );
});
