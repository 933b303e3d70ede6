import { beforeEach, describe, expect, test } from '@jest/globals';
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

interface Asking {
  method?: string;
  account?: string;
  json?: unknown;
}

/** Asks the endpoint that the path and method name; brackets in the query need no encoding. */
function ask(target: string, { method = 'GET', account, json }: Asking = {}): EndpointResponse {
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

function bodyOf(answer: EndpointResponse): unknown {
  return JSON.parse(typeof answer.body === 'string' ? answer.body : 'null');
}

function page(target: string, asking: Asking = {}): Page {
  const answer = ask(target, asking);
  expect(answer.status).toBe(200);
  return bodyOf(answer) as Page;
}

function entity(target: string): Entity {
  const answer = ask(target);
  expect(answer.status).toBe(200);
  const body = bodyOf(answer) as { result: string; response: string; data: Entity };
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
    ['a parameter that is not documented', `${LONG_FEED}?colour=red`],
    ["the specification's word for limit", `${LONG_FEED}?size=10`],
    ['an array without its brackets', `${LONG_FEED}?translatedLanguage=en`],
    ['a limit over 500 for a feed', `${LONG_FEED}?limit=501`],
    ['a limit of 0 for a feed', `${LONG_FEED}?limit=0`],
    ['a limit over 100 for chapters', '/chapter?limit=101'],
    ['a window over 10,000', `${LONG_FEED}?limit=500&offset=9501`],
    ['a time with a zone', `${LONG_FEED}?createdAtSince=2024-01-01T00:00:00Z`],
    ['a rating that there is not', `${LONG_FEED}?contentRating[]=mild`],
    ['an order that there is not', `${LONG_FEED}?order[pages]=asc`],
    ['an id that is no UUID', '/chapter?ids[]=7'],
    ['any parameter at a list', `/list/${EXAMPLE_LISTS.public}?includes[]=manga`],
  ])('%s is refused with the documented error body', (_, target) => {
    const answer = ask(target);
    expect(answer.status).toBe(400);
    expect(bodyOf(answer)).toMatchObject({
      result: 'error',
      errors: [{ status: 400, title: 'validation_exception' }],
    });
  });

  test.each(['/chapter', '/manga', '/list'])(
    '%s answers 404 for an id that it does not know',
    (path) => {
      const answer = ask(`${path}/00000000-0000-4000-8000-000000000000`);
      expect(answer.status).toBe(404);
      expect(bodyOf(answer)).toMatchObject({ result: 'error', errors: [{ status: 404 }] });
    },
  );

  test("what is a reader's own is refused to guests", () => {
    expect(ask('/user/follows/manga/feed').status).toBe(401);
    expect(ask(`/chapter/${EXAMPLE_CHAPTERS.first}/read`, { method: 'POST' }).status).toBe(401);
    expect(ask(`/list/${EXAMPLE_LISTS.private}`).status).toBe(404);
  });
});

