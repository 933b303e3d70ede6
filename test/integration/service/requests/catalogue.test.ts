/** The catalogue against the practice service: what comes back, and how many calls it took. */
import { fetchChapter } from '../../../../src/service/chapters.js';
import { chooseCover } from '../../../../src/download/extras/cover.js';
import { coverUrl, fetchCovers, searchTitles, fetchTitle } from '../../../../src/service/titles.js';
import { fetchTitleFeed } from '../../../../src/service/feeds.js';
import { resolveTargets, type Resolution } from '../../../../src/selection/resolve-targets.js';
import { parseTarget } from '../../../../src/selection/target.js';
import {
  EXAMPLE_CHAPTERS,
  EXAMPLE_LISTS,
  EXAMPLE_TITLES,
} from '../../../../src/practice-server/library/library.js';
import { GROUPS } from '../../../../src/practice-server/library/people.js';
import { jsonResponse } from '../../../../src/practice-server/endpoint.js';
import { startPractice, type Practice } from '../../../support/catalogue-harness.js';

let practice: Practice;
const signal = new AbortController().signal;

beforeAll(async () => {
  practice = await startPractice();
});

afterAll(async () => {
  expect(practice.service.violations()).toEqual([]);
  await practice.stop();
});

const lines = () => practice.calls().map(({ line }) => line);
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

async function resolve(texts: readonly string[], languages: readonly string[] = []) {
  const warnings: string[] = [];
  practice.calls();
  const found: Resolution = await resolveTargets(
    texts.map((text) => parseTarget(text)),
    { client: practice.client, languages, signal, warn: (text) => warnings.push(text) },
  );
  await found.loadedTitles;
  return { found, warnings, calls: lines() };
}

describe('one chapter', () => {
  test('comes with its groups and its title in one call', async () => {
    practice.calls();
    const chapter = await fetchChapter(practice.client, EXAMPLE_CHAPTERS.joint);
    expect(chapter).toMatchObject({
      id: EXAMPLE_CHAPTERS.joint,
      number: '4',
      volume: '2',
      language: 'en',
      titleId: EXAMPLE_TITLES.lighthouse,
      groups: [{ name: 'Tidewater Scans' }, { name: 'Paper Lantern' }],
      partialTitle: { name: 'The Lighthouse Cat of Minami Island', authors: [] },
    });
    expect(lines()).toEqual([`GET /chapter/${EXAMPLE_CHAPTERS.joint}`]);
  });

  test('that is not there is a refusal with 404', async () => {
    await expect(fetchChapter(practice.client, UNKNOWN)).rejects.toMatchObject({ status: 404 });
  });
});

test('a title comes with its people, tags and cover in one call', async () => {
  practice.calls();
  expect(await fetchTitle(practice.client, EXAMPLE_TITLES.lighthouse)).toMatchObject({
    name: 'The Lighthouse Cat of Minami Island',
    originalLanguage: 'ja',
    contentRating: 'safe',
    authors: ['Aoi Minase'],
    artists: ['Ren Kurogane'],
    genres: ['Adventure', 'Slice of Life'],
    tags: ['Animals'],
    mainCover: { volume: '1' },
  });
  expect(lines()).toHaveLength(1);
});

