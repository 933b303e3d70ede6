/** What an overview counts as present, missing, taken down and duplicate. */
import {
  NO_RULE,
  overviewOf,
  type OwnedChapter,
  type OwnerRules,
} from '../../../src/collection/title-overview.js';
import type { Chapter } from '../../../src/service/chapters.js';
import { plainRelease } from '../../support/plain-release.js';

const NOW_MS = Date.UTC(2026, 0, 1);

function release(number: string, change: Partial<Chapter> = {}): Chapter {
  return plainRelease({
    id: `id ${number} ${change.language ?? 'en'}`,
    number,
    publishAt: new Date(NOW_MS - 1_000),
    ...change,
  });
}

const owned = (
  id: string,
  file = `${id}.cbz`,
  number?: string,
  language?: string,
): OwnedChapter => ({
  chapterId: id,
  ownership: 'own',
  isBound: false,
  file,
  release:
    number === undefined ? undefined : release(number, { id, language, isUnavailable: true }),
});

const ENGLISH: OwnerRules = { languages: ['en'], wasSaved: () => false, rule: NO_RULE };

function overview(
  releases: readonly Chapter[],
  files: readonly OwnedChapter[],
  { numbersRestart = false, ...rules }: Partial<OwnerRules & { numbersRestart: boolean }> = {},
) {
  const listing = { releases, numbersRestart, earlier: [] };
  return overviewOf(listing, files, { ...ENGLISH, ...rules }, NOW_MS);
}

const missingOf = (...args: Parameters<typeof overview>) => overview(...args).missing;

test('a chapter that can be downloaded is not-downloaded, whatever other releases of it are', () => {
  const releases = [
    release('1'),
    release('2', { id: 'gone', isUnavailable: true }),
    release('2'),
    release('2', { language: 'fr' }),
  ];
  expect(overview(releases, [owned('id 1 en')])).toMatchObject({
    have: 1,
    missing: [{ number: '2', reason: 'not-downloaded' }],
  });
});

test('each reason, with the languages or the address', () => {
  const releases = [
    release('1'),
    release('2', { language: 'pt-br' }),
    release('2', { language: 'fr' }),
    release('3', { pages: 0, externalUrl: 'https://publisher.example/3' }),
    release('4', { isUnavailable: true }),
    release('6'),
  ];
  expect(missingOf(releases, [owned('id 1 en'), owned('id 6 en')])).toEqual([
    { number: '2', reason: 'other-language', languages: ['fr', 'pt-br'] },
    { number: '3', reason: 'external', externalUrl: 'https://publisher.example/3' },
    { number: '4', reason: 'unavailable' },
    { number: '5', reason: 'not-uploaded' },
  ]);
});

test('a release in another language counts before the publisher, and one that is gone does not', () => {
  const external = { pages: 0, externalUrl: 'https://publisher.example/1' };
  const releases = [release('1', external), release('1', { language: 'fr' })];
  expect(missingOf(releases, [])).toMatchObject([{ reason: 'other-language' }]);
  const gone = [release('1', external), release('1', { language: 'fr', isUnavailable: true })];
  expect(missingOf(gone, [])).toMatchObject([{ reason: 'external' }]);
});

test('a chapter in one of several languages is there', () => {
  const releases = [release('1'), release('1', { language: 'fr' })];
  expect(missingOf(releases, [owned('id 1 fr')], { languages: ['en', 'fr'] })).toEqual([]);
});

test('a chapter that will be published is not missing yet', () => {
  const releases = [release('1'), release('2', { readableAt: new Date(NOW_MS + 1_000) })];
  expect(missingOf(releases, [owned('id 1 en')])).toEqual([]);
});

test('gaps are whole numbers within the first and the last of a run of volumes; 10.5 fills 10', () => {
  const releases = [release('8'), release('10.5'), release('12')];
  const files = releases.map(({ id }) => owned(id));
  expect(missingOf(releases, files).map(({ number }) => number)).toEqual(['9', '11']);
  const seasons = [
    ...[release('8', { volume: '1' }), release('10', { volume: '1' })],
    ...[release('1', { volume: '2' }), release('2', { volume: '2' })],
  ];
  expect(
    missingOf(
      seasons,
      seasons.map(({ id }) => owned(id)),
    ),
  ).toEqual([{ number: '9', reason: 'not-uploaded' }]);
  const typo = [release('1'), release('100000')];
  expect(
    missingOf(
      typo,
      typo.map(({ id }) => owned(id)),
    ),
  ).toEqual([]);
});

