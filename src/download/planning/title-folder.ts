/**
 * Where the chapters of a title are in an output folder, and under which name: later ones go there, although the title
 * was renamed or the owner moved its folder. A changed name template or `folder` applies all the same. Pure.
 */
import { basename, dirname, join, resolve } from 'node:path';
import type { Chapter } from '../../service/chapters.js';
import type { Title } from '../../service/titles.js';
import { groupBy } from '../../core/group-by.js';
import { cleanSegment } from '../../core/path-segment.js';
import { parseNumber } from '../../config/ranges.js';
import type { ReadChapter, FoundChapter } from '../../library/file.js';
import { compareNames, templateFor, type NameTemplate } from '../../config/names.js';
import {
  isWrittenOut,
  OWNERS_NAME,
  type NameValues,
  type RecordedName,
} from '../../config/name-template.js';
import {
  folderMove,
  foldersBelow,
  foldersOf,
  inFormOf,
  sharedEnd,
} from '../../core/relative-paths.js';
import { newPath, type NamedFile, type TemplateName } from '../../plan/paths.js';
import type { NameChapter } from '../download-request.js';

type NameOptions = Parameters<typeof newPath>[2];

/** A chapter of the title in the output folder. */
export interface KnownChapter extends Pick<ReadChapter, 'metadata'> {
  /** Empty for a book. */
  readonly recorded: RecordedName;
  /** Below the output folder, with `/` between folders. */
  readonly path: string;
  readonly isBound: boolean;
}

export interface TitleHome {
  /** The name of the series, in file names and in ComicInfo.xml. */
  readonly series: string;
  /** The name of a chapter of the title, in the folder in which the title is. */
  readonly nameOf: (values: NameValues) => TemplateName;
}

export interface HomeOptions<Known> {
  readonly template: NameTemplate;
  /** The template is the built-in one: chapters that a sync saved in a folder of their own stay there. */
  readonly hasDefaultName: boolean;
  /** What the template names this chapter after, with the series' name `series`. */
  readonly valuesOf: (known: Known, series: string) => NameValues;
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
  return placed ? homeBeside(placed, series, options) : newHome(series, options.template);
}

/** The template gives the folder of a title without files. */
export function newHome(series: string, template: NameTemplate): TitleHome {
  const { folderTemplate, fileTemplate } = template;
  const nameOf = (values: NameValues): TemplateName => {
    const path = template(values);
    return { path, recorded: { path, folderTemplate, fileTemplate } };
  };
  return { series, nameOf };
}

/** For a file that keeps this of its title. */
export function nameOptions(
  { title: { numbersRestart } }: { readonly title: Pick<Title, 'numbersRestart'> },
  nameChapter: NameChapter,
  keeps: NameOptions['keeps'],
  renameTo: NameTemplate | undefined,
): NameOptions {
  const templates = [nameChapter(false), nameChapter(true)];
  return { templates, numbersRestart, keeps, renameTo };
}

/**
 * Where the file of a chapter goes that the service moved to another title: to the folder of that. A name that the owner
 * gave the file stays. `named`: with the name of the new title. `home`: where its chapters are, if it has some.
 */
export function movedPath(
  file: string,
  named: NamedFile & { readonly title: Pick<Title, 'name' | 'numbersRestart'> },
  { output, nameChapter }: { readonly output: string; readonly nameChapter: NameChapter },
  home: TitleHome | undefined,
): ReturnType<typeof newPath> {
  const { name: series } = named.title;
  const path = newPath(
    file,
    named,
    nameOptions(named, nameChapter, { movedIn: output }, undefined),
  );
  const template = nameChapter(false);
  if (!home) {
    const hasNewFolder = dirname(path.to) !== dirname(resolve(file));
    // The output folder itself may be that of the title.
    const isOutput = dirname(resolve(file)) === resolve(output);
    if (hasNewFolder || isOutput || template.folderTemplate === '') return path;
  }
  const { nameOf } = home ?? newHome(series, templateFor(template, named.title));
  const placed = nameOf(named.values);
  const folders = foldersOf(placed.recorded.path ?? placed.path);
  const name = basename(path.recorded?.path ?? path.to);
  const { folderTemplate } = placed.recorded;
  return {
    to: join(resolve(output), ...foldersOf(placed.path), basename(path.to)),
    root: resolve(output),
    // The name is still of the template that the file has, such as one with the language.
    recorded: path.recorded && {
      ...path.recorded,
      folderTemplate,
      path: [...folders, name].join('/'),
    },
  };
}