describe('targets', () => {
  test('a bare chapter id takes a call for the chapter and one for its title', async () => {
    const { found, calls } = await resolve([EXAMPLE_CHAPTERS.first]);
    expect(found.chapters.map(({ id }) => id)).toEqual([EXAMPLE_CHAPTERS.first]);
    expect(found.titles.get(EXAMPLE_TITLES.lighthouse)?.authors).toEqual(['Aoi Minase']);
    expect(calls).toEqual([
      `GET /chapter/${EXAMPLE_CHAPTERS.first}`,
      `GET /manga/${EXAMPLE_TITLES.lighthouse}`,
    ]);
  });

  test('a bare id may be a title or a list', async () => {
    const title = await resolve([EXAMPLE_TITLES.starlight]);
    expect(title.found.series.map(({ titleId }) => titleId)).toEqual([EXAMPLE_TITLES.starlight]);
    expect(title.calls).toHaveLength(3);
    const list = await resolve([EXAMPLE_LISTS.public]);
    expect(list.found.series).toHaveLength(3);
  });

  test('sixty chapters of one title by their ids take two calls', async () => {
    const feed = await fetchTitleFeed(practice.client, EXAMPLE_TITLES.long, {
      languages: ['es-la'],
    });
    const ids = feed.slice(0, 60).map(({ id }) => id);
    const { found, calls } = await resolve(ids);
    expect(found.chapters.map(({ id }) => id)).toEqual(ids);
    expect(calls).toEqual(['GET /chapter', `GET /manga/${EXAMPLE_TITLES.long}`]);
  });

  test('a title of 700 chapters in one language takes a call and one for each 500', async () => {
    const { found, calls } = await resolve([`title:${EXAMPLE_TITLES.long}`], ['pt-br']);
    expect(found.series[0]?.chapters).toHaveLength(560);
    expect(calls).toHaveLength(3);
  });

  test('a list takes its own call, its feed and its titles together', async () => {
    const { found, calls } = await resolve([`list:${EXAMPLE_LISTS.public}`]);
    expect(calls).toEqual([
      `GET /list/${EXAMPLE_LISTS.public}`,
      `GET /list/${EXAMPLE_LISTS.public}/feed`,
      'GET /manga',
    ]);
    expect(found.titles.size).toBe(3);
    expect(found.series.map(({ titleId, chapters }) => [titleId, chapters.length])).toEqual([
      [EXAMPLE_TITLES.lighthouse, 11],
      [EXAMPLE_TITLES.starlight, 3],
      [EXAMPLE_TITLES.odd, 1],
    ]);
  });

  test('a title that is also in the list has its chapters once', async () => {
    const { found } = await resolve([
      `title:${EXAMPLE_TITLES.starlight}`,
      `list:${EXAMPLE_LISTS.public}`,
    ]);
    const starlight = found.series.filter(({ titleId }) => titleId === EXAMPLE_TITLES.starlight);
    expect(starlight.map(({ chapters }) => chapters.length)).toEqual([3]);
  });

  test('an empty list is not an error', async () => {
    const { found } = await resolve([`list:${EXAMPLE_LISTS.empty}`]);
    expect(found).toMatchObject({ series: [], failures: [] });
  });

  test('what no collection lists is asked for by itself; what was taken down is listed', async () => {
    const { found, calls } = await resolve([
      EXAMPLE_CHAPTERS.first,
      EXAMPLE_CHAPTERS.unavailable,
      EXAMPLE_CHAPTERS.future,
    ]);
    expect(found.chapters.map(({ isUnavailable }) => isUnavailable)).toEqual([false, true, false]);
    expect(calls.filter((call) => call.startsWith('GET /chapter'))).toEqual([
      'GET /chapter',
      `GET /chapter/${EXAMPLE_CHAPTERS.future}`,
    ]);
  });

  test('a title that must be asked for by its rating is found', async () => {
    const { found } = await resolve([
      EXAMPLE_CHAPTERS.rated,
      `title:${EXAMPLE_TITLES.rated}`,
      `title:${EXAMPLE_TITLES.odd}`,
      EXAMPLE_CHAPTERS.first,
    ]);
    expect(found.chapters.map(({ id }) => id)).toContain(EXAMPLE_CHAPTERS.rated);
    expect(found.series.map(({ chapters }) => chapters.length)).toEqual([1, 1]);
  });

  test('what is not there is named, and stops nothing else', async () => {
    const { found } = await resolve([
      `title:${UNKNOWN}`,
      `list:${EXAMPLE_LISTS.private}`,
      EXAMPLE_CHAPTERS.first,
    ]);
    expect(found.failures.map(({ target, error }) => [target.kind, error.code])).toEqual([
      ['title', 'title-not-found'],
      ['list', 'title-not-found'],
    ]);
    expect(found.chapters).toHaveLength(1);
  });

  test('an id that nothing is known of is not found, and no pages are asked for', async () => {
    const { found } = await resolve([UNKNOWN]);
    expect(found).toMatchObject({ chapters: [], idsWithoutMetadata: [] });
    expect(found.failures.map(({ target, error }) => [target.id, error.code])).toEqual([
      [UNKNOWN, 'chapter-not-found'],
    ]);
  });
});

test('a service without a catalogue still gets its chapters asked for', async () => {
  const plain = await startPractice({ specificationOnly: true });
  try {
    const warnings: string[] = [];
    const ids = [EXAMPLE_CHAPTERS.first, EXAMPLE_CHAPTERS.second];
    const found = await resolveTargets(
      ids.map((id) => parseTarget(id)),
      { client: plain.client, signal, warn: (text) => warnings.push(text) },
    );
    expect(found).toMatchObject({
      chapters: [],
      series: [],
      idsWithoutMetadata: ids,
      failures: [],
    });
    expect(warnings).toHaveLength(1);
    const one = await resolveTargets([parseTarget(ids[0] ?? '')], {
      client: plain.client,
      signal,
      warn: () => undefined,
    });
    expect(one.idsWithoutMetadata).toEqual(ids.slice(0, 1));
  } finally {
    await plain.stop();
  }
});

test('a title of which only releases of groups are known is partial, also with those of two groups', async () => {
  const groups = [GROUPS.paperLantern.id, GROUPS.mareAlta.id].map((id) => `group:${id}`);
  const isPartial = async (...targets: readonly string[]) => {
    const { found } = await resolve(targets);
    return found.series.find(({ titleId }) => titleId === EXAMPLE_TITLES.lighthouse)?.isPartial;
  };
  expect(await isPartial(...groups)).toBe(true);
  expect(await isPartial(...groups, `title:${EXAMPLE_TITLES.lighthouse}`)).toBe(false);
});

