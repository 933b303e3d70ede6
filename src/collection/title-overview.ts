/** What a collection has of one title, and what it lacks and why, by what would become of all releases. Pure. */
import { languageTag } from '../library/comic-info.js';
import { groupBy } from '../core/group-by.js';
import type { Skip } from '../plan/change.js';
import { isUnavailable } from '../events/reasons.js';
import { decide } from '../plan/decide.js';
import { inferVolumes, listedNumbers } from '../selection/infer-volumes.js';
import { missingWholeNumbers, numberKey } from '../selection/reading-order.js';
import { parseNumber } from '../config/ranges.js';
import { chapterKeys, type ChapterKeys } from '../selection/same-chapter.js';
import { selectChapters } from '../selection/select-chapters.js';
import type { FoundChapter } from '../library/file.js';
import type { Chapter } from '../service/chapters.js';
import { compareNumbers, toRuns } from './chapter-runs.js';
import type {
  ChapterState,
  MissingChapter,
  TitleOverviewEvent,
} from '../events/overview-events.js';

export type TitleOverview = Omit<
  TitleOverviewEvent,
  'type' | 'title' | 'name' | 'languages' | 'completedBy' | 'status' | 'checkedAt'
>;

/** A chapter in a file. */
export interface OwnedChapter extends FoundChapter {
  /** What the file says of a chapter that the service does not list any more. */
  readonly release?: Chapter | undefined;
}

/** What the service lists of a title, and what it listed before. */
interface Listing {
  readonly numbersRestart: boolean;
  readonly releases: readonly Chapter[];
  readonly earlier: readonly Chapter[];
}

const NO_LISTING: Listing = { releases: [], earlier: [], numbersRestart: false };

/** What the subscription to a title says of the chapters that its files lack. */
export interface TitleRule {
  /** Whether a sync saves the title in these folders. */
  readonly isSynced: boolean;
  /** Empty: all; undefined if no sync saves it. */
  readonly languages: readonly string[] | undefined;
  /** Whether the release is not downloaded, whatever its language is. */
  readonly isLeftOut: (release: Chapter) => boolean;
  /** Whether no release of its chapter is downloaded: a run moved its file away, or it is older than the subscription. */
  readonly isSettled: (release: Chapter) => boolean;
  /** Whether a chapter without a volume counts to that of its other releases. */
  readonly infersVolumes: boolean;
}

export const NO_RULE: TitleRule = {
  isSynced: false,
  languages: undefined,
  isLeftOut: () => false,
  isSettled: () => false,
  infersVolumes: false,
};

/** What the owner of the collection wants of a title, and did with it. */
export interface OwnerRules {
  /** A chapter in one of them is enough. */
  readonly languages: readonly string[];
  /** Whether a history has the chapter: if its file is gone, the owner removed it. */
  readonly wasSaved: (chapterId: string) => boolean;
  readonly rule: Pick<TitleRule, 'isLeftOut' | 'isSettled' | 'infersVolumes'>;
}

/**
 * @param listing undefined if the service was never asked
 * @param owned the chapters of this title in the collection
 */
