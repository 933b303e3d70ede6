/** What a collection has of one title, and what it lacks and why, by the service's list of all releases. Pure. */
import { languageTag } from '../library/comic-info.js';
import { groupBy } from '../core/group-by.js';
import { unavailableReason } from '../selection/exclusions.js';
import { inferVolumes, listedNumbers } from '../selection/infer-volumes.js';
import { missingWholeNumbers, numberKey } from '../selection/reading-order.js';
import { parseNumber } from '../config/ranges.js';
import { chapterKeys, type ChapterKeys } from '../selection/same-chapter.js';

import { compareNumbers, toRuns } from './chapter-runs.js';
import type {
  ChapterState,
  MissingChapter,
  TitleOverviewEvent,
} from '../events/overview-events.js';

export type TitleOverview = Omit<
  TitleOverviewEvent,
  'type' | 'title' | 'name' | 'languages' | 'status' | 'checkedAt'
>;

type KnownRelease = Parameters<typeof chapterKeys>[0][number];

/** A chapter in a file. */
export interface OwnedChapter {
  readonly chapterId: string;
  readonly file: string;
  /** The file is a book. */
  readonly isBound?: boolean | undefined;
  /** What the file says of a chapter that the service does not list any more. */
  readonly release?: KnownRelease | undefined;
}

/** What the service lists of a title, and what it listed before. */
interface Listing {
  readonly numbersRestart: boolean;
  readonly releases: readonly KnownRelease[];
  readonly earlier: readonly KnownRelease[];
}

const NO_LISTING: Listing = { releases: [], earlier: [], numbersRestart: false };

/**
 * @param listing undefined if the service was never asked
 * @param owned the chapters of this title in the collection
 * @param wasSaved whether a history has the chapter: if its file is gone, the owner removed it
 * @param languages those that the collection is meant to have; a chapter in one of them is enough
 */
export function overviewOf(
  listing: Listing | undefined,
  owned: readonly OwnedChapter[],
  languages: readonly string[],
  nowMs: number,
  wasSaved: (chapterId: string) => boolean = () => false,
): TitleOverview {
  const { releases, numbersRestart, earlier } = listing ?? NO_LISTING;
  const listed = new Map(releases.map((release) => [release.id, release]));
  const inFiles = owned.flatMap(({ release }) => release ?? []);
  const deleted = earlier.map((release) => ({ ...release, isUnavailable: true }));
  const keys = chapterKeys([...releases, ...deleted, ...inFiles], { numbersRestart, nowMs });
  const { keyOf } = keys;
  const ownedKey = ({ chapterId: id }: OwnedChapter) => keyOf({ id });
  const have = new Set(owned.map(ownedKey));
  const byKey = groupBy(releases, keyOf);
  const isWanted = ({ language }: KnownRelease) => languages.includes(language);
  const volumeLabel = volumeLabels([...releases, ...inFiles], keys);
  const missing: { readonly chapter: MissingChapter; readonly run: number }[] = [];
  for (const [key, chapter] of byKey) {
    const found = have.has(key) ? undefined : whyMissing(chapter, isWanted, nowMs);
    const isRemoved = found?.reason === 'not-downloaded' && chapter.some(({ id }) => wasSaved(id));
    const reason = isRemoved ? { ...found, reason: 'removed' as const } : found;
    const run = runOfFirst(chapter, keys);
    const volume = keys.hasSeveralRuns ? volumeOf(chapter) : undefined;
    if (reason)
      missing.push({ chapter: { ...reason, ...(volume !== undefined && { volume }) }, run });
  }
  for (const gap of notUploaded([...releases, ...inFiles], keys)) missing.push(gap);
  const isUploadedAgain = (file: OwnedChapter) =>
    byKey.get(ownedKey(file))?.some((each) => isWanted(each) && !each.isUnavailable) === true;
  const gone = new Set(
    listing ? owned.filter((file) => isTakenDown(file, listed) && !isUploadedAgain(file)) : [],
  );
  const present = [...groupBy(owned, ownedKey).values()].map((files) => ({
    number: numberOf(files, listed),
    run: runOfFirst(
      files.map(({ chapterId: id }) => ({ id })),
      keys,
    ),
    state: files.every((file) => gone.has(file)) ? ('taken-down' as const) : ('present' as const),
  }));
  const absent = missing.map(({ chapter: { number, reason: state }, run }) => {
    return { number, run, state };
  });
  const volumes = volumesOf(withVolumes(releases, keys).filter(isWanted), (release) =>
    have.has(keyOf(release)),
  );
  return {
    have: have.size,
    missing: missing
      .sort((a, b) => a.run - b.run || compareNumbers(a.chapter.number, b.chapter.number))
      .map(({ chapter }) => chapter),
    takenDown: distinct([...gone].map((file) => numberOf([file], listed))),
    ...inSeveralFiles(owned, listed, ownedKey),
    volumes: volumes.map(({ volume, isComplete }) => ({ volume, isComplete })),
    missingVolumes: volumes.flatMap(({ volume, isMissing }) => (isMissing ? [volume] : [])),
    runs: toRuns<ChapterState>([...present, ...absent], volumeLabel),
  };
}

