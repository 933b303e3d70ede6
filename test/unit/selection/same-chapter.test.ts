/** Which releases are of one chapter, held against titles of which it is known. */
import fc from 'fast-check';
import type { Chapter } from '../../../src/service/chapters.js';
import { groupBy } from '../../../src/core/group-by.js';
import { chapterKeys } from '../../../src/selection/same-chapter.js';
import {
  generateTitle,
  TITLE_KINDS,
  type GeneratedRelease,
  type TitleKind,
} from '../../support/generated-titles.js';
import { fuzzRuns, IS_LONG_RUN } from '../../support/long-run.js';

const NOW_MS = Date.UTC(2026, 0, 1);

function keysOf(
  releases: readonly GeneratedRelease[],
  numbersRestart = false,
): (release: GeneratedRelease) => string {
  const chapters = releases.map(({ chapter }) => chapter);
  const identities = chapterKeys(chapters, { numbersRestart, nowMs: NOW_MS });
  return ({ chapter }) => identities.keyOf(chapter);
}

interface Figures {
  readonly chapters: number;
  /** Chapters without a file, since their releases count as another chapter. */
  readonly lost: number;
  /** Files beside the first of a chapter. */
  readonly doubled: number;
}

/** The figures of the releases that are saved. */
function figuresOf(
  releases: readonly GeneratedRelease[],
  saved: readonly GeneratedRelease[],
): Figures {
  const chapters = new Set(releases.map(({ truth }) => truth)).size;
  const there = new Set(saved.map(({ truth }) => truth)).size;
  return { chapters, lost: chapters - there, doubled: saved.length - there };
}

/** The best release of each key. */
function selectOneOfEach(releases: readonly GeneratedRelease[]): readonly GeneratedRelease[] {
  return [...groupBy(releases, keysOf(releases)).values()].map((same) =>
    same.reduce((best, each) => (each.group < best.group ? each : best)),
  );
}

/** Each time something was uploaded, a release of each key of which none is saved. */
function saveAsUploaded(releases: readonly GeneratedRelease[]): readonly GeneratedRelease[] {
  const byDate = [...releases].sort(
    (a, b) => (a.chapter.createdAt?.getTime() ?? 0) - (b.chapter.createdAt?.getTime() ?? 0),
  );
  const saved: GeneratedRelease[] = [];
  for (const [index] of byDate.entries()) {
    const listed = byDate.slice(0, index + 1);
    const keyOf = keysOf(listed);
    const had = new Set(saved.map(keyOf));
    for (const release of listed) {
      const key = keyOf(release);
      if (!had.has(key)) saved.push(release);
      had.add(key);
    }
  }
  return saved;
}

function sumOf(kinds: readonly TitleKind[], titles: number): Figures {
  const figures = kinds.flatMap((kind) =>
    Array.from({ length: titles }, (_, index) => {
      const releases = generateTitle(kind, (index + 1) * 7919);
      return figuresOf(releases, selectOneOfEach(releases));
    }),
  );
  return {
    chapters: figures.reduce((sum, { chapters }) => sum + chapters, 0),
    lost: figures.reduce((sum, { lost }) => sum + lost, 0),
    doubled: figures.reduce((sum, { doubled }) => sum + doubled, 0),
  };
}

interface Bounds extends Figures {
  readonly kinds: readonly TitleKind[];
}

/** For 400 titles of each kind. */
const BOUNDS: Readonly<Record<string, Bounds>> = {
  'numbers that begin again in each volume': {
    kinds: ['restart'],
    chapters: 10_051,
    lost: 400,
    doubled: 250,
  },
  seasons: { kinds: ['seasons'], chapters: 19_942, lost: 40, doubled: 200 },
  'an epilogue': { kinds: ['epilogue'], chapters: 16_463, lost: 60, doubled: 100 },
  'one numbering': { kinds: ['continuous', 'again'], chapters: 39_822, lost: 0, doubled: 200 },
};

