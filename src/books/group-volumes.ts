/**
 * Groups chapters into the books to write: by series, language and volume, in reading order, one release of each
 * chapter number. Says what is missing.
 */
import type { Chapter } from '../service/chapters.js';
import { maxOf, minOf } from '../core/extremes.js';
import { groupBy } from '../core/group-by.js';
import { isOriginalOf, seriesNameKey } from '../core/name-keys.js';
import {
  selectChapters,
  type ExcludedChapter,
  type SelectionOptions,
} from '../selection/select-chapters.js';
import { cleanSegment } from '../core/path-segment.js';
import { compareNames } from '../config/names.js';
import { parseNumber, toRanges } from '../config/ranges.js';
import { missingWholeNumbers, numberKey } from '../selection/reading-order.js';
import { chapterKeys, type ChapterKeys } from '../selection/same-chapter.js';
import type { BindBy } from '../config/bind-choices.js';
import { distinctNames, fileVersion } from './same-names.js';
import { replacedKeys, sourceKey, toChapter, wasRead, type BookChapter } from './source-chapter.js';

/** The chapters of one book. */
export interface ChapterGroup<Chapter extends BookChapter = BookChapter> {
  readonly by: BindBy;
  readonly series: string;
  /** A BCP 47 tag; empty if unknown. */
  readonly language: string;
  /** Undefined if the chapters are not of one volume. */
  readonly volume: string | undefined;
  /** In reading order. */
  readonly chapters: readonly Chapter[];
  /** Numbers between the first and the last chapter that are missing, such as `3` or `7-9`. */
  readonly missing: readonly string[];
}

export interface GroupedChapters {
  readonly groups: readonly ChapterGroup[];
  /** Chapters without a volume, which are not bound. */
  readonly unassigned: readonly BookChapter[];
  /** Releases of a chapter that another release of the same number replaces. */
  readonly otherReleases: readonly BookChapter[];
}

/** Books on a device follow the chapters that are there: they may lose some. */
export interface OnDevice {
  /** Which of the chapters without a volume are in one more book. */
  readonly isWanted: (chapter: BookChapter) => boolean;
  /** Called before each book. Throws StorageError if the device is not there any more. */
  readonly check: () => Promise<void>;
}

/** `groups`: names of scanlation groups in order of preference. */
export function groupVolumes(
  chapters: readonly BookChapter[],
  by: BindBy,
  groups: readonly string[],
): GroupedChapters {
  const { originals, copies } = withoutCopies(withoutReplaced(chapters));
  const otherReleases: BookChapter[] = [...copies];
  const unassigned: BookChapter[] = [];
  const result: ChapterGroup[] = [];
  for (const seriesChapters of groupBy(originals, seriesKey).values()) {
    const keyed = keyedChapters(seriesChapters);
    const { selected, excluded } = selectReleases(keyed, groups);
    for (const each of excluded) otherReleases.push(each);
    for (const bookChapters of groupBy(selected, (chapter) => bookKey(chapter, by)).values()) {
      const group = toGroup(bookChapters, by, keyed);
      if (by === 'volume' && group.volume === undefined)
        for (const each of bookChapters) unassigned.push(each);
      else result.push(group);
    }
  }
  return { groups: result, unassigned, otherReleases };
}

/** One more book of each series and language, for chapters without a volume. */
export function booksWithoutVolume(
  chapters: readonly BookChapter[],
  groups: readonly string[],
): readonly ChapterGroup[] {
  const { groups: ofSeries } = groupVolumes(chapters, 'title', groups);
  return ofSeries.map((group) => ({ ...group, by: 'volume', volume: undefined }));
}

/** `keyed`: all chapters of the series in this language; those in no book, or in another one, are not missing. */
function toGroup(chapters: readonly BookChapter[], by: BindBy, keyed: KeyedChapters): ChapterGroup {
  const { language = '' } = chapters[0]?.metadata ?? {};
  const missing = missingInRuns(chapters, keyed);
  const series = seriesOf(chapters);
  return { by, series, language, volume: volumeOf(chapters), chapters, missing };
}

