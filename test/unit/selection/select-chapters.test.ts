import fc from 'fast-check';
import type { Chapter } from '../../../src/service/chapters.js';
import { chapterKeys } from '../../../src/selection/same-chapter.js';
import { isWithin, parseRanges } from '../../../src/config/ranges.js';
import { parseTimeBound } from '../../../src/config/time-bound.js';
import { selectChapters, type SelectionOptions } from '../../../src/selection/select-chapters.js';

const NOW_MS = Date.UTC(2025, 0, 1);
const A = { id: '0d4c7b1a-62f9-4e35-8a17-1b5d8fae9201', name: 'Group A' };
const B = { id: '4e8a2f6c-b713-4d90-9c68-2c6e90bf9202', name: 'Group B' };

let made = 0;
function release(fields: Partial<Chapter> = {}): Chapter {
  made += 1;
  return {
    id: `id-${String(made).padStart(4, '0')}`,
    number: '1',
    volume: undefined,
    title: undefined,
    language: 'en',
    pages: 10,
    externalUrl: undefined,
    isUnavailable: false,
    version: 1,
    publishAt: new Date(Date.UTC(2024, 0, 1)),
    readableAt: undefined,
    createdAt: undefined,
    groups: [A],
    titleId: undefined,
    partialTitle: undefined,
    ...fields,
  };
}

const EVERYTHING: SelectionOptions = { languages: [], groups: [] };
const select = (
  chapters: readonly Chapter[],
  wish: Partial<SelectionOptions> = {},
  numbersRestart = false,
) => {
  const keys = chapterKeys(chapters, { numbersRestart, nowMs: NOW_MS });
  return selectChapters(chapters, { ...EVERYTHING, ...wish }, { nowMs: NOW_MS, keys });
};
const numbersOf = (chapters: readonly Chapter[], wish: Partial<SelectionOptions>) =>
  select(chapters, wish).selected.map(({ chapter }) => chapter.number);

describe('ranges', () => {
  const numbers = [
    '0',
    '1',
    '5',
    '7a',
    '10',
    '10.5',
    '11',
    '12.5',
    '19.9',
    '20',
    '100',
    undefined,
    'Extra',
  ];
  test.each([
    ['1-10', ['1', '5', '7a', '10']],
    ['1-10,12.5,20-', ['1', '5', '7a', '10', '12.5', '20', '100']],
    ['-1', ['0', '1']],
    ['10.5', ['10.5']],
    ['none', [undefined, 'Extra']],
    [' 5 - 7 , NONE ', ['5', '7a', undefined, 'Extra']],
    ['5..7', ['5', '7a']],
    ['010', ['10']],
  ])('%j takes %j', (text, taken) => {
    const ranges = parseRanges(text, '--chapters');
    expect(numbers.filter((number) => isWithin(number, ranges))).toEqual(taken);
  });

  test.each(['', ',', '1,,2', '-', 'a', '10-1', '1-2-3', '1 2', '--1', '1e3', '1.'])(
    '%j is refused with an example',
    (text) => {
      expect(() => parseRanges(text, '--chapters')).toThrow(
        expect.objectContaining({
          code: 'bad-option',
          hint: expect.stringContaining('--chapters 1-10'),
        }),
      );
    },
  );
});

describe('excluded groups and dates', () => {
  const on = (text: string, fields: Partial<Chapter> = {}) =>
    release({ number: text, readableAt: new Date(text), ...fields });

  test('a release of an excluded group, also a joint one, is not selected; another one is', () => {
    const joint = release({ groups: [A, B], createdAt: new Date(NOW_MS) });
    const other = release();
    const { selected, excluded } = select([joint, other], { excludedGroups: ['group  b'] });
    expect(selected.map(({ chapter }) => chapter)).toEqual([other]);
    expect(excluded).toMatchObject([
      { chapter: joint, reason: 'excluded-group', explanation: 'its group is excluded: Group B' },
    ]);
  });

  test('both days count, in UTC; a chapter without a date is in no period', () => {
    const chapters = [
      on('2024-03-01T23:59:59Z'),
      on('2024-03-02T00:00:00Z'),
      on('2024-03-04T23:59:59Z'),
      on('2024-03-05T00:00:00Z'),
      release({ number: 'undated', publishAt: undefined }),
    ];
    const period = { since: parseTimeBound('2024-03-02'), until: parseTimeBound('2024-03-04') };
    const { selected, excluded } = select(chapters, period);
    expect(selected.map(({ chapter }) => chapter.number)).toEqual([
      '2024-03-02T00:00:00Z',
      '2024-03-04T23:59:59Z',
    ]);
    expect(excluded.map(({ reason, explanation }) => [reason, explanation])).toEqual([
      ['before-since', 'it is readable since 2024-03-01T23:59Z'],
      ['after-until', 'it is readable since 2024-03-05T00:00Z'],
      ['before-since', 'its date is not known'],
    ]);
  });

  test('the last days are counted from now; of the latest, those in the period', () => {
    const [old, recent, newest] = ['2024-12-20', '2024-12-26', '2024-12-30'].map((day) =>
      on(`${day}T00:00:00Z`, { publishAt: new Date(day) }),
    );
    const chapters = [old, recent, newest].flatMap((each) => each ?? []);
    const since = parseTimeBound('7d');
    expect(numbersOf(chapters, { since })).toEqual([recent?.number, newest?.number]);
    expect(numbersOf(chapters, { since, latest: 1 })).toEqual([newest?.number]);
  });
});