/** A tenth of the titles is too few for exact figures: they may have twice their share. */
const [TITLES, SHARE] = IS_LONG_RUN ? [400, 1] : [40, 0.2];

test.each(Object.entries(BOUNDS))('%s: few chapters are lost or doubled', (_, bounds) => {
  const { chapters, lost, doubled } = sumOf(bounds.kinds, TITLES);
  if (IS_LONG_RUN) expect(chapters).toBe(bounds.chapters);
  expect(lost).toBeLessThanOrEqual(bounds.lost * SHARE);
  expect(doubled).toBeLessThanOrEqual(bounds.doubled * SHARE);
});

const titles = fc
  .record({ kind: fc.constantFrom(...TITLE_KINDS), seed: fc.integer({ min: 1 }) })
  .map(({ kind, seed }) => generateTitle(kind, seed));

/** The ids of the releases of each chapter. */
function partitionOf(
  releases: readonly GeneratedRelease[],
  keyOf: (release: GeneratedRelease) => string,
): readonly string[] {
  return [...groupBy(releases, keyOf).values()]
    .map((same) =>
      same
        .map(({ chapter }) => chapter.id)
        .sort()
        .join(),
    )
    .sort();
}

test('the order of the releases does not matter', () => {
  const shuffled = titles.chain((releases) =>
    fc.tuple(
      fc.constant(releases),
      fc.shuffledSubarray([...releases], { minLength: releases.length }),
    ),
  );
  fc.assert(
    fc.property(shuffled, ([releases, others]) => {
      expect(partitionOf(others, keysOf(others))).toEqual(partitionOf(releases, keysOf(releases)));
    }),
    { numRuns: fuzzRuns(1_000) },
  );
});

test('if the service says that numbers begin again in each volume, volumes have no chapter in common', () => {
  fc.assert(
    fc.property(titles, (releases) => {
      const keyOf = keysOf(releases, true);
      const named = releases.filter(({ chapter }) => chapter.volume !== undefined);
      for (const same of groupBy(named, keyOf).values())
        expect(new Set(same.map(({ chapter }) => chapter.volume)).size).toBe(1);
    }),
    { numRuns: fuzzRuns(500) },
  );
});

test('of one numbering, no chapter is lost when its releases come one by one', () => {
  const kinds = ['continuous', 'again'] as const;
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.integer({ min: 1 }), (kind, seed) => {
      const releases = generateTitle(kind, seed);
      expect(figuresOf(releases, saveAsUploaded(releases)).lost).toBe(0);
    }),
    { numRuns: fuzzRuns(100) },
  );
});