export function overviewOf(
  listing: Listing | undefined,
  owned: readonly OwnedChapter[],
  { languages, wasSaved, rule }: OwnerRules,
  nowMs: number,
): TitleOverview {
  const { releases, numbersRestart, earlier } = listing ?? NO_LISTING;
  const listed = new Map(releases.map((release) => [release.id, release]));
  const inFiles = owned.flatMap(({ release }) => release ?? []);
  const deleted = earlier.map((release) => ({ ...release, isUnavailable: true }));
  const keys = chapterKeys([...releases, ...deleted, ...inFiles], { numbersRestart, nowMs });
  const { keyOf } = keys;
  const ownedKey = ({ chapterId: id }: OwnedChapter) => keyOf({ id });
  const known = [...releases, ...inFiles];
  const isWanted = ({ language }: Chapter) => languages.includes(language);
  const skipped = skippedOf(known, owned, languages, { keys, nowMs, wasSaved });
  const volumeLabel = volumeLabels(known, keys);
  const byKey = groupBy(known, keyOf);
  const inferred = withVolumes(releases, keys);
  const inferredById = new Map(rule.infersVolumes ? inferred.map((each) => [each.id, each]) : []);
  const isLeftOut = (release: Chapter): boolean =>
    rule.isSettled(release) || rule.isLeftOut(inferredById.get(release.id) ?? release);
  const missing: { readonly chapter: MissingChapter; readonly run: number }[] = [];
  const leftOut = new Set<Chapter>();
  for (const chapter of byKey.values()) {
    if (chapter.some(({ id }) => skipped.get(id)?.file !== undefined)) continue;
    const isSettled = chapter.some((each) => isWanted(each) && rule.isSettled(each));
    const found = whyMissing(chapter, {
      isWanted,
      isLeftOut: isSettled ? () => true : isLeftOut,
      skipOf: ({ id }) => skipped.get(id)?.reason,
    });
    if (found?.reason === 'left-out') for (const release of chapter) leftOut.add(release);
    const volume = keys.hasSeveralRuns ? volumeOf(chapter) : undefined;
    const run = runOfFirst(chapter, keys);
    if (found)
      missing.push({ chapter: { ...found, ...(volume !== undefined && { volume }) }, run });
  }
  for (const gap of notUploaded(known, leftOut, keys)) missing.push(gap);
  const isGone = (file: OwnedChapter) => {
    const { isUnavailable = listing !== undefined } = listed.get(file.chapterId) ?? {};
    const others = byKey.get(ownedKey(file));
    return isUnavailable && !others?.some((each) => isWanted(each) && !each.isUnavailable);
  };
  const present = [...groupBy(owned, ownedKey).values()].map((files) => ({
    number: numberOf(files, listed),
    run: runOfFirst(
      files.map(({ chapterId: id }) => ({ id })),
      keys,
    ),
    state: files.every(isGone) ? ('taken-down' as const) : ('present' as const),
  }));
  const absent = missing.map(({ chapter: { number, reason: state }, run }) => {
    return { number, run, state };
  });
  const have = new Set(owned.map(ownedKey));
  const volumes = volumesOf(inferred.filter(isWanted), {
    isThere: (release) => have.has(keyOf(release)),
    isLeftOut,
  });
  return {
    have: have.size,
    missing: missing
      .sort((a, b) => a.run - b.run || compareNumbers(a.chapter.number, b.chapter.number))
      .map(({ chapter }) => chapter),
    takenDown: distinct(owned.filter(isGone).map((file) => numberOf([file], listed))),
    ...inSeveralFiles(owned, listed, ownedKey),
    volumes: volumes.map(({ volume, isComplete }) => ({ volume, isComplete })),
    missingVolumes: volumes.flatMap(({ volume, isMissing }) => (isMissing ? [volume] : [])),
    runs: toRuns<ChapterState>([...present, ...absent], volumeLabel),
  };
}

type Id = Pick<Chapter, 'id'>;

function runOfFirst([first]: readonly Id[], { runOf }: ChapterKeys): number {
  return first ? runOf(first) : 0;
}

function volumeOf(releases: readonly Chapter[]): string | undefined {
  return releases.find(({ volume }) => volume !== undefined)?.volume;
}

/** Where numbers begin again, the volumes of a run, such as `2` or `1-10`. */
function volumeLabels(
  releases: readonly Chapter[],
  { runOfVolume, hasSeveralRuns }: ChapterKeys,
): (run: number) => string | undefined {
  const labels = new Map<number, string>();
  const volumes = new Set(releases.flatMap(({ volume }) => (volume ? numberKey(volume) : [])));
  const byRun = groupBy([...volumes].sort(compareNumbers), runOfVolume);
  for (const [run, ofRun] of byRun) {
    const [first = '', last = first] = [ofRun[0], ofRun.at(-1)];
    if (run !== undefined) labels.set(run, first === last ? first : `${first}-${last}`);
  }
  return (run) => (hasSeveralRuns ? labels.get(run) : undefined);
}

