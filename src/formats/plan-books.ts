/** Which books to make of the inputs, under which names, and what is missing. */
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { ComicFields } from '../cbz/comic-info.js';
import { pathCollisionKey, type FormatFileName } from '../cbz/file-name.js';
import { isTitleFolder } from '../cbz/name-template.js';
import { pluralize } from '../core/human-format.js';
import { UsageError } from '../core/errors.js';
import { chapterFields } from '../selection/chapter-fields.js';
import type { LeftOutReason, ObserveBind } from './bind-events.js';
import type { BindBy, BookFormat } from './bind-choices.js';
import type { CoverImage } from './book.js';
import { collectChapters, type FailedFile } from './collect-chapters.js';
import type { PageProfile } from './device/page-profile.js';
import { groupVolumes, type ChapterGroup, type GroupedChapters } from './group-volumes.js';
import { inferFromNeighbors, withListedVolumes, type VolumeOf } from './inferred-volumes.js';
import { chapterLabel, inferredNumbers, toChapter, type SourceChapter } from './source-chapter.js';

/** The options of `bind` by their names in the table of options, and what else a caller knows. */
export interface BindRequest extends ComicFields {
  /** CBZ files, bound CBZ or EPUB files, and folders that contain such. */
  readonly inputs: readonly string[];
  /** Files that a scan found: one that is gone by now is not an error. */
  readonly found?: readonly string[];
  readonly by: BindBy;
  readonly format: BookFormat;
  /** The folder for the books. */
  readonly output: string;
  /** Returns a book's path below the output folder. */
  readonly nameBook: FormatFileName;
  /** The folders of the template of these names. */
  readonly folderTemplate: string;
  /** Scanlation groups in order of preference, for chapters with several releases. */
  readonly group: readonly string[];
  /** An image file; `auto`: one that is beside the chapters. */
  readonly bookCover: string;
  readonly force?: boolean | undefined;
  /** Remove the chapters' own files when a whole book has them. */
  readonly removeChapters?: boolean | undefined;
  /** Convert images that the format cannot contain. */
  readonly convert?: boolean | undefined;
  /** The end of the books' names, with its dot. */
  readonly extension: string;
  /** Set for books for a device. */
  readonly profile?: PageProfile | undefined;
  /** Larger books are divided. */
  readonly maxBytes?: number | undefined;
  /** Only these books are written; by default all. */
  readonly isSelected?: (group: ChapterGroup) => boolean;
  /** Give a chapter without a volume that of the chapters before and after it, if it is the same. */
  readonly infer: boolean;
  /** The volumes of chapters whose files do not have one, by id. */
  readonly volumeOf?: VolumeOf;
  /** How many volumes the group's series has, which no file says. */
  readonly volumeCount?: (group: ChapterGroup) => number | undefined;
}

export interface BindContext {
  readonly request: BindRequest;
  /** The one that the user named. */
  readonly cover: CoverImage | undefined;
  readonly observe: ObserveBind;
  readonly signal: AbortSignal;
}

/** See BookCopy; undefined for a book with the pages of its chapters in one file. */
export function copyProfile({ profile, maxBytes }: BindRequest): string | undefined {
  const size = maxBytes === undefined ? [] : [`max-size=${maxBytes}`];
  return profile || maxBytes !== undefined
    ? [...(profile ? [profile.text] : []), ...size].join(' ')
    : undefined;
}

export interface PlannedBook {
  readonly file: string;
  readonly group: ChapterGroup;
}

export interface BindPlan extends Omit<GroupedChapters, 'groups'> {
  readonly books: readonly PlannedBook[];
  readonly failed: readonly FailedFile[];
  readonly skippedLinks: number;
}

/** Reads the inputs and writes nothing. Throws UsageError: `nothing-to-bind`, `bad-option`. */
export async function planBooks(request: BindRequest, signal: AbortSignal): Promise<BindPlan> {
  const { by, group: groups, output, nameBook, infer, isSelected = () => true } = request;
  const { failed, skippedLinks, ...collected } = await collectChapters(
    request.inputs,
    request.found ?? [],
    signal,
  );
  const listed = withListedVolumes(collected.chapters, request.volumeOf);
  const chapters = infer && by === 'volume' ? inferFromNeighbors(listed) : listed;
  const grouping = groupVolumes(chapters, by, groups);
  const books = grouping.groups.filter(isSelected).map((group) => ({
    group,
    file: placeBook(join(output, nameBook(nameValues(group))), group, request),
  }));
  assertDistinct(books);
  assertNotInputs(books, chapters);
  return { ...grouping, books, failed, skippedLinks };
}

/**
 * In the output folder of the chapters, a book whose folder is theirs by the templates goes where they are: it may have
 * been moved. One that its owner edited stays where it is, under the name that it has.
 */