describe('releases of one number', () => {
  const A = { id: 'a', name: 'A' };
  const B = { id: 'b', name: 'B' };
  /** Uploaded in this order, one a day. */
  const partition = (...releases: readonly Partial<Chapter>[]): readonly string[] => {
    const chapters = releases.map((fields, index): Chapter => {
      const at = new Date(NOW_MS - (100 - index) * 86_400_000);
      return {
        id: String(index + 1),
        number: '10.1',
        volume: '2',
        title: undefined,
        language: 'en',
        pages: 10,
        externalUrl: undefined,
        isUnavailable: false,
        version: 1,
        publishAt: at,
        readableAt: at,
        createdAt: at,
        groups: [A],
        titleId: undefined,
        partialTitle: undefined,
        ...fields,
      };
    });
    const identities = chapterKeys(chapters, { numbersRestart: false, nowMs: NOW_MS });
    const same = groupBy(chapters, (chapter) => identities.keyOf(chapter));
    return [...same.values()].map((each) => each.map(({ id }) => id).join(' ')).sort();
  };

  test.each<[string, readonly Partial<Chapter>[], readonly string[]]>([
    ['of one group with one title', [{ title: 'Fog' }, { title: ' fog ' }], ['1 2']],
    ['of one group with different titles', [{ title: 'Fog' }, { title: 'Salt' }], ['1', '2']],
    ['of one group, of which one has a title', [{ title: 'Fog' }, {}], ['1 2']],
    [
      'of one group, of which one cannot be read',
      [{ title: 'Fog' }, { title: 'Salt', isUnavailable: true }],
      ['1 2'],
    ],
    [
      'of one group in two languages',
      [{ title: 'Fog' }, { title: 'Brume', language: 'fr' }],
      ['1 2'],
    ],
    [
      'of two groups with different titles',
      [{ title: 'Fog' }, { title: 'Mist', groups: [B] }],
      ['1 2'],
    ],
    [
      'of another group with the title of one of two chapters',
      [{ title: 'Fog' }, { title: 'Salt' }, { title: 'Salt', groups: [B] }],
      ['1', '2 3'],
    ],
    [
      'of another group with the title of none of two chapters',
      [{ title: 'Fog' }, { title: 'Salt' }, { title: 'Tide', groups: [B] }],
      ['1 3', '2'],
    ],
    [
      'of which one is credited to two groups',
      [
        { title: 'Fog', groups: [A, B] },
        { title: 'Salt', groups: [B] },
      ],
      ['1', '2'],
    ],
    ['written in other ways', [{ number: '10' }, { number: '010' }, { number: '10.0' }], ['1 2 3']],
    ['and its tenth part', [{ number: '10.1' }, { number: '10.10' }], ['1', '2']],
    ['and another one with a letter', [{ number: '10' }, { number: '10b' }], ['1', '2']],
    ['in a volume that is written in other ways', [{ volume: '2' }, { volume: '02' }], ['1 2']],
    [
      'that is none, without a title, of one group',
      [{ number: undefined }, { number: undefined }, { number: undefined }],
      ['1', '2', '3'],
    ],
  ])('%s', (_, releases, expected) => {
    expect(partition(...releases)).toEqual(expected);
  });
});

/** The releases are of two groups, with the day of their upload: two seasons of 12 chapters, and a release without a volume. */
describe('a release without a volume', () => {
  const groups = { A: { id: 'a', name: 'A' }, B: { id: 'b', name: 'B' } };
  const release = (
    group: keyof typeof groups,
    day: number,
    number: number,
    volume?: string,
  ): Chapter => {
    const at = new Date(NOW_MS - (1_000 - day) * 86_400_000);
    return {
      id: `${group}${day} ${number}`,
      number: String(number),
      volume,
      title: undefined,
      language: 'en',
      pages: 10,
      externalUrl: undefined,
      isUnavailable: false,
      version: 1,
      publishAt: at,
      readableAt: at,
      createdAt: at,
      groups: [groups[group]],
      titleId: undefined,
      partialTitle: undefined,
    };
  };
  const season = (group: 'A' | 'B', fromDay: number, volume: string, length = 12) =>
    Array.from({ length }, (_, index) => release(group, fromDay + index, index + 1, volume));
  const runIn = (releases: readonly Chapter[], of: Chapter): number =>
    chapterKeys([...releases, of], { numbersRestart: false, nowMs: NOW_MS }).runOf(of);

  test('is of the season of the nearest upload of its group', () => {
    const named = [...season('A', 0, '1'), ...season('A', 100, '2'), ...season('B', 90, '1')];
    expect(runIn(named, release('B', 105, 13))).toBe(0);
  });

  test('is of the season of another group where its own group uploaded nothing for weeks', () => {
    const named = [...season('A', 0, '1'), ...season('B', 0, '1', 8), ...season('A', 100, '2')];
    expect(runIn(named, release('B', 102, 9))).toBe(1);
  });

  test('whose number is far above those of the season is of the only other one that has it', () => {
    const named = [...season('A', 0, '1'), ...season('A', 100, '2', 3)];
    expect(runIn(named, release('A', 102, 4))).toBe(1);
    const before = [...named.filter(({ number }) => number !== '12'), release('B', 11, 12, '1')];
    expect(runIn(before, release('A', 102, 12))).toBe(0);
  });
});