/** The record says what the folders of the title were called before the owner moved them; older ones do not. */
function homeBeside<Known extends KnownChapter>(
  placed: Known,
  series: string,
  { template, valuesOf }: HomeOptions<Known>,
): TitleHome {
  const { fileTemplate } = template;
  const { folderTemplate = template.folderTemplate, path: recordedPath } = placed.recorded;
  const isOfTemplate = folderTemplate === template.folderTemplate;
  const given = recordedPath === OWNERS_NAME ? undefined : recordedPath;
  const ofTemplate = isOfTemplate ? given : undefined;
  const values = valuesOf(placed, series);
  const titleFolders = ofTemplate === undefined ? [] : template.titleFoldersIn(ofTemplate, values);
  const move = folderMove(foldersOf(ofTemplate ?? template(values)), foldersOf(placed.path));
  const nameOf = (next: NameValues): TemplateName => {
    const path = template(next, titleFolders);
    const below = foldersBelow(move.from, foldersOf(path));
    const inPlace = below && inFormOf(foldersOf(placed.path), [...move.to, ...below]);
    const moved = inPlace ? [...inPlace, basename(path)].join('/') : path;
    // A folder of a subscription, which is written out, is not one of the template.
    const folders = foldersOf(isOfTemplate ? path : (given ?? moved));
    const recorded = [...folders, basename(path)].join('/');
    return { path: moved, recorded: { path: recorded, folderTemplate, fileTemplate } };
  };
  return { series, nameOf };
}

/** Whether the template of now named the file: then its path shows where the folder of the title was moved to. */
function hasTemplate<Known extends KnownChapter>(
  chapter: Known,
  options: HomeOptions<Known>,
): boolean {
  const { template, valuesOf } = options;
  const { folderTemplate } = template;
  const written = chapter.recorded.folderTemplate;
  if (written !== undefined)
    return written === folderTemplate || (options.hasDefaultName && isWrittenOut(written));
  // Older archives and books do not say. Folders that are written out are the owner's choice of now.
  if (!folderTemplate.includes('{')) return false;
  const series = chapter.metadata.series ?? '';
  const path = template(valuesOf(chapter, series));
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

/** Reading an archive takes milliseconds, and a few of a folder show what its chapters are called. */
export const MAX_READ_OF_TITLE = 2;
/** There may be archives of other titles among them. */
export const MAX_READ_OF_LIKELY = 20;

/**
 * Chooses from each folder up to `count` archives of known releases, those with the highest numbers, and up to `count`
 * others, the last ones by name.
 */
export function sampleFolders(
  archives: readonly FoundChapter[],
  releases: ReadonlyMap<string, Pick<Chapter, 'number'>>,
  count: number,
): readonly FoundChapter[] {
  const numberOf = ({ chapterId }: FoundChapter) => parseNumber(releases.get(chapterId)?.number);
  return [...groupBy(archives, ({ file }) => dirname(file)).values()].flatMap((beside) => {
    const numbered = beside.filter((archive) => numberOf(archive) !== undefined);
    const others = beside.filter((archive) => numberOf(archive) === undefined);
    numbered.sort((a, b) => (numberOf(b) ?? 0) - (numberOf(a) ?? 0));
    others.sort((a, b) => compareNames(basename(b.file), basename(a.file)));
    return [...numbered.slice(0, count), ...others.slice(0, count)];
  });
}
