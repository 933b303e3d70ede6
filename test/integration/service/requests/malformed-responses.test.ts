/** Malformed entries in the service's answers: what is kept, what is warned of, and what is an error. */
import { basename } from 'node:path';
import { fetchTitleFeed } from '../../../../src/service/feeds.js';
import { resolveTargets } from '../../../../src/selection/resolve-targets.js';
import { searchTitles } from '../../../../src/service/titles.js';
import { parseTarget } from '../../../../src/selection/target.js';
import { fetchTitle } from '../../../../src/service/titles.js';
import {
  MALFORMED_CHAPTERS as CHAPTERS,
  MALFORMED_TITLES as TITLES,
  malformedLibrary,
} from '../../../support/malformed-library.js';
import { jsonResponse } from '../../../../src/practice-server/endpoint.js';
import { startPractice, type Practice } from '../../../support/catalogue-harness.js';
import { DownloadHarness } from '../../../support/download-harness.js';

const signal = new AbortController().signal;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe('the catalogue', () => {
  let practice: Practice;
  let warnings: string[];
  const warn = (message: string) => void warnings.push(message);
  beforeAll(async () => {
    practice = await startPractice({ library: malformedLibrary() });
  });
  beforeEach(() => {
    warnings = [];
    practice.calls();
  });
  afterAll(async () => {
    expect(practice.service.violations()).toEqual([]);
    await practice.stop();
  });
  const resolve = async (texts: readonly string[]) => {
    const targets = texts.map((text) => parseTarget(text));
    const found = await resolveTargets(targets, { client: practice.client, signal, warn });
    await found.loadedTitles;
    return found;
  };

  test('a feed keeps every chapter that is usable, and warns once', async () => {
    const feed = await fetchTitleFeed(practice.client, TITLES.wellFormed, { warn });
    const ids = feed.map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining([CHAPTERS.wellFormed, CHAPTERS.empty, ...CHAPTERS.repairable]),
    );
    expect(ids).toHaveLength(2 + CHAPTERS.repairable.length);
    expect(warnings).toEqual([
      `Unexpected entries in the response from GET /manga/${TITLES.wellFormed}/feed: ` +
        `of 11, 3 skipped and 6 read with defaults.`,
    ]);
    expect(feed.find(({ title }) => title === 'integerChapter')?.number).toBe('7');
    expect(feed.find(({ title }) => title === 'missingVersion')?.version).toBe(1);
    expect(feed.find(({ title }) => title === 'nullLanguage')?.language).toBe('und');
    expect(feed.find(({ title }) => title === 'nullPages')?.pages).toBeUndefined();
  });

  test('a search keeps every title with odd optional members, and warns once', async () => {
    const { titles: found } = await searchTitles(practice.client, 'malformed', { warn });
    const ids = found.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([TITLES.wellFormed, ...TITLES.repairable]));
    expect(ids).not.toContain(TITLES.unusable);
    expect(found.every(({ name }) => name !== '')).toBe(true);
    expect(warnings).toHaveLength(1);
  });

  test('a feed of which no entry is usable is bad-response', async () => {
    const path = `/manga/${UNKNOWN}/feed`;
    const takeBack = practice.service.intercept(path, () =>
      jsonResponse(200, { result: 'ok', data: [null, {}, { id: UNKNOWN }], total: 3 }),
    );
    await expect(fetchTitleFeed(practice.client, UNKNOWN, { warn })).rejects.toMatchObject({
      code: 'bad-response',
      message: `Unexpected response from GET ${path}: none of its entries (3) can be used.`,
    });
    takeBack();
    expect(warnings).toEqual([]);
  });

  test('a page of which no entry is usable does not end a feed', async () => {
    const chapter = (id: string) => ({
      id,
      type: 'chapter',
      attributes: { pages: 2, translatedLanguage: 'en', version: 1 },
    });
    const ids = Array.from({ length: 1_001 }, (_, index) =>
      UNKNOWN.replace(/0{4}$/, String(index).padStart(4, '0')),
    );
    const takeBack = practice.service.intercept(`/manga/${UNKNOWN}/feed`, ({ query }) => {
      const offset = Number(query.get('offset'));
      const data = ids.slice(offset, offset + 500).map(offset === 500 ? () => null : chapter);
      return jsonResponse(200, { result: 'ok', data, total: 'many' });
    });
    const feed = await fetchTitleFeed(practice.client, UNKNOWN, { warn });
    takeBack();
    expect(feed).toHaveLength(501);
    expect(warnings).toHaveLength(1);
  });

  test('no more entries are read than were asked for', async () => {
    const takeBack = practice.service.intercept('/manga', () =>
      jsonResponse(200, { result: 'ok', data: Array.from({ length: 50_000 }, () => 0), total: 1 }),
    );
    await expect(searchTitles(practice.client, 'x', { limit: 7 })).rejects.toThrow('(7)');
    takeBack();
  });

  test('a title whose response cannot be used is bad-response, not a title that does not exist', async () => {
    await expect(fetchTitle(practice.client, TITLES.unusable)).rejects.toMatchObject({
      code: 'bad-response',
    });
    const alone = await resolve([`title:${TITLES.unusable}`]);
    expect(alone.failures).toEqual([]);
    expect(alone.series.map(({ chapters }) => chapters.length)).toEqual([1]);
    expect([...alone.unusableTitleIds]).toEqual([TITLES.unusable]);
    expect(warnings).toHaveLength(1);
  });

  test('beside other titles it is distinguished from one that does not exist', async () => {
    const found = await resolve([
      `title:${TITLES.unusable}`,
      `title:${UNKNOWN}`,
      `title:${TITLES.wellFormed}`,
      TITLES.unusable,
    ]);
    expect(found.failures.map(({ target, error }) => [target.id, error.code])).toEqual([
      [UNKNOWN, 'title-not-found'],
    ]);
    expect(found.series.map(({ titleId }) => titleId).sort()).toEqual(
      [TITLES.unusable, TITLES.wellFormed].sort(),
    );
  });

  test('a chapter whose response cannot be used is handed on by its id', async () => {
    const [first = '', second = ''] = CHAPTERS.unusable;
    const alone = await resolve([first]);
    expect(alone).toMatchObject({ chapters: [], idsWithoutMetadata: [first], failures: [] });
    const several = await resolve([first, CHAPTERS.wellFormed, second]);
    expect(several.chapters.map(({ id }) => id)).toEqual([CHAPTERS.wellFormed]);
    expect([...several.idsWithoutMetadata].sort()).toEqual([first, second].sort());
    expect(several.failures).toEqual([]);
  });
});