type Id = Pick<KnownRelease, 'id'>;

function runOfFirst([first]: readonly Id[], { runOf }: ChapterKeys): number {
  return first ? runOf(first) : 0;
}

function volumeOf(releases: readonly KnownRelease[]): string | undefined {
  return releases.find(({ volume }) => volume !== undefined)?.volume;
}

/** Where numbers begin again, the volumes of a run, such as `2` or `1-10`. */
function volumeLabels(
  releases: readonly KnownRelease[],
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

type Releases = ReadonlyMap<string, KnownRelease>;

function isTakenDown({ chapterId }: OwnedChapter, byId: Releases): boolean {
  const release = byId.get(chapterId);
  return !release || release.isUnavailable;
}

/** The number of the chapter that these files contain. */
function numberOf(files: readonly OwnedChapter[], byId: Releases): string {
  const [number] = files.flatMap((file) => {
    const release = byId.get(file.chapterId);
    return release?.number ?? file.release?.number ?? release?.title ?? [];
  });
  return number ?? 'without a number';
}

/** Undefined if the chapter will be published later. */
function whyMissing(
  releases: readonly KnownRelease[],
  isWanted: (release: KnownRelease) => boolean,
  nowMs: number,
): MissingChapter | undefined {
  const reasonOf = (release: KnownRelease) => unavailableReason(release, nowMs)?.reason;
  const isThere = (release: KnownRelease) => reasonOf(release) === undefined;
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

/** Whole numbers between the first and the last of a run of volumes that no release has. */
function notUploaded(releases: readonly KnownRelease[], { runOf }: ChapterKeys) {
  return [...groupBy(releases, runOf)].flatMap(([run, ofRun]) => {
    const numbers = ofRun.map(({ number }) => parseNumber(number));
    return missingWholeNumbers(numbers.filter((it) => it !== undefined)).map((number) => ({
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
  const languageOf = ({ chapterId, release: inFile }: OwnedChapter) =>
    languageTag((byId.get(chapterId) ?? inFile)?.language ?? '');
  const groups = groupBy(owned, (chapter) => `${languageOf(chapter)} ${keyOf(chapter)}`);
  const chapters = [...groups.values()]
    .map((ofChapter) => ({
      number: numberOf(ofChapter, byId),
      files: filesOf(ofChapter.filter(({ isBound }) => isBound !== true)),
      books: filesOf(ofChapter.filter(({ isBound }) => isBound === true)),
    }))
    .sort((a, b) => compareNumbers(a.number, b.number));
  const inBoth = chapters.filter(({ files, books }) => files.length > 0 && books.length > 0);
  return {
    duplicates: chapters.flatMap(({ number, files, books }) => [
      ...(files.length > 1 ? [{ number, files }] : []),
      ...(books.length > 1 ? [{ number, files: books, areBooks: true }] : []),
    ]),
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
function withVolumes(
  releases: readonly KnownRelease[],
  keys: ChapterKeys,
): readonly KnownRelease[] {
  return inferVolumes(releases, listedNumbers(releases), keys);
}

function volumesOf(releases: readonly KnownRelease[], isThere: (release: KnownRelease) => boolean) {
  const named = releases.filter(({ volume }) => volume !== undefined);
  return [...groupBy(named, ({ volume = '' }) => numberKey(volume))]
    .map(([volume, chapters]) => ({
      volume,
      isComplete: chapters.every(isThere),
      isMissing: !chapters.some(isThere),
    }))
    .sort((a, b) => compareNumbers(a.volume, b.volume));
}
