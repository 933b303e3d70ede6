/** What a collection has of one title, and what it lacks and why, by the service's list of all releases. Pure. */
import { languageTag } from '../cbz/comic-info.js';
import type { Chapter } from '../api/chapters.js';
import { groupBy } from '../core/group-by.js';
import { unavailableReason } from '../selection/exclusions.js';
import { inferVolumes, listedNumbers } from '../selection/infer-volumes.js';
import { missingWholeNumbers } from '../selection/missing-numbers.js';
import { parseNumber } from '../selection/ranges.js';
import { chapterKey, numberKey } from '../selection/reading-order.js';
import { compareNumbers, toRuns, type ChapterRun } from './chapter-runs.js';

/** Why a chapter is missing. */
export const MISSING_REASONS = {
  'not-downloaded': 'can be downloaded',
  'other-language': 'only in other languages',
  external: "only on the publisher's site",
  unavailable: 'taken down, or without pages',
  'not-uploaded': 'in no language',
} as const;
export type MissingReason = keyof typeof MISSING_REASONS;
/** `taken-down`: present, and taken down from the service since, in all releases. */
export type ChapterState = 'present' | 'taken-down' | MissingReason;

/** What an overview uses of a release. */
export type ListedRelease = Pick<
  Chapter,
  | 'id'
  | 'number'
  | 'volume'
  | 'title'
  | 'language'
  | 'pages'
  | 'externalUrl'
  | 'isUnavailable'
  | 'publishAt'
  | 'readableAt'
>;

export interface MissingChapter {
  /** The number; of a chapter without one, its title. */
  readonly number: string;
  readonly reason: MissingReason;
  /** With `other-language`: the codes of the languages that have it. */
  readonly languages?: readonly string[];
  /** With `external`. */
  readonly externalUrl?: string;
}

export interface TitleOverview {
  /** How many chapters are there, in any of the languages. */
  readonly have: number;
  /** In reading order. */
  readonly missing: readonly MissingChapter[];
  /** Numbers that are there, and that the service does not have any more in any release. */
  readonly takenDown: readonly string[];
  /** Chapters with several files in one language. */
  readonly duplicates: readonly { readonly number: string; readonly files: readonly string[] }[];
  /** The volumes that the service names, in order. */
  readonly volumes: readonly { readonly volume: string; readonly isComplete: boolean }[];
  /** All chapters, present and missing, in reading order. */
  readonly runs: readonly ChapterRun<ChapterState>[];
}

export interface TitleListing {
  readonly numbersRestart: boolean;
  readonly releases: readonly ListedRelease[];
}

/** A chapter in a file. */
export interface OwnedChapter {
  readonly chapterId: string;
  readonly file: string;
  /** The number in the file; used where the service does not list the chapter any more. */
  readonly number: string | undefined;
  /** The language in the file, as a BCP 47 tag; used in the same way. */
  readonly language: string | undefined;
}

/**
 * @param listing undefined if the service was never asked
 * @param owned the chapters of this title in the collection
 * @param languages those that the collection is meant to have; a chapter in one of them is enough
 */
export function overviewOf(
  listing: TitleListing | undefined,
  owned: readonly OwnedChapter[],
  languages: readonly string[],
  nowMs: number,
): TitleOverview {
  const { releases, numbersRestart } = listing ?? { releases: [], numbersRestart: false };
  const byId = new Map(releases.map((release) => [release.id, release]));
  const keyOf = (release: ListedRelease) => chapterKey(release, numbersRestart);
  const ownedKey = ({ chapterId, number }: OwnedChapter): string => {
    const release = byId.get(chapterId);
    if (release) return keyOf(release);
    return number === undefined ? chapterId : numberKey(number);
  };
  const have = new Set(owned.map(ownedKey));
  const byKey = groupBy(releases, keyOf);
  const isWanted = ({ language }: ListedRelease) => languages.includes(language);
  const missing = new Map<string, MissingChapter>();
  for (const [key, chapter] of byKey) {
    const reason = have.has(key) ? undefined : whyMissing(chapter, isWanted, nowMs);
    if (reason) missing.set(key, reason);
  }
  for (const gap of notUploaded(byKey, have, numbersRestart)) missing.set(gap.number, gap);
  const isUploadedAgain = (file: OwnedChapter) =>
    byKey.get(ownedKey(file))?.some((each) => isWanted(each) && !each.isUnavailable) === true;
  const gone = new Set(
    listing ? owned.filter((file) => isTakenDown(file, byId) && !isUploadedAgain(file)) : [],
  );
  const volumeOf = (key: string) =>
    byKey.get(key)?.find(({ volume }) => volume !== undefined)?.volume;
  const present = [...groupBy(owned, ownedKey)].map(([key, files]) => ({
    number: numberOf(files, byId),
    volume: volumeOf(key),
    state: files.every((file) => gone.has(file)) ? ('taken-down' as const) : ('present' as const),
  }));
  const absent = [...missing].map(([key, { number, reason: state }]) => ({
    number,
    volume: volumeOf(key),
    state,
  }));
  return {
    have: have.size,
    missing: [...missing.values()].sort((a, b) => compareNumbers(a.number, b.number)),
    takenDown: distinct([...gone].map((file) => numberOf([file], byId))),
    duplicates: duplicates(owned, byId, ownedKey),
    volumes: volumesOf(withVolumes({ releases, numbersRestart }).filter(isWanted), (release) =>
      have.has(keyOf(release)),
    ),
    runs: toRuns<ChapterState>([...present, ...absent], numbersRestart),
  };
}