describe('a feed', () => {
  const MINUTE_MS = 60_000;
  const FIRST_MS = Date.UTC(2024, 0, 1);
  const chapter = (index: number) => ({
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    type: 'chapter',
    attributes: {
      pages: 1,
      translatedLanguage: 'en',
      version: 1,
      createdAt: new Date(FIRST_MS + index * MINUTE_MS).toISOString(),
    },
    relationships: [],
  });
  const chapters = (from: number, count: number) =>
    Array.from({ length: Math.max(0, count) }, (_, index) => chapter(from + index));

  test('of more than 10,000 is walked to its end, each chapter once, in as few calls as can be', async () => {
    const count = 10_400;
    const takeBack = practice.service.intercept(`/manga/${UNKNOWN}/feed`, ({ query }) => {
      const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
      const since = query.get('createdAtSince');
      const sinceMs = since === null ? FIRST_MS : Date.parse(`${since}Z`);
      const first = Math.ceil((sinceMs - FIRST_MS) / MINUTE_MS);
      const data = chapters(first + offset, Math.min(limit, count - first - offset));
      return jsonResponse(200, { result: 'ok', data, total: count - first });
    });
    practice.calls();
    try {
      const feed = await fetchTitleFeed(practice.client, UNKNOWN);
      expect(feed.map(({ id }) => id)).toEqual(chapters(0, count).map(({ id }) => id));
      const calls = practice.calls();
      expect(calls.length).toBeLessThanOrEqual(Math.ceil(count / 500) + 1);
      for (const { query } of calls) {
        const asked = new URLSearchParams(query);
        expect(Number(asked.get('offset')) + Number(asked.get('limit'))).toBeLessThanOrEqual(
          10_000,
        );
      }
    } finally {
      takeBack();
    }
  });

  test('that does not move on is an error, not a loop', async () => {
    const stuck = practice.service.intercept(`/manga/${UNKNOWN}/feed`, ({ query }) => {
      const data = chapters(Number(query.get('offset')), 500);
      return jsonResponse(200, { result: 'ok', data, total: 50_000 });
    });
    try {
      await expect(fetchTitleFeed(practice.client, UNKNOWN)).rejects.toMatchObject({
        code: 'bad-response',
      });
    } finally {
      stuck();
    }
  });
});

describe('a search', () => {
  test('finds titles by their words in one call', async () => {
    practice.calls();
    const { titles: found } = await searchTitles(practice.client, '  endless   stairs ');
    expect(
      found.map(({ id, year, status, languages }) => ({ id, year, status, languages })),
    ).toEqual([
      {
        id: EXAMPLE_TITLES.long,
        year: 2015,
        status: 'ongoing',
        languages: ['en', 'es-la', 'pt-br'],
      },
    ]);
    expect(lines()).toEqual(['GET /manga']);
  });

  test('finds nothing where there is nothing', async () => {
    expect((await searchTitles(practice.client, 'xyzzy')).titles).toEqual([]);
  });

  test.each([
    ['  ', 20],
    ['a', 0],
    ['a', 101],
    ['a', 1.5],
  ])('for %j with a limit of %d is refused', async (words, limit) => {
    await expect(searchTitles(practice.client, words, { limit })).rejects.toMatchObject({
      code: 'bad-option',
    });
  });
});

describe('a cover', () => {
  test("is the volume's own, or the title's main one", async () => {
    const title = await fetchTitle(practice.client, EXAMPLE_TITLES.lighthouse);
    const covers = await fetchCovers(practice.client, title.id);
    expect(covers.map(({ volume }) => volume)).toEqual(['1', '2']);
    const of = (...volumes: (string | undefined)[]) =>
      chooseCover(
        covers,
        title,
        volumes.map((volume) => ({ volume, language: 'en' })),
      )?.volume;
    expect([of('2'), of('02'), of('1', '1'), of('9'), of('1', '2'), of(undefined)]).toEqual([
      '2',
      '2',
      '1',
      '1',
      '1',
      '1',
    ]);
  });

  test('in the language of the chapters is preferred to the original, and that to others', () => {
    const cover = (id: string, locale: string | undefined) => ({
      id,
      fileName: 'a.jpg',
      volume: '1',
      locale,
    });
    const title = { mainCover: undefined, originalLanguage: 'ja' };
    const chapters = [{ volume: '1', language: 'fr' }];
    const [none, ja, fr] = [cover('a', undefined), cover('b', 'ja'), cover('c', 'fr')];
    expect(chooseCover([none, ja, fr], title, chapters)).toBe(fr);
    expect(chooseCover([none, ja], title, chapters)).toBe(ja);
    expect(chooseCover([none], title, chapters)).toBe(none);
    expect(chooseCover([], title, chapters)).toBeUndefined();
  });

  test('has its address below the place that is handed in', () => {
    const cover = { id: 'a', fileName: 'a1-b2.jpg', volume: '1', locale: 'ja' };
    expect(coverUrl('http://127.0.0.1:1/base/', 'ID', cover).href).toBe(
      'http://127.0.0.1:1/base/covers/ID/a1-b2.jpg',
    );
    for (const fileName of ['../x.jpg', 'a/b.jpg', '', '.', 'a?b', 'a%2fb']) {
      expect(() => coverUrl('http://127.0.0.1:1', 'ID', { ...cover, fileName })).toThrow(
        expect.objectContaining({ code: 'bad-response' }),
      );
    }
  });
});
