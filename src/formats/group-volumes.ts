/**
 * Groups chapters into the books to write: by series, language and volume, in reading order, one release of each
 * chapter number. Says what is missing.
 */
import { groupBy } from '../core/group-by.js';
import {
  selectChapters,
  type ExcludedChapter,
  type SelectionOptions,
} from '../selection/select-chapters.js';
import { parseNumber } from '../selection/ranges.js';
import type { BindBy } from './bind-choices.js';
import { sourceKey, toChapter, type SourceChapter } from './source-chapter.js';

/** The chapters of one book. */
export interface ChapterGroup<Chapter extends SourceChapter = SourceChapter> {
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
  readonly unassigned: readonly SourceChapter[];
  /** Releases of a chapter that another release of the same number replaces. */
  readonly otherReleases: readonly SourceChapter[];
}

/** `groups`: names of scanlation groups in order of preference. */
export function groupVolumes(
  chapters: readonly SourceChapter[],
  by: BindBy,
  groups: readonly string[],
): GroupedChapters {
  const otherReleases: SourceChapter[] = [];
  const unassigned: SourceChapter[] = [];
  const result: ChapterGroup[] = [];
  for (const seriesChapters of groupBy(withoutCopies(chapters), seriesKey).values()) {
    const { selected, excluded } = selectReleases(seriesChapters, groups);
    for (const each of excluded) otherReleases.push(each);
    for (const bookChapters of groupBy(selected, (chapter) => bookKey(chapter, by)).values()) {
      const group = toGroup(bookChapters, by, seriesChapters);
      if (by === 'volume' && group.volume === undefined)
        for (const each of bookChapters) unassigned.push(each);
      else result.push(group);
    }
  }
  return { groups: result, unassigned, otherReleases };
}

/** `seriesChapters`: all chapters of the series in this language; those in no book, or in another one, are not missing. */
function toGroup(
  chapters: readonly SourceChapter[],
  by: BindBy,
  seriesChapters: readonly SourceChapter[],
): ChapterGroup {
  const { series = '', language = '' } = chapters[0]?.metadata ?? {};
  const volumes = new Set(chapters.map(({ metadata }) => normalizedNumber(metadata.volume)));
  const [volume] = volumes;
  return {
    by,
    series,
    language,
    volume: volumes.size === 1 && volume !== '' ? volume : undefined,
    chapters,
    missing: numbersRestart(chapters)
      ? []
      : missingNumbers(
          chapters.map(({ metadata }) => metadata.number),
          numbersRestart(seriesChapters)
            ? []
            : seriesChapters.map(({ metadata }) => metadata.number),
        ),
  };
}

/**
 * Such as `3` and `7-9` for chapters 1, 2, 4, 5, 6, 10: the numbers between the first and the last that are not among
 * `others` either. Numbers such as 10.5 count as 10.
 */
export function missingNumbers(
  numbers: readonly (string | undefined)[],
  others: readonly (string | undefined)[] = [],
): string[] {
  const [first, ...rest] = wholeNumbers(numbers);
  const last = rest.at(-1);
  if (first === undefined || last === undefined) return [];
  const between = wholeNumbers([...numbers, ...others]).filter(
    (number) => number >= first && number <= last,
  );
  return between.slice(1).flatMap((number, index) => {
    const start = (between[index] ?? number) + 1;
    const end = number - 1;
    if (start > end) return [];
    return [start === end ? String(start) : `${start}-${end}`];
  });
}

function wholeNumbers(numbers: readonly (string | undefined)[]): readonly number[] {
  const parsed = numbers
    .map(parseNumber)
    .flatMap((number) => (number === undefined ? [] : [number]));
  return [...new Set(parsed.map(Math.floor))].sort((a, b) => a - b);
}

/**
 * The same chapter can be in several files: the newest version counts, then its own file, then the first one. A chapter without an identity
 * is the same as one in a book with the same metadata, but two files of such chapters are two releases.
 */
function withoutCopies(chapters: readonly SourceChapter[]): SourceChapter[] {
  const newest = new Map<string, SourceChapter>();
  for (const [index, chapter] of chapters.entries()) {
    const key = chapter.identity?.chapterId ?? contentKey(chapter);
    const other = newest.get(key);
    if (other && !chapter.identity && !chapter.isBound && !other.isBound)
      newest.set(`${key} ${index}`, chapter);
    else if (!other || isPreferred(chapter, other)) newest.set(key, chapter);
  }
  return [...newest.values()];
}

function contentKey(chapter: SourceChapter): string {
  return [seriesKey(chapter), chapter.metadata.volume ?? '', sourceKey(chapter)].join('\n');
}

function isPreferred({ identity, isBound }: SourceChapter, other: SourceChapter): boolean {
  const newer = (identity?.version ?? 0) - (other.identity?.version ?? 0);
  return newer > 0 || (newer === 0 && !isBound && other.isBound);
}

function selectReleases(chapters: readonly SourceChapter[], groups: readonly string[]) {
  // Publication dates in files are in the past, and every file has pages: nothing is unavailable.
  const options: SelectionOptions = { languages: [], groups };
  const context = { nowMs: Number.POSITIVE_INFINITY, numbersRestart: numbersRestart(chapters) };
  const sources = new Map(
    chapters.map((source, index) => [toChapter(source, `~${index}`), source] as const),
  );
  const { selected, excluded } = selectChapters([...sources.keys()], options, context);
  const sourcesOf = (releases: readonly Pick<ExcludedChapter, 'chapter'>[]) =>
    releases.flatMap(({ chapter }) => sources.get(chapter) ?? []);
  return { selected: sourcesOf(selected), excluded: sourcesOf(excluded) };
}

/** Files do not say whether numbers restart in each volume: they do if two volumes have a chapter 1. */
export function numbersRestart(chapters: readonly SourceChapter[]): boolean {
  const withFirst = chapters.filter(({ metadata }) => parseNumber(metadata.number) === 1);
  const volumes = withFirst.map(({ metadata }) => normalizedNumber(metadata.volume));
  return new Set(volumes.filter((volume) => volume !== '')).size > 1;
}

function seriesKey({ metadata: { series, language = '' } }: SourceChapter): string {
  return `${normalizedSeries(series)}\n${language.toLowerCase()}`;
}

export function normalizedSeries(name = ''): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ');
}

function bookKey(chapter: SourceChapter, by: BindBy): unknown {
  if (by === 'title') return '';
  return by === 'volume' ? normalizedNumber(chapter.metadata.volume) : chapter;
}

/** `01` and `1.0` become `1`. */
export function normalizedNumber(text = ''): string {
  return /^\d+(\.\d+)?$/.test(text.trim()) ? String(Number(text)) : text.trim();
}