test('numbers in order, a chapter without one by its title', () => {
  const releases = [
    release('10'),
    release('9'),
    release('x', { number: undefined, title: 'Extra' }),
  ];
  expect(missingOf(releases, []).map(({ number }) => number)).toEqual(['9', '10', 'Extra']);
});

test('what was taken down since is named, and so is what the service does not list any more', () => {
  const releases = [release('1'), release('2', { isUnavailable: true })];
  const files = [owned('id 1 en'), owned('id 2 en'), owned('unlisted', 'a.cbz', '7')];
  expect(overview(releases, files)).toMatchObject({ have: 3, takenDown: ['2', '7'] });
});

test('a chapter that was deleted and uploaded again is present, in a wanted language that has it', () => {
  const files = [owned('deleted', 'a.cbz', '2')];
  expect(overview([release('2')], files)).toMatchObject({ missing: [], takenDown: [] });
  const gone = [release('2', { isUnavailable: true }), release('2', { language: 'fr' })];
  expect(overview(gone, files)).toMatchObject({ missing: [], takenDown: ['2'] });
});

test('duplicates are files of one number and language; one file of several chapters is none', () => {
  const releases = [
    release('1'),
    release('1', { id: 'other group' }),
    release('1', { language: 'fr' }),
    release('2'),
  ];
  const files = [
    owned('id 1 en', 'a.cbz'),
    owned('other group', 'b.cbz'),
    owned('id 1 fr', 'c.cbz'),
    owned('id 2 en', 'a.cbz'),
  ];
  expect(overview(releases, files).duplicates).toEqual([
    { number: '1', language: 'en', files: ['a.cbz', 'b.cbz'] },
  ]);
  const inEnglish = files.filter(({ file }) => file !== 'c.cbz');
  expect(overview(releases, inEnglish).duplicates).toEqual([
    { number: '1', files: ['a.cbz', 'b.cbz'] },
  ]);
});

test('a chapter that MangaDex does not list any more is a duplicate by the language in its file', () => {
  const releases = [release('1'), release('1', { language: 'pt-br' })];
  const files = [
    owned('id 1 pt-br', 'a.cbz'),
    owned('deleted', 'b.cbz', '1', 'pt-BR'),
    owned('id 1 en', 'c.cbz'),
  ];
  expect(overview(releases, files).duplicates).toEqual([
    { number: '1', language: 'pt-br', files: ['a.cbz', 'b.cbz'] },
  ]);
});

test('a volume is complete if all its chapters are there', () => {
  const releases = [
    release('1', { volume: '1' }),
    release('2', { volume: '01' }),
    release('3', { volume: '2' }),
    release('4', { volume: '3', language: 'fr' }),
  ];
  const files = [owned('id 1 en'), owned('id 3 en')];
  expect(overview(releases, files).volumes).toEqual([
    { volume: '1', isComplete: false },
    { volume: '2', isComplete: true },
  ]);
});

test('a chapter without a volume counts to the volume of its releases in other languages', () => {
  const releases = [
    release('1', { volume: '1' }),
    release('2'),
    release('2', { volume: '1', language: 'fr' }),
    release('3'),
  ];
  const volumes = (ids: readonly string[], numbersRestart = false) =>
    overview(
      releases,
      ids.map((id) => owned(id)),
      { numbersRestart },
    ).volumes;
  expect(volumes(['id 1 en'])).toEqual([{ volume: '1', isComplete: false }]);
  expect(volumes(['id 1 en', 'id 2 en'])).toEqual([{ volume: '1', isComplete: true }]);
  expect(volumes(['id 1 en'], true)).toEqual([{ volume: '1', isComplete: false }]);
});

test('runs of chapters in reading order say what is there, gone and missing', () => {
  const releases = [
    ...['1', '2', '3'].map((number) => release(number)),
    release('4', { isUnavailable: true }),
    release('10'),
    release('11', { language: 'fr' }),
    release('12', { language: 'fr' }),
    release('13', { number: undefined, title: 'Extra' }),
  ];
  const files = ['1', '2', '3', '4'].map((number) => owned(`id ${number} en`));
  expect(overview(releases, files).runs).toEqual([
    { state: 'present', first: '1', last: '3', count: 3 },
    { state: 'taken-down', first: '4', last: '4', count: 1 },
    { state: 'not-uploaded', first: '5', last: '9', count: 5 },
    { state: 'not-downloaded', first: '10', last: '10', count: 1 },
    { state: 'other-language', first: '11', last: '12', count: 2 },
    { state: 'not-downloaded', first: 'Extra', last: 'Extra', count: 1 },
  ]);
});