/** A name that no folder can have is that of ComicInfo.xml; the name of a folder has other characters in its place. */
function seriesOf(chapters: readonly BookChapter[]): string {
  const names = [...new Set(chapters.map(({ metadata: { series = '' } }) => series))];
  return names.find((name) => names.length > 1 && cleanSegment(name) !== name) ?? names[0] ?? '';
}

/** Undefined for chapters that are not of one volume. */
export function volumeOf(chapters: readonly BookChapter[]): string | undefined {
  const volumes = new Set(chapters.map(({ metadata }) => normalizedNumber(metadata.volume)));
  const [volume = ''] = volumes;
  return volumes.size === 1 && volume !== '' ? volume : undefined;
}

/** The numbers that are missing in each run of volumes. */
function missingInRuns(
  chapters: readonly BookChapter[],
  { chapters: all, runOf }: KeyedChapters,
): readonly string[] {
  return [...groupBy(chapters, runOf)].flatMap(([run, ofRun]) =>
    missingNumbers(
      ofRun.map(({ metadata }) => metadata.number),
      all.filter((each) => runOf(each) === run).map(({ metadata }) => metadata.number),
    ),
  );
}

/** Such as `3` and `7-9` for chapters 1, 2, 4, 5, 6, 10: what is missing between them and is not among `others` either. */
export function missingNumbers(
  numbers: readonly (string | undefined)[],
  others: readonly (string | undefined)[] = [],
): string[] {
  const own = wholeNumbers(numbers);
  const [start, end] = [minOf(own), maxOf(own)];
  const between = wholeNumbers(others).filter((number) => number >= start && number <= end);
  return toRanges(missingWholeNumbers([...own, ...between]).map(String));
}

function wholeNumbers(numbers: readonly (string | undefined)[]): readonly number[] {
  return numbers
    .map(parseNumber)
    .flatMap((number) => (number === undefined ? [] : Math.floor(number)));
}

/** The file of a chapter counts, and not the book that was made of an earlier one. */
function withoutReplaced(chapters: readonly BookChapter[]): readonly BookChapter[] {
  const bound = chapters.filter(({ isBound, chapterId }) => isBound && chapterId === undefined);
  if (bound.length === 0) return chapters;
  const volumeKey = (chapter: BookChapter) =>
    `${seriesKey(chapter)}\n${normalizedNumber(chapter.metadata.volume)}`;
  const byVolume = groupBy(chapters, volumeKey);
  const replaced = new Set(
    [...groupBy(bound, volumeKey)].flatMap(([volume, ofVolume]) => {
      const keys = replacedKeys(ofVolume.map(sourceKey), byVolume.get(volume) ?? []);
      return ofVolume.filter((chapter) => keys.has(sourceKey(chapter)));
    }),
  );
  return chapters.filter((chapter) => !replaced.has(chapter));
}

/**
 * The same chapter can be in several files: the newest version counts, then its own file, then the original of a copy, then
 * the first one. A chapter without an identity is the same as one in a book with the same metadata; two files of such
 * chapters with the same pages are one chapter and its copy, which is returned too.
 */
function withoutCopies(chapters: readonly BookChapter[]) {
  const copies: BookChapter[] = [];
  const newest = new Map<string, BookChapter>();
  for (const [index, chapter] of chapters.entries()) {
    const key = chapter.chapterId ?? contentKey(chapter);
    const other = newest.get(key);
    if (other && chapter.chapterId === undefined && !chapter.isBound && !other.isBound) {
      if (!isKnownByPages(chapter)) newest.set(`${key} ${index}`, chapter);
      else if (isPreferred(chapter, other)) {
        copies.push(other);
        newest.set(key, chapter);
      } else copies.push(chapter);
    } else if (!other || isPreferred(chapter, other)) newest.set(key, chapter);
  }
  return { originals: [...newest.values()], copies };
}

/** Whether the chapter is known by the checksums of its pages. */
function isKnownByPages(chapter: BookChapter): boolean {
  return chapter.pages.length > 0 && (wasRead(chapter) || (chapter.pages.checksum ?? 0) !== 0);
}

