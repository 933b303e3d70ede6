/**
 * Where the chapters of a title are in an output folder, and under which name: later ones go there, although the title
 * was renamed or the owner moved its folder. A changed name template or `folder` applies all the same. Pure.
 */
import type { Title } from '../service/titles.js';
import type { FileChapter } from '../library/file.js';
import { pathCollisionKey, cleanSegment } from '../core/path-segment.js';
import { parseNumber } from '../config/ranges.js';

/** A chapter of the title in the output folder. */
export interface KnownChapter extends Pick<FileChapter, 'metadata'> {
  readonly folderTemplate: string | undefined;
  /** Below the output folder, with `/` between folders. */
  readonly path: string;
  readonly isBound: boolean;
}

export interface TitleHome {
  /** The name of the series, in file names and in ComicInfo.xml. */
  readonly series: string;
  /** The path that the template gives, with the folder in which the title's chapters are. */
  readonly place: (path: string) => string;
  /** The folders of the template by which the chapters there are named, for the records of later ones. */
  readonly folderTemplate: string;
}

export type NamedTitle = Pick<Title, 'id' | 'name' | 'year'>;

export interface HomeOptions<Known> {
  /** The folders of the name template. */
  readonly folderTemplate: string;
  /** The template is the built-in one: chapters that a sync saved in a folder of their own stay there. */
  readonly hasDefaultName: boolean;
  /** The path that the template gives this chapter now, with the series' name `series`. */
  readonly pathOf: (known: Known, series: string) => string;
  readonly numbersRestart: boolean;
}

/** Undefined if no file names its series. */
export function titleHome<Known extends KnownChapter>(
  chapters: readonly Known[],
  options: HomeOptions<Known>,
): TitleHome | undefined {
  const named = chapters.filter(({ metadata }) => metadata.series !== undefined);
  const sorted = named.sort(latestFirst(options.numbersRestart));
  const placed = sorted.find((chapter) => hasTemplate(chapter, options));
  const { series } = (placed ?? sorted[0])?.metadata ?? {};
  if (series === undefined) return undefined;
  const { folderTemplate, pathOf } = options;
  if (!placed) return { series, folderTemplate, place: (path) => path };
  return {
    series,
    folderTemplate: placed.folderTemplate ?? folderTemplate,
    place: movedLike(foldersOf(pathOf(placed, series)), foldersOf(placed.path)),
  };
}

/** The names that a title may have beside others of the same name, in this order; the last one is its own. */
export function nameCandidates({ id, name, year }: NamedTitle): readonly string[] {
  const withYear = year === undefined ? [] : [`${name} (${year})`];
  return [name, ...withYear, `${name} (${id.slice(0, SHORT_ID_LENGTH)})`];
}

const SHORT_ID_LENGTH = 8;

/** Equal for names that some file system considers the same. */
export function nameKey(name: string): string {
  return pathCollisionKey(cleanSegment(name));
}

function foldersOf(path: string): readonly string[] {
  return path.split('/').slice(0, -1);
}

/** Moves a path as a folder was moved: by what its old and its new path do not share at the end. */
function movedLike(from: readonly string[], to: readonly string[]): TitleHome['place'] {
  const shared = sharedEnd(from, to);
  const [old, moved] = [from.slice(0, from.length - shared), to.slice(0, to.length - shared)];
  return (path) => {
    const segments = path.split('/');
    const isBelow = segments.length > old.length && old.every((name, i) => name === segments[i]);
    return isBelow ? [...moved, ...segments.slice(old.length)].join('/') : path;
  };
}

function sharedEnd(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < Math.min(a.length, b.length) && a.at(-1 - count) === b.at(-1 - count)) count += 1;
  return count;
}

/** A folder without fields is that of one title, such as the key `folder` of a subscription. */
const isWrittenOut = (folders: string): boolean => !folders.includes('{');

/** Whether the template of now named the file: then its path shows where the folder of the title was moved to. */
function hasTemplate<Known extends KnownChapter>(
  chapter: Known,
  options: HomeOptions<Known>,
): boolean {
  const { folderTemplate, pathOf } = options;
  const written = chapter.folderTemplate;
  if (written !== undefined)
    return (
      written === folderTemplate ||
      (options.hasDefaultName && written !== '' && isWrittenOut(written))
    );
  // Older archives and books do not say. Folders that are written out are the owner's choice of now.
  if (isWrittenOut(folderTemplate)) return false;
  const series = chapter.metadata.series ?? '';
  const path = pathOf(chapter, series);
  const [from, to] = [foldersOf(path), foldersOf(chapter.path)];
  if (from.length === 0 || to.length < from.length) return false;
  if (sharedEnd(from, to) === from.length) return true;
  // The folder of the built-in template, which is another one.
  if (to.length === from.length) return to.at(-1) !== cleanSegment(series);
  return !chapter.isBound && chapter.path.split('/').at(-1) === path.split('/').at(-1);
}

/** Chapters without a number come last. */
function latestFirst(numbersRestart: boolean): (a: KnownChapter, b: KnownChapter) => number {
  const rank = ({ metadata, path }: KnownChapter) => {
    const { volume, number, publishedAt } = metadata;
    const [volumeRank = -1, numberRank = -1] = [parseNumber(volume), parseNumber(number)];
    const numbers = numbersRestart ? [volumeRank, numberRank] : [numberRank, volumeRank];
    return { numbers: [...numbers, publishedAt?.getTime() ?? 0], path };
  };
  return (a, b) => {
    const [first, second] = [rank(a), rank(b)];
    const index = first.numbers.findIndex((value, at) => value !== second.numbers[at]);
    if (index >= 0) return (second.numbers[index] ?? 0) - (first.numbers[index] ?? 0);
    return first.path < second.path ? -1 : 1;
  };
}