function placeBook(file: string, { chapters }: ChapterGroup, request: BindRequest): string {
  const { inputs, output, folderTemplate } = request;
  const isLibrary =
    inputs.length === 0 || inputs.some((input) => resolve(input) === resolve(output));
  if (!isLibrary) return file;
  const edited = editedBook(chapters, request);
  if (edited !== undefined) return edited;
  if (!isTitleFolder(folderTemplate)) return file;
  const beside = chapters.findLast(
    ({ isBound, record }) => !isBound && record?.folderTemplate === folderTemplate,
  );
  if (!beside) return file;
  const folder = relative(resolve(output), resolve(dirname(beside.file)));
  const isOutside = folder.split(sep)[0] === '..' || isAbsolute(folder);
  return isOutside ? file : join(output, folder, basename(file));
}

/** The book that has all of these chapters, if its owner edited it. */
function editedBook(chapters: readonly SourceChapter[], request: BindRequest): string | undefined {
  const [book, ...others] = new Set(chapters.map(({ file }) => file));
  const isEdited = others.length === 0 && chapters[0]?.isBookEdited === true;
  if (book === undefined || !isEdited || copyProfile(request) !== undefined) return undefined;
  return extname(book).toLowerCase() === request.extension ? book : undefined;
}

/** What is missing is reported before anything is written. */
export function observePlan(plan: BindPlan, observe: ObserveBind): void {
  if (plan.skippedLinks > 0) {
    const links = pluralize(plan.skippedLinks, 'symbolic link');
    observe({ type: 'warning', message: `Skipped ${links}: only files in the folder are bound.` });
  }
  for (const { file, error } of plan.failed)
    observe({
      type: 'chapter-left-out',
      file,
      reason: 'archive-damaged',
      message: error.message,
    });
  const leaveOut = (chapter: SourceChapter, reason: LeftOutReason): void => {
    const { file, metadata } = chapter;
    const fields = chapterFields(toChapter(chapter, file), metadata.series);
    observe({ type: 'chapter-left-out', file, reason, ...fields });
  };
  for (const chapter of plan.otherReleases) leaveOut(chapter, 'other-release');
  for (const chapter of plan.unassigned) leaveOut(chapter, 'no-volume');
  for (const { file, group } of plan.books) {
    const { series, language, volume, chapters, missing } = group;
    const pages = pageCount(chapters);
    const volumeInferred = inferredNumbers(group);
    observe({
      type: 'book-planned',
      file,
      series,
      language,
      volume,
      chapters: chapters.length,
      pages,
      missing,
      ...(volumeInferred.length > 0 && { volumeInferred }),
    });
  }
}

function nameValues(group: ChapterGroup) {
  const { by, series, language, volume, chapters } = group;
  const [first] = chapters;
  const { number, title, translators = [] } = first?.metadata ?? {};
  const isChapter = by === 'chapter';
  return {
    id: first ? (first.identity?.chapterId ?? chapterLabel(first.metadata)) : 'book',
    series,
    language,
    volume: by === 'title' ? undefined : volume,
    chapter: isChapter ? number : undefined,
    title: isChapter ? title : undefined,
    group: isChapter ? translators.join(' + ') : undefined,
    author: first?.metadata.writers?.join(', '),
    artist: first?.metadata.pencillers?.join(', '),
    'title-id': first?.record?.titleId ?? first?.identity?.titleId,
    'chapter-id': isChapter ? first?.identity?.chapterId : undefined,
    date: isChapter ? first?.metadata.publishedAt?.toISOString().slice(0, 10) : undefined,
  };
}

function assertDistinct(books: readonly PlannedBook[]): void {
  const byKey = new Map<string, PlannedBook>();
  for (const book of books) {
    const key = pathCollisionKey(book.file);
    const other = byKey.get(key);
    if (other) throw sameName(book, other);
    byKey.set(key, book);
  }
}

function sameName({ file, group }: PlannedBook, { group: other }: PlannedBook): UsageError {
  const languages = [other.language, group.language].map((code) => code || 'unknown');
  const message =
    languages[0] === languages[1]
      ? `Two books have the same name: ${file}`
      : `Chapters in two languages (${languages.join(', ')}) have the same name: ${file}`;
  const hint = 'Distinguish them with --name, which has {language}, {volume} and {chapter}.';
  return new UsageError('bad-option', message, { hint });
}

function assertNotInputs(books: readonly PlannedBook[], chapters: readonly SourceChapter[]): void {
  const inputs = new Set(chapters.flatMap(({ isBound, file }) => (isBound ? [] : [resolve(file)])));
  for (const { file } of books) {
    if (!inputs.has(resolve(file))) continue;
    const message = `The book would replace the chapter that it is made of: ${relative('.', file)}`;
    throw new UsageError('bad-option', message, {
      hint: 'Choose another folder with --output, or another --name.',
    });
  }
}

export function pageCount(chapters: readonly SourceChapter[]): number {
  return chapters.reduce((sum, { pages }) => sum + pages.length, 0);
}