function contentKey(chapter: BookChapter): string {
  return [seriesKey(chapter), chapter.metadata.volume ?? '', sourceKey(chapter)].join('\n');
}

function isPreferred({ version = 0, isBound, file }: BookChapter, other: BookChapter): boolean {
  const newer = version - (other.version ?? 0);
  if (newer !== 0) return newer > 0;
  return isBound === other.isBound ? isOriginalOf(file, other.file) : other.isBound;
}

/** The chapters of one series, and the run of volumes that each is of. */
export interface KeyedChapters {
  readonly chapters: readonly BookChapter[];
  readonly releases: ReadonlyMap<Chapter, BookChapter>;
  readonly keys: ChapterKeys;
  readonly runOf: (chapter: BookChapter) => number;
}

/** Publication dates in files are in the past, and every file has pages: nothing is unavailable. */
const NOW_MS = Number.POSITIVE_INFINITY;

/** Chapters without an identity differ by their place in the natural order of their files, after later versions. */
export function keyedChapters(chapters: readonly BookChapter[]): KeyedChapters {
  const digits = String(chapters.length).length;
  const ordered = [...chapters].sort(
    (a, b) => fileVersion(b.file) - fileVersion(a.file) || compareNames(a.file, b.file),
  );
  const releases = new Map(
    ordered.map((source, index) => {
      return [toChapter(source, `~${String(index).padStart(digits, '0')}`), source] as const;
    }),
  );
  const isListKnown = chapters.some(({ listed }) => listed);
  const known = [...releases].map(([release, { chapterId, listed }]) => ({
    ...release,
    isUnavailable: isListKnown && chapterId !== undefined && !listed,
  }));
  // Files do not say whether numbers restart in each volume.
  const keys = chapterKeys(known, { numbersRestart: false, nowMs: NOW_MS });
  const runs = new Map([...releases].map(([release, source]) => [source, keys.runOf(release)]));
  const numbers = new Map(
    [...releases].map(([{ id, number }, { listed }]) => [id, (listed ?? { number }).number]),
  );
  // A chapter that was renumbered since is not that of its old number, nor that of its new one.
  const keyOf = ({ id }: Pick<Chapter, 'id'>) =>
    `${keys.keyOf({ id })} ${numberKey(numbers.get(id))}`;
  const sameNumber = groupBy([...releases], ([release]) => keyOf(release)).values();
  const distinct = new Map(
    [...sameNumber].flatMap((each) => [...distinctNames(each.map(([, source]) => source))]),
  );
  const byId = new Map([...releases].map(([{ id }, source]) => [id, distinct.get(source)]));
  return {
    chapters,
    releases,
    keys: { ...keys, keyOf: (each) => `${keyOf(each)} ${byId.get(each.id) ?? ''}` },
    runOf: (source) => runs.get(source) ?? 0,
  };
}

function selectReleases({ releases, keys }: KeyedChapters, groups: readonly string[]) {
  const options: SelectionOptions = { languages: [], groups };
  const { selected, excluded } = selectChapters([...releases.keys()], options, {
    nowMs: NOW_MS,
    keys,
  });
  const sourcesOf = (found: readonly Pick<ExcludedChapter, 'chapter'>[]) =>
    found.flatMap(({ chapter }) => releases.get(chapter) ?? []);
  return { selected: sourcesOf(selected), excluded: sourcesOf(excluded) };
}

function seriesKey({ metadata: { series, language = '' } }: BookChapter): string {
  return `${seriesNameKey(series ?? '')}\n${language.toLowerCase()}`;
}

function bookKey(chapter: BookChapter, by: BindBy): unknown {
  if (by === 'title') return '';
  return by === 'volume' ? normalizedNumber(chapter.metadata.volume) : chapter;
}

/** `01` and `1.0` become `1`. */
export function normalizedNumber(text = ''): string {
  return /^\d+(\.\d+)?$/.test(text.trim()) ? String(Number(text)) : text.trim();
}