test('a run has chapters of one volume if the numbers restart in each', () => {
  const releases = ['1', '2'].flatMap((volume) =>
    ['1', '2'].map((number) => release(number, { id: `${volume} ${number}`, volume })),
  );
  const files = ['1 1', '1 2', '2 1'].map((id) => owned(id));
  expect(overview(releases, files, { numbersRestart: true }).runs).toEqual([
    { state: 'present', first: '1', last: '2', count: 2, volume: '1' },
    { state: 'present', first: '1', last: '1', count: 1, volume: '2' },
    { state: 'not-downloaded', first: '2', last: '2', count: 1, volume: '2' },
  ]);
});

test('a volume of which no chapter is there is missing, also where its numbers are there in another one', () => {
  const releases = ['1', '2', '3'].flatMap((volume) =>
    ['1', '2'].map((number) => release(number, { id: `${volume} ${number}`, volume })),
  );
  const { missing, missingVolumes, volumes } = overview(releases, [owned('1 1'), owned('2 2')]);
  expect(missingVolumes).toEqual(['3']);
  expect(volumes.map(({ isComplete }) => isComplete)).toEqual([false, false, false]);
  expect(missing.map(({ volume, number }) => `${volume}/${number}`)).toEqual([
    ...['1/2', '2/1', '3/1', '3/2'],
  ]);
});

describe('what a subscription leaves out', () => {
  const reasons = (...args: Parameters<typeof overview>) =>
    overview(...args).missing.map(({ number, reason }) => [number, reason]);
  const leaving = (...ids: readonly string[]) => ({
    wasSaved: () => true,
    rule: { ...NO_RULE, isLeftOut: ({ id }: Chapter) => ids.includes(id) },
  });

  test('is each release that can be downloaded, or each one if none can', () => {
    const releases = [
      release('1', { volume: '1' }),
      release('2', { volume: '2' }),
      release('2', { volume: '2', id: 'by another group' }),
      release('3', { volume: '2', isUnavailable: true }),
      release('4', { volume: '3' }),
      release('5', { volume: '3', isUnavailable: true }),
      release('5', { volume: '3', language: 'fr' }),
    ];
    const rules = leaving('id 1 en', 'id 2 en', 'id 3 en', 'id 5 en');
    expect(reasons(releases, [], rules)).toEqual([
      ['1', 'left-out'],
      ['2', 'removed'],
      ['3', 'left-out'],
      ['4', 'removed'],
      ['5', 'other-language'],
    ]);
    expect(overview(releases, [], rules).missingVolumes).toEqual(['2', '3']);
  });

  test('makes no gap', () => {
    const releases = ['1', '3', '8', '9', '11'].map((number) => release(number));
    const rules = leaving('id 1 en', 'id 3 en', 'id 9 en');
    expect(reasons(releases, [owned('id 8 en'), owned('id 11 en')], rules)).toEqual([
      ['1', 'left-out'],
      ['3', 'left-out'],
      ['9', 'left-out'],
      ['10', 'not-uploaded'],
    ]);
  });

  test('is a chapter that is older than the subscription, whatever is uploaded of it later', () => {
    const releases = [release('1'), release('1', { id: 'later' }), release('2')];
    const isSettled = ({ id }: Chapter) => id === 'id 1 en';
    const rule = { ...NO_RULE, isSettled };
    expect(reasons(releases, [], { rule })).toEqual([
      ['1', 'left-out'],
      ['2', 'not-downloaded'],
    ]);
    // In a language that does not count, it says nothing.
    const french = [release('1', { id: 'id 1 en', language: 'fr' }), release('1', { id: 'new' })];
    expect(reasons(french, [], { rule })).toEqual([['1', 'not-downloaded']]);
  });

  test('is not a chapter without a volume whose other releases have one that is wanted', () => {
    const releases = [release('1'), release('1', { volume: '2', language: 'fr' })];
    const isLeftOut = ({ volume }: Chapter) => volume !== '2';
    const reasonWith = (infersVolumes: boolean) =>
      reasons(releases, [], { rule: { ...NO_RULE, isLeftOut, infersVolumes } });
    expect(reasonWith(true)).toEqual([['1', 'not-downloaded']]);
    expect(reasonWith(false)).toEqual([['1', 'left-out']]);
  });
});

test('nothing counts as taken down before the service was asked', () => {
  const files = [owned('a', 'a.cbz', '1'), owned('b', 'b.cbz', '2')];
  expect(overviewOf(undefined, files, ENGLISH, NOW_MS)).toMatchObject({
    have: 2,
    takenDown: [],
    runs: [{ state: 'present', first: '1', last: '2', count: 2 }],
  });
});
