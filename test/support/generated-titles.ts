/**
 * Titles as groups upload them, of which it is known which chapter each release truly is: one numbering, numbers that
 * begin again in each volume, seasons, an epilogue, and a title that another group uploads whole years later. The same
 * seed gives the same title.
 */
import type { Chapter } from '../../src/service/chapters.js';
import { uuidOf } from '../../src/practice-server/library/library.js';

export const TITLE_KINDS = ['continuous', 'restart', 'seasons', 'epilogue', 'again'] as const;
export type TitleKind = (typeof TITLE_KINDS)[number];

export interface TrueChapter {
  /** Equal for releases of one chapter. */
  readonly truth: string;
  readonly number: number;
  readonly volume: number;
}

interface Printed {
  readonly chapters: readonly TrueChapter[];
  readonly perVolume: number;
  /** Another group uploads all of it again, without volumes. */
  readonly isUploadedAgain?: true;
}

export interface GeneratedRelease {
  readonly truth: string;
  /** 0 is the group that has most of the chapters. */
  readonly group: number;
  readonly chapter: Chapter;
}

export type Random = () => number;

/** Xorshift: the titles are those of the figures that the tests hold. */
export function titleRandom(seed: number): Random {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const between = (random: Random, min: number, count: number): number =>
  min + Math.floor(random() * count);

const listOf = <T>(length: number, item: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => item(index));

/** One numbering, in volumes of `perVolume` chapters. */
const numbered = (prefix: string, count: number, perVolume: number, firstVolume = 1) =>
  listOf(count, (index) => ({
    truth: `${prefix}${index + 1}`,
    number: index + 1,
    volume: firstVolume + Math.floor(index / perVolume),
  }));

/** A typing error of the service's users. */
const MISTYPED = { index: 12, volume: 60 };

const PRINTED: Readonly<Record<TitleKind, (random: Random) => Printed>> = {
  continuous(random) {
    const perVolume = between(random, 4, 6);
    return { perVolume, chapters: numbered('c', between(random, 20, 60), perVolume) };
  },
  restart(random) {
    const perVolume = between(random, 3, 6);
    const volumes = listOf(between(random, 2, 6), (index) => index + 1);
    const chapters = volumes.flatMap((volume) =>
      numbered(`v${volume}c`, perVolume, perVolume, volume),
    );
    return { perVolume, chapters };
  },
  seasons(random) {
    const perVolume = between(random, 5, 4);
    const first = numbered('s1c', between(random, 10, 40), perVolume);
    const volumes = Math.ceil(first.length / perVolume);
    const second = numbered('s2c', between(random, 5, 30), perVolume, volumes + 1);
    return { perVolume, chapters: [...first, ...second] };
  },
  epilogue(random) {
    const perVolume = between(random, 4, 4);
    const volumes = between(random, 3, 9);
    const main = numbered('c', volumes * perVolume, perVolume);
    const extra = between(random, 1, 3);
    return { perVolume, chapters: [...main, ...numbered('e', extra, extra, volumes + 1)] };
  },
  again(random) {
    const { chapters, perVolume } = PRINTED.continuous(random);
    const mistyped = chapters.map((chapter, index) =>
      index === MISTYPED.index ? { ...chapter, volume: MISTYPED.volume } : chapter,
    );
    return { perVolume, chapters: mistyped, isUploadedAgain: true };
  },
};

/** What a title of this kind truly has. */
export const trueChapters = (kind: TitleKind, random: Random): readonly TrueChapter[] =>
  PRINTED[kind](random).chapters;

const FIRST_UPLOAD_MS = Date.UTC(2015, 0, 1);
const DAY_MS = 86_400_000;

interface Upload {
  readonly number: number;
  readonly volume: number | undefined;
  readonly group: number;
  readonly days: number;
}

/** A chapter as the client reads it from the service's response. */
function readableChapter(id: string, { number, volume, group, days }: Upload): Chapter {
  const uploadedAt = new Date(FIRST_UPLOAD_MS + days * DAY_MS);
  return {
    id,
    number: String(number),
    volume: volume === undefined ? undefined : String(volume),
    title: undefined,
    language: 'en',
    pages: 10,
    externalUrl: undefined,
    isUnavailable: false,
    version: 1,
    publishAt: uploadedAt,
    readableAt: uploadedAt,
    createdAt: uploadedAt,
    groups: [{ id: uuidOf('generated group', group), name: `Group ${group}` }],
    titleId: undefined,
    partialTitle: undefined,
  };
}

/**
 * What the service lists of it: one to three groups with gaps, one release in 200 in a wrong volume, releases without a
 * volume, and often none of the latest chapters in a volume yet. Groups draw the borders of the volumes of one
 * numbering differently.
 */
export function generateTitle(kind: TitleKind, seed: number): readonly GeneratedRelease[] {
  const random = titleRandom(seed);
  const { chapters, perVolume, isUploadedAgain } = PRINTED[kind](random);
  const withoutVolume = random() < 0.7 ? perVolume : 0;
  const groups = listOf(between(random, 1, 3), (group) => group);
  const borders = groups.map(() => (kind === 'continuous' ? Math.round((random() - 0.5) * 3) : 0));
  const shares = groups.map((group) => (group === 0 ? 0.9 : 0.3 + random() * 0.6));
  const volumeless = groups.map(() => (random() < 0.25 ? 0.5 : 0.03));
  const releases: GeneratedRelease[] = [];
  const add = (truth: string, upload: Upload): void => {
    const id = uuidOf('generated release', kind, seed, releases.length);
    releases.push({ truth, group: upload.group, chapter: readableChapter(id, upload) });
  };
  for (const [index, { truth, number, volume: printed }] of chapters.entries()) {
    let isThere = false;
    for (const group of groups) {
      const isLast = group === groups.length - 1;
      if (random() > (shares[group] ?? 0) && (isThere || !isLast)) continue;
      isThere = true;
      const drawn = Math.floor((index + (borders[group] ?? 0)) / perVolume) + 1;
      let volume: number | undefined = kind === 'continuous' ? Math.max(1, drawn) : printed;
      if (index >= chapters.length - withoutVolume || random() < (volumeless[group] ?? 0))
        volume = undefined;
      if (random() < 0.005) volume = (volume ?? 1) + 1;
      add(truth, { number, volume, group, days: index * 10 + group * (1 + random() * 30) });
    }
  }
  if (isUploadedAgain)
    for (const [index, { truth, number }] of chapters.entries())
      add(truth, { number, volume: undefined, group: groups.length, days: 3_000 + index });
  return releases;
}