describe('a download', () => {
  let harness: DownloadHarness;
  beforeEach(async () => {
    harness = await DownloadHarness.start({ library: malformedLibrary() });
  });
  afterEach(() => harness.stop());

  test('saves the chapters of a title whose response cannot be used, without metadata', async () => {
    const { code, stderr } = await harness.download({ targets: [`title:${TITLES.unusable}`] });
    expect(code).toBe(0);
    expect(harness.archives().map((file) => basename(file))).toEqual([
      `${CHAPTERS.ofUnusableTitle}.cbz`,
    ]);
    expect(stderr).not.toContain('no title');
    expect(stderr).toContain(`GET /manga/${TITLES.unusable}`);
  });

  test('skips a chapter without pages as unavailable, on every run, and warns once', async () => {
    for (const targets of [[`title:${TITLES.wellFormed}`], [CHAPTERS.empty, CHAPTERS.wellFormed]]) {
      const { code, events, stderr } = await harness.download({ targets });
      expect(code).toBe(0);
      expect(events).toContainEqual(
        expect.objectContaining({
          type: 'chapter-skipped',
          chapter: CHAPTERS.empty,
          reason: 'chapter-unavailable',
        }),
      );
      expect(events.filter(({ type }) => type === 'chapter-failed')).toEqual([]);
      expect(stderr.match(/Unexpected entries/g)?.length ?? 0).toBe(targets.length === 1 ? 1 : 0);
    }
    expect(harness.service.log.some(({ path }) => path.endsWith(CHAPTERS.empty))).toBe(false);
    expect(harness.archives()).toHaveLength(1 + CHAPTERS.repairable.length);
  });
});