type Releases = ReadonlyMap<string, Chapter>;

/** The number of the chapter that these files contain. */
function numberOf(files: readonly OwnedChapter[], byId: Releases): string {
  const [number] = files.flatMap((file) => {
    const release = byId.get(file.chapterId);
    return release?.number ?? file.release?.number ?? release?.title ?? [];
  });
  return number ?? 'without a number';
}

/** Nothing is loaded for a chapter that is there. */
const NO_CHANGES = {
  update: false,
  force: false,
  better: 'left-out',
  blocked: undefined,
  waitForGroupMs: 0,
  countsAsSaved: () => false,
  isUnwanted: () => false,
} as const;

/** By id, the releases that would be skipped if one of each chapter was requested, at best in the first of the languages. */
function skippedOf(
  releases: readonly Chapter[],
  owned: readonly OwnedChapter[],
  languages: readonly string[],
  {
    keys,
    nowMs,
    wasSaved,
  }: {
    readonly keys: ChapterKeys;
    readonly nowMs: number;
    readonly wasSaved: (chapterId: string) => boolean;
  },
): ReadonlyMap<string, Skip> {
  const all = new Set([...languages, ...releases.map(({ language }) => language)]);
  const selection = { languages: [...all], groups: [] };
  const found = selectChapters(releases, selection, { nowMs, keys });
  const files = new Map(owned.map((each) => [each.chapterId, each]));
  const title = {
    releases,
    earlier: [],
    selected: found.selected.map(({ chapter }) => ({ id: chapter.id, chapter, why: '' })),
    excluded: found.excluded,
    keys,
    uploads: [],
    movedIds: new Set<string>(),
  };
  const { changes } = decide(
    { named: [], titles: [title] },
    { ...NO_CHANGES, selection, nowMs },
    {
      library: { find: (id) => files.get(id), findDamaged: () => undefined },
      history: { has: wasSaved },
    },
  );
  const skips = changes.filter((change) => change.kind === 'skip');
  return new Map(skips.map((each) => [each.id, each]));
}

/** Undefined if the chapter will be published later. */
function whyMissing(
  releases: readonly Chapter[],
  {
    isWanted,
    isLeftOut,
    skipOf,
  }: {
    readonly isWanted: (release: Chapter) => boolean;
    readonly isLeftOut: TitleRule['isLeftOut'];
    readonly skipOf: (release: Chapter) => Skip['reason'] | undefined;
  },
): MissingChapter | undefined {
  const wanted = releases.filter(isWanted);
  const likely = wanted.length > 0 ? wanted : releases;
  const [first] = likely;
  const number = first?.number ?? first?.title ?? 'without a number';
  const available = releases.filter((release) => !isUnavailable(skipOf(release) ?? ''));
  const readable = available.filter(isWanted);
  if (readable.length === 0 && wanted.some((each) => skipOf(each) === 'chapter-unpublished'))
    return undefined;
  // A file that a subscription does not keep was not removed by its owner.
  if ((readable.length > 0 ? readable : releases).every(isLeftOut))
    return { number, reason: 'left-out' };
  if (readable.length > 0) {
    const isRemoved = available.some((release) => skipOf(release) === 'in-download-archive');
    return { number, reason: isRemoved ? 'removed' : 'not-downloaded' };
  }
  if (available.length > 0) {
    const languages = [...new Set(available.map(({ language }) => language))].sort();
    return { number, reason: 'other-language', languages };
  }
  const external = likely.find((release) => skipOf(release) === 'chapter-external');
  if (external?.externalUrl !== undefined)
    return { number, reason: 'external', externalUrl: external.externalUrl };
  return { number, reason: 'unavailable' };
}