describe('one release for each chapter', () => {
  test('the only one is taken', () => {
    const { selected: chosen, excluded } = select([release()]);
    expect(chosen).toMatchObject([{ reason: 'only-release', explanation: 'the only release' }]);
    expect(excluded).toEqual([]);
  });

  test('the first language that there is', () => {
    const english = release();
    const both = [release({ language: 'pt-br', version: 9, publishAt: new Date(NOW_MS) }), english];
    const portugueseOnly = release({ language: 'pt-br', number: '2' });
    const german = release({ language: 'de', number: '3' });
    const { selected: chosen, excluded } = select([...both, portugueseOnly, german], {
      languages: ['en', 'pt-br'],
    });
    expect(chosen.map(({ chapter }) => chapter)).toEqual([english, portugueseOnly]);
    expect(chosen[0]).toMatchObject({ reason: 'language', explanation: 'preferred language en' });
    expect(excluded).toMatchObject([
      { chapter: german, reason: 'not-in-languages', explanation: 'its language is de' },
      { reason: 'other-release', explanation: `release ${english.id} is selected instead` },
    ]);
  });

  test('without a language each has its own', () => {
    const { selected: chosen } = select([release(), release({ language: 'fr' })]);
    expect(chosen).toHaveLength(2);
  });

  test.each([
    ['in their order', ['group b', 'Group A']],
    ['in other letters', ['  GROUP  B ']],
    ['by its id', [B.id.toUpperCase()]],
  ])('the preferred group, %s, though others are newer', (_, groups) => {
    const preferred = release({ groups: [B] });
    const { selected: chosen } = select([release({ version: 3 }), preferred], { groups });
    expect(chosen).toMatchObject([
      { chapter: preferred, reason: 'group', explanation: 'preferred group Group B' },
    ]);
  });

  test('a joint release counts for the best of its groups', () => {
    const joint = release({ groups: [A, B] });
    const groups = ['Group B', 'Group A'];
    expect(select([release({ version: 3 }), joint], { groups }).selected[0]?.chapter).toBe(joint);
  });

  test('another group where the preferred have it not', () => {
    const only = release({ groups: [A] });
    expect(select([only], { groups: ['Group B'] }).selected[0]?.chapter).toBe(only);
  });

  test('then the later upload, whatever was edited since; then always the same', () => {
    const day = (number: number) => new Date(Date.UTC(2024, 0, number));
    const first = release({ groups: [B], version: 9, createdAt: day(1), readableAt: day(9) });
    const later = release({ version: 1, createdAt: day(2), readableAt: day(2) });
    expect(select([first, later]).selected[0]).toMatchObject({
      chapter: later,
      reason: 'created',
      explanation: expect.stringContaining('latest uploaded, 2024-01-02') as unknown,
    });
    const delayed = release({ groups: [B], createdAt: day(2), readableAt: day(3) });
    expect(select([delayed, later]).selected[0]).toMatchObject({
      chapter: delayed,
      reason: 'readable',
    });
    const twin = release({ createdAt: day(2), readableAt: day(3) });
    expect(select([twin, delayed]).selected[0]?.chapter).toBe(
      select([delayed, twin]).selected[0]?.chapter,
    );
  });

  test('a number is the same however it is written, of whatever group', () => {
    const releases = [
      release({ number: '010' }),
      release({ number: '10.0', volume: '2', groups: [B] }),
      release({ number: '10', groups: [{ id: 'c', name: 'Group C' }] }),
    ];
    expect(select(releases).selected).toHaveLength(1);
  });

  test('unless numbers start anew in each volume', () => {
    const releases = [release({ volume: '2' }), release({ volume: '1' }), release({ volume: '1' })];
    expect(select(releases, {}, true).selected.map(({ chapter }) => chapter.volume)).toEqual([
      '1',
      '2',
    ]);
  });

  test('chapters without a number are distinguished by their names', () => {
    const bare = { number: undefined };
    const releases = [
      release({ ...bare, title: 'Omake' }),
      release({ ...bare, title: 'omake' }),
      release({ ...bare, title: 'Poll' }),
    ];
    expect(select(releases).selected).toHaveLength(2);
  });

  test('all of them where all are asked for', () => {
    const { selected: chosen } = select([release(), release(), release()], { allReleases: true });
    expect(chosen.map(({ reason: because }) => because)).toEqual([
      'all-asked',
      'all-asked',
      'all-asked',
    ]);
  });
});