type Releases = ReadonlyMap<string, ListedRelease>;

function isTakenDown({ chapterId }: OwnedChapter, byId: Releases): boolean {
  const release = byId.get(chapterId);
  return !release || release.isUnavailable;
}

/** The number of the chapter that these files contain. */
function numberOf(files: readonly OwnedChapter[], byId: Releases): string {
  const [number] = files.flatMap((file) => {
    const release = byId.get(file.chapterId);
    return release?.number ?? file.number ?? release?.title ?? [];
  });
  return number ?? 'without a number';
}

/** Undefined if the chapter will be published later. */
function whyMissing(
  releases: readonly ListedRelease[],
  isWanted: (release: ListedRelease) => boolean,
  nowMs: number,
): MissingChapter | undefined {
  const reasonOf = (release: ListedRelease) => unavailableReason(release, nowMs)?.reason;
  const isThere = (release: ListedRelease) => reasonOf(release) === undefined;
  const wanted = releases.filter(isWanted);
  const [first] = wanted.length > 0 ? wanted : releases;
  const number = first?.number ?? first?.title ?? 'without a number';
  if (wanted.some(isThere)) return { number, reason: 'not-downloaded' };
  if (wanted.some((release) => reasonOf(release) === 'chapter-unpublished')) return undefined;
  const others = releases.filter((release) => !isWanted(release) && isThere(release));
  if (others.length > 0) {
    const languages = [...new Set(others.map(({ language }) => language))].sort();
    return { number, reason: 'other-language', languages };
  }
  const external = (wanted.length > 0 ? wanted : releases).find(
    (release) => reasonOf(release) === 'chapter-external',
  );
  if (external?.externalUrl !== undefined)
    return { number, reason: 'external', externalUrl: external.externalUrl };
  return { number, reason: 'unavailable' };
}

/** Whole numbers between the first and the last that no release has. */
function notUploaded(
  byKey: ReadonlyMap<string, readonly ListedRelease[]>,
  have: ReadonlySet<string>,
  numbersRestart: boolean,
): MissingChapter[] {
  if (numbersRestart) return [];
  const known = [...byKey.keys(), ...have].map(parseNumber).filter((it) => it !== undefined);
  return missingWholeNumbers(known).map((number) => ({
    number: String(number),
    reason: 'not-uploaded',
  }));
}

function distinct(numbers: readonly string[]): readonly string[] {
  return [...new Set(numbers)].sort(compareNumbers);
}

function duplicates(
  owned: readonly OwnedChapter[],
  byId: Releases,
  keyOf: (owned: OwnedChapter) => string,
): TitleOverview['duplicates'] {
  const languageOf = ({ chapterId, language }: OwnedChapter) => {
    const release = byId.get(chapterId);
    return (release ? languageTag(release.language) : language) ?? '';
  };
  const groups = groupBy(owned, (chapter) => `${languageOf(chapter)} ${keyOf(chapter)}`);
  return [...groups.values()].flatMap((chapters) => {
    const files = [...new Set(chapters.map(({ file }) => file))].sort();
    if (files.length < 2) return [];
    return [{ number: numberOf(chapters, byId), files }];
  });
}

/** A release without a volume counts to that of its other releases, in any language. */
function withVolumes({ releases, numbersRestart }: TitleListing): readonly ListedRelease[] {
  return numbersRestart ? releases : inferVolumes(releases, listedNumbers(releases));
}

function volumesOf(
  releases: readonly ListedRelease[],
  isThere: (release: ListedRelease) => boolean,
): TitleOverview['volumes'] {
  const named = releases.filter(({ volume }) => volume !== undefined);
  return [...groupBy(named, ({ volume = '' }) => numberKey(volume))]
    .map(([volume, chapters]) => ({ volume, isComplete: chapters.every(isThere) }))
    .sort((a, b) => compareNumbers(a.volume, b.volume));
}