/** Whole numbers between the first and the last of a run of volumes that no release has, apart from those left out. */
function notUploaded(
  releases: readonly Chapter[],
  leftOut: ReadonlySet<Chapter>,
  { runOf }: ChapterKeys,
) {
  const numbersOf = (some: readonly Chapter[]): readonly number[] =>
    some.flatMap(({ number }) => parseNumber(number) ?? []);
  return [...groupBy(releases, runOf)].flatMap(([run, ofRun]) => {
    const others = new Set(numbersOf(ofRun.filter((each) => leftOut.has(each))).map(Math.floor));
    const gaps = missingWholeNumbers(numbersOf(ofRun.filter((each) => !leftOut.has(each))));
    return gaps
      .filter((number) => !others.has(number))
      .map((number) => ({
        chapter: { number: String(number), reason: 'not-uploaded' as const },
        run,
      }));
  });
}

function distinct(numbers: readonly string[]): readonly string[] {
  return [...new Set(numbers)].sort(compareNumbers);
}

/** Files of one kind are duplicates of each other; a book is not one of a chapter that was bound into it. */
function inSeveralFiles(
  owned: readonly OwnedChapter[],
  byId: Releases,
  keyOf: (owned: OwnedChapter) => string,
): Pick<TitleOverview, 'duplicates' | 'alsoInBooks'> {
  const codeOf = ({ chapterId, release: inFile }: OwnedChapter) =>
    (byId.get(chapterId) ?? inFile)?.language ?? '';
  const languageOf = (each: OwnedChapter) => languageTag(codeOf(each));
  const hasSeveral = new Set(owned.map(languageOf)).size > 1;
  const groups = groupBy(owned, (chapter) => `${languageOf(chapter)} ${keyOf(chapter)}`);
  const chapters = [...groups.values()]
    .map((ofChapter) => ({
      number: numberOf(ofChapter, byId),
      language: hasSeveral ? ofChapter.map(codeOf).find((code) => code !== '') : undefined,
      files: filesOf(ofChapter.filter(({ isBound }) => !isBound)),
      books: filesOf(ofChapter.filter(({ isBound }) => isBound)),
    }))
    .sort((a, b) => compareNumbers(a.number, b.number));
  const inBoth = chapters.filter(({ files, books }) => files.length > 0 && books.length > 0);
  return {
    duplicates: chapters.flatMap(({ number, language, files, books }) => {
      const named = { number, ...(language !== undefined && { language }) };
      return [
        ...(files.length > 1 ? [{ ...named, files }] : []),
        ...(books.length > 1 ? [{ ...named, files: books, areBooks: true }] : []),
      ];
    }),
    alsoInBooks: [...groupBy(inBoth, ({ books }) => JSON.stringify(books)).values()].map(
      (some) => ({
        numbers: distinct(some.map(({ number }) => number)),
        files: some[0]?.books ?? [],
      }),
    ),
  };
}

function filesOf(owned: readonly OwnedChapter[]): readonly string[] {
  return [...new Set(owned.map(({ file }) => file))].sort();
}

/** A release without a volume counts to that of its other releases, in any language. */
function withVolumes(releases: readonly Chapter[], keys: ChapterKeys): readonly Chapter[] {
  return inferVolumes(releases, listedNumbers(releases), keys);
}

function volumesOf(
  releases: readonly Chapter[],
  {
    isThere,
    isLeftOut,
  }: Pick<TitleRule, 'isLeftOut'> & { readonly isThere: (release: Chapter) => boolean },
) {
  const named = releases.filter(({ volume }) => volume !== undefined);
  return [...groupBy(named, ({ volume = '' }) => numberKey(volume))]
    .map(([volume, chapters]) => ({
      volume,
      isComplete: chapters.every(isThere),
      isMissing: !chapters.some(isThere) && !chapters.every(isLeftOut),
    }))
    .sort((a, b) => compareNumbers(a.volume, b.volume));
}