describe('what has no pages here', () => {
  const here = release({ groups: [B] });
  test.each([
    [
      'chapter-external',
      release({ externalUrl: 'https://publisher.example/1', pages: 0, version: 9 }),
    ],
    ['chapter-unavailable', release({ isUnavailable: true, version: 9 })],
    ['chapter-unpublished', release({ publishAt: new Date(NOW_MS + 1), version: 9 })],
    ['chapter-unpublished', release({ readableAt: new Date(NOW_MS + 1), version: 9 })],
  ])('is passed over as %s, also where it would be preferred', (reason, absent) => {
    const { selected: chosen, excluded } = select([absent, here], {
      groups: ['Group A'],
    });
    expect(chosen.map(({ chapter }) => chapter)).toEqual([here]);
    expect(excluded).toMatchObject([{ chapter: absent, reason }]);
  });

  test('is not taken even where all releases are asked for', () => {
    const absent = release({ isUnavailable: true });
    expect(select([absent], { allReleases: true }).selected).toEqual([]);
  });

  test('an address elsewhere with pages here is read here', () => {
    const both = release({ externalUrl: 'https://publisher.example/1' });
    expect(select([both]).selected).toHaveLength(1);
  });
});

describe('chapters and volumes', () => {
  const chapters = [
    release({ number: '20' }),
    release({ number: '2', volume: '1' }),
    release({ number: undefined }),
    release({ number: '10.5', volume: '2' }),
    release({ number: '10', volume: '2' }),
  ];

  test('come in reading order, the unnumbered last', () => {
    expect(numbersOf(chapters, {})).toEqual(['2', '10', '10.5', '20', undefined]);
  });

  test('chapter 0 comes first, and unnumbered chapters last, whenever they were published', () => {
    const numbers = ['1', undefined, '0'];
    const chapters = numbers.map((number, day) =>
      release({ number, publishAt: new Date(Date.UTC(2024, 0, 1 + day)) }),
    );
    for (const given of [chapters, chapters.toReversed()])
      expect(numbersOf(given, {})).toEqual(['0', '1', undefined]);
  });

  test('are kept by number', () => {
    const wish = { chapters: parseRanges('1-10,20-', '--chapters') };
    expect(numbersOf(chapters, wish)).toEqual(['2', '10', '20']);
    expect(
      select(chapters, wish).excluded.map(({ reason: because, explanation: why }) => [
        because,
        why,
      ]),
    ).toEqual([
      ['not-in-chapters', 'its number is none'],
      ['not-in-chapters', 'its number is 10.5'],
    ]);
  });

  test('are kept by volume', () => {
    expect(numbersOf(chapters, { volumes: parseRanges('1,none', '--volumes') })).toEqual([
      '2',
      '20',
      undefined,
    ]);
  });
});

test('the latest are the last published, in reading order', () => {
  const day = (date: number) => new Date(Date.UTC(2024, 0, date));
  const chapters = [
    release({ number: '3', publishAt: day(2) }),
    release({ number: '1', publishAt: day(4) }),
    release({ number: '2', publishAt: day(3) }),
  ];
  expect(numbersOf(chapters, { latest: 2 })).toEqual(['1', '2']);
  expect(select(chapters, { latest: 2 }).excluded).toMatchObject([{ reason: 'not-latest' }]);
});

test('every release is either chosen or passed over, once, and the order of the feed changes nothing', () => {
  const chapter = fc.record({
    id: fc.uuid(),
    number: fc.option(fc.constantFrom('1', '01', '2', '2.5', 'x'), { nil: undefined }),
    volume: fc.option(fc.constantFrom('1', '2'), { nil: undefined }),
    language: fc.constantFrom('en', 'fr', 'de'),
    groups: fc.subarray([A, B]),
    version: fc.integer({ min: 1, max: 3 }),
    isUnavailable: fc.boolean(),
    // Without a time, the place in the list stands for it.
    publishAt: fc.date({ noInvalidDate: true }),
  });
  const feeds = fc.uniqueArray(chapter, { selector: ({ id }) => id, maxLength: 25 });
  const wishes = fc.record({
    languages: fc.subarray(['en', 'fr']),
    groups: fc.subarray(['Group B', 'Group A']),
    allReleases: fc.boolean(),
    latest: fc.option(fc.nat(5), { nil: undefined }),
  });
  fc.assert(
    fc.property(feeds, wishes, fc.boolean(), (feed, { latest, ...wish }, restart) => {
      const chapters = feed.map((fields) => release(fields));
      const asked = { ...wish, ...(latest !== undefined && { latest }) };
      const one = select(chapters, asked, restart);
      const ids = [...one.selected, ...one.excluded].map((each) => each.chapter.id);
      expect(ids.sort()).toEqual(feed.map(({ id }) => id).sort());
      const other = select([...chapters].reverse(), asked, restart);
      expect(other.selected).toEqual(one.selected);
      expect(new Set(other.excluded)).toEqual(new Set(one.excluded));
    }),
  );
});