describe('one chapter, one title', () => {
  test('a chapter points to its groups, its title and its uploader, without their attributes', () => {
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

  test('includes[] gives the attributes of what it names', () => {
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

  test('a title gives its authors, artists and main cover', () => {
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
  test('a page has its limit, its offset, and the total of all pages', () => {
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

  test('pages one after another give each chapter once', () => {
    const ids = [0, 500, 1000, 1500].flatMap((offset) =>
      idsOf(page(`${LONG_FEED}?limit=500&offset=${offset}&order[chapter]=asc`)),
    );
    expect(ids).toHaveLength(1806);
    expect(new Set(ids).size).toBe(1806);
  });

  test('languages are chosen, and orders applied one after another', () => {
    const feed = page(
      `${LONG_FEED}?limit=4&translatedLanguage[]=es-la&translatedLanguage[]=pt-br&order[chapter]=desc&order[createdAt]=asc`,
    );
    expect(feed.total).toBe(980);
    expect(attributesOf(feed, 'chapter')).toEqual(['560', '559', '558', '557']);
    const numbers = attributesOf(page(`${LIGHTHOUSE_FEED}?order[chapter]=asc`), 'chapter');
    expect(numbers).toEqual(['1', '1', '2', '2', '3', '4', '5', '6', '10.5', null]);
  });

  test('unavailable and unpublished chapters are left out where nothing else is asked', () => {
    const ids = idsOf(page(LIGHTHOUSE_FEED));
    expect(ids).toContain(EXAMPLE_CHAPTERS.external);
    expect(ids).not.toContain(EXAMPLE_CHAPTERS.unavailable);
    expect(ids).not.toContain(EXAMPLE_CHAPTERS.future);
    expect(idsOf(page(`${LIGHTHOUSE_FEED}?includeUnavailable=1`))).toContain(
      EXAMPLE_CHAPTERS.unavailable,
    );
  });

  test('an include… of 1 shows only such chapters, and of 0 only others', () => {
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

  test('a group can be left out', () => {
    const tidewater = '0d4c7b1a-62f9-4e35-8a17-1b5d8fae9201';
    const ids = idsOf(page(`${LIGHTHOUSE_FEED}?excludedGroups[]=${tidewater}`));
    expect(ids.sort()).toEqual(
      [EXAMPLE_CHAPTERS.portuguese, EXAMPLE_CHAPTERS.secondByOthers, EXAMPLE_CHAPTERS.bare].sort(),
    );
  });

  test('a chapter as old as the time named is still shown', () => {
    const since = (moment: string): string[] =>
      idsOf(page(`${LIGHTHOUSE_FEED}?createdAtSince=${moment}&order[createdAt]=asc`));
    expect(since('2024-03-01T12:00:00')).toEqual([EXAMPLE_CHAPTERS.decimal, EXAMPLE_CHAPTERS.bare]);
    expect(since('2024-03-01T12:00:01')).toEqual([EXAMPLE_CHAPTERS.bare]);
    expect(idsOf(page(`${LIGHTHOUSE_FEED}?updatedAtSince=2024-02-20T00:00:00`))).toContain(
      EXAMPLE_CHAPTERS.reuploaded,
    );
  });

  test('a pornographic title must be asked for', () => {
    const feed = `/manga/${EXAMPLE_TITLES.rated}/feed`;
    expect(page(feed).total).toBe(0);
    expect(page(`${feed}?contentRating[]=pornographic`).total).toBe(1);
    expect(page(`/manga/${EXAMPLE_TITLES.wordy}/feed`).total).toBe(1);
  });

  test('beyond the window a feed is walked on by createdAtSince', () => {
    const endless = endlessTitle();
    const [id] = endless.titles().map((title) => title.id);
    endpoints = catalogueEndpoints(endless, clock);
    const feed = `/manga/${id ?? ''}/feed`;
    const seen = new Set<string>();
    let since = '';
    for (let walk = 0; walk < 2; walk += 1) {
      let latest: Entity | undefined;
      for (let offset = 0; offset < 10_000; offset += 500) {
        const { data } = page(`${feed}?limit=500&offset=${offset}&order[createdAt]=asc${since}`);
        data.forEach((chapter) => seen.add(chapter.id));
        latest = data.at(-1) ?? latest;
      }
      since = `&createdAtSince=${String(latest?.attributes['createdAt']).slice(0, 19)}`;
    }
    expect(ask(`${feed}?limit=500&offset=10000`).status).toBe(400);
    expect(seen.size).toBe(endless.chapters().length);
  });
});

describe('chapters by id', () => {
  test('up to 100 ids are answered in one page', () => {
    const wanted = [EXAMPLE_CHAPTERS.first, EXAMPLE_CHAPTERS.decimal];
    const query = wanted.map((id) => `ids[]=${id}`).join('&');
    expect(idsOf(page(`/chapter?limit=100&${query}`)).sort()).toEqual([...wanted].sort());
  });
});

describe('searches', () => {
  const found = (query: string): string[] => idsOf(page(`/manga?${query}`));

  test('a title is found by words of any of its names, without regard to case and accents', () => {
    expect(found('title=lighthouse cat')).toEqual([EXAMPLE_TITLES.lighthouse]);
    expect(found('title=TODAI')).toEqual([EXAMPLE_TITLES.lighthouse]);
    expect(found(`title=${encodeURIComponent('灯台')}`)).toEqual([EXAMPLE_TITLES.lighthouse]);
    expect(found('title=no such thing')).toEqual([]);
  });

  test('titles are chosen by id, language, status, tag and rating', () => {
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
  test('a list names its titles, and its feed has their chapters', () => {
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

  test('the titles that a reader follows have a feed for that reader', () => {
    const feed = page('/user/follows/manga/feed?translatedLanguage[]=es-la', { account: 'reader' });
    expect(idsOf(feed)).toEqual([EXAMPLE_CHAPTERS.starlightSpanish]);
    expect(page('/user/follows/manga', { account: 'reader' }).total).toBe(2);
  });
});

describe('covers', () => {
  test('the covers of a title are listed by volume, and their pictures served', () => {
    const covers = page(`/cover?manga[]=${EXAMPLE_TITLES.lighthouse}&order[volume]=desc`);
    expect(attributesOf(covers, 'volume')).toEqual(['2', '1']);
    const fileName = String(covers.data[1]?.attributes['fileName']);
    const path = `/covers/${EXAMPLE_TITLES.lighthouse}/${fileName}`;
    expect(ask(path)).toMatchObject({ status: 200, headers: { 'Content-Type': 'image/png' } });
    expect(ask(`${path}.512.jpg`).headers).toEqual({ 'Content-Type': 'image/jpeg' });
    expect(ask(`/covers/${EXAMPLE_TITLES.long}/${fileName}`).status).toBe(404);
  });
});

describe('what other clients ask for', () => {
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

  test('an author names the titles that they made', () => {
    const person = entity(`/author/${author() ?? ''}?includes[]=manga`);
    const [first] = related(person, 'manga');
    expect(first).toMatchObject({ id: lighthouse, attributes: { year: 2021 } });
  });

  test('all tags come in one page', () => {
    const tags = page('/manga/tag');
    expect(tags).toMatchObject({ limit: tags.total, offset: 0 });
    expect(attributesOf(tags, 'name')).toContainEqual({ en: 'Adventure' });
    expect(new Set(idsOf(tags)).size).toBe(tags.total);
  });

  test('a random title is one that the query allows', () => {
    expect(entity('/manga/random?contentRating[]=pornographic').id).toBe(rated);
    const adventure = '1b0c5e7d-3f28-4a96-8d41-60a2d4f3a301';
    const found = entity(`/manga/random?includedTags[]=${adventure}`).id;
    expect([lighthouse, EXAMPLE_TITLES.long]).toContain(found);
  });

  test('the volumes of a title list its published chapters by number', () => {
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

  test('statistics come for each title that is asked for', () => {
    const path = `/statistics/manga?manga[]=${lighthouse}&manga[]=${rated}`;
    const { statistics } = bodyOf(ask(path)) as { statistics: Record<string, object> };
    expect(Object.keys(statistics)).toEqual([lighthouse, rated]);
    expect(statistics[lighthouse]).toMatchObject({ rating: { average: null }, follows: 0 });
    expect(ask('/statistics/manga').status).toBe(400);
  });

  test('who is logged in is said to them alone', () => {
    expect(ask('/user/me').status).toBe(401);
    const { data } = bodyOf(ask('/user/me', { account: 'reader' })) as { data: Entity };
    expect(data).toMatchObject({ type: 'user', attributes: { username: 'reader' } });
    expect(bodyOf(ask('/auth/check'))).toMatchObject({ isAuthenticated: false });
    expect(bodyOf(ask('/auth/check', { account: 'reader' }))).toMatchObject({
      isAuthenticated: true,
    });
  });

  test('the latest uploaded chapter of a title is a published one', () => {
    const { attributes } = entity(`/manga/${lighthouse}`);
    expect(attributes['latestUploadedChapter']).toBe(EXAMPLE_CHAPTERS.bare);
    expect(idsOf(page(`${LIGHTHOUSE_FEED}?limit=500`))).toContain(
      attributes['latestUploadedChapter'],
    );
  });
});

describe('reading marks', () => {
  const account = 'reader';
  const marks = (): unknown =>
    (bodyOf(ask(`/manga/${EXAMPLE_TITLES.lighthouse}/read`, { account })) as { data: unknown })
      .data;

  test('a chapter is marked by its own endpoint', () => {
    const answer = ask(`/chapter/${EXAMPLE_CHAPTERS.first}/read`, { method: 'POST', account });
    expect([answer.status, bodyOf(answer)]).toEqual([200, { result: 'ok' }]);
    expect(marks()).toEqual([EXAMPLE_CHAPTERS.first]);
  });

  test('many of one title are marked and unmarked at once', () => {
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

  test.each([[{ chapters: [] }], [{ chapterIdsRead: 'all' }], [undefined]])(
    'a body that is not as documented is refused: %j',
    (json) => {
      const path = `/manga/${EXAMPLE_TITLES.lighthouse}/read`;
      expect(ask(path, { method: 'POST', account, json }).status).toBe(400);
      expect(marks()).toEqual([]);
    },
  );
});
