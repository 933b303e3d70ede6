/** Which books to make of the inputs, under which names, and what is missing. */
import { existsSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import type { ComicFields } from '../library/comic-info.js';
import type { KeepOptions } from '../library/replaced-files.js';
import { maxNameBytes } from '../core/file-system.js';
import { groupBy } from '../core/group-by.js';
import { withKnownLanguage } from './known-language.js';
import { firstNames, pluralize } from '../core/human-format.js';
import { chapterFields } from '../selection/chapter-fields.js';
import type { ObserveBind } from '../events/bind-events.js';
import type { LeftOutReason } from '../events/reasons.js';
import type { BindBy, ReadingDirection } from '../config/bind-choices.js';
import { CONTAINERS, type ContainerName } from '../config/containers.js';
import type { CoverImage } from './book.js';
import {
  nameBooks,
  sourceId,
  type BookNames,
  type KnownBook,
  type PlannedBook,
  type RefusedBook,
} from './book-names.js';
import { guessName } from './guess-name.js';
import { collectChapters, type CollectedChapters } from './collect-chapters.js';
import { emptiedBooks } from './emptied-books.js';
import {
  booksWithoutVolume,
  groupVolumes,
  type ChapterGroup,
  type GroupedChapters,
  normalizedNumber,
  type OnDevice,
} from './group-volumes.js';
import {
  inferFromNeighbors,
  withListed,
  withoutInferred,
  type FindListed,
} from './inferred-volumes.js';
import { isExtraWord } from './name-grammar/words.js';
import { inferredNumbers, toChapter, type FailedFile, type BookChapter } from './source-chapter.js';

export { pageProfile } from './page-profile.js';

/** The options of `bind` by their names in the table of options, and what else a caller knows. */
export interface BindRequest
  extends Omit<BookNames, 'isThere' | keyof TemplatesOfBooks>, ComicFields {
  /** The templates for a folder whose longest names have this many bytes. */
  readonly namesWithin: (maxNameBytes: number) => TemplatesOfBooks;
  /** Files that a scan found: one that is gone by now is not an error. */
  readonly found?: readonly string[];
  /** Books that a scan found, and that cannot be read back. */
  readonly fixedBooks?: readonly string[];
  /** Has the index of large folders, of which only new and changed files are read. */
  readonly stateFolder?: string | undefined;
  readonly by: BindBy;
  readonly format: ContainerName;
  /** Scanlation groups in order of preference, for chapters with several releases. */
  readonly group: readonly string[];
  /** How the pages of a book turn whose chapters do not say it. */
  readonly direction: ReadingDirection | false;
  /** An image file; `auto`: one that is beside the chapters. */
  readonly bookCover: string;
  readonly force?: boolean | undefined;
  /** Remove the chapters' own files when a whole book has them. */
  readonly removeChapters?: boolean | undefined;
  /** Convert images that the format cannot contain. */
  readonly convert?: boolean | undefined;
  /** Only these books are written; by default all. */
  readonly isSelected?: (group: ChapterGroup, failed: readonly FailedFile[]) => boolean;
  /** Use inferred volumes: those in the files, and that of the chapters before and after one without, if it is the same. */
  readonly infer: boolean;
  /** The service's chapters by id. They come before deleted ones of the same number and group. */
  readonly listedChapter?: FindListed;
  /** How many volumes the group's series has, which no file says. */
  readonly volumeCount?: (group: ChapterGroup) => number | undefined;
  /** How replaced books are kept. */
  readonly keep: KeepOptions;
  /** Set where books are kept up to date in a folder on a device. */
  readonly onDevice?: OnDevice | undefined;
}

type TemplatesOfBooks = Pick<BookNames, 'nameBook' | 'nameWithoutVolume' | 'otherNames'>;

export interface BindContext {
  readonly request: BindRequest;
  /** The one that the user named. */
  readonly cover: CoverImage | undefined;
  readonly observe: ObserveBind;
  readonly signal: AbortSignal;
}

export interface BindPlan extends Omit<GroupedChapters, 'groups'> {
  readonly books: readonly PlannedBook[];
  readonly refused: readonly RefusedBook[];
  /** The planned books by the ids of their chapters. */
  readonly bookOf: ReadonlyMap<string, PlannedBook>;
  /** The files of all chapters, by their folders. */
  readonly filesByFolder: ReadonlyMap<string, readonly string[]>;
  /** The ids of chapters without a volume that have files of their own. */
  readonly looseIds: ReadonlySet<string>;
  /** The files of books whose chapters all moved to others. */
  readonly emptied: readonly string[];
  readonly failed: readonly FailedFile[];
  readonly otherArchives: readonly string[];
  readonly imageFolders: readonly string[];
  readonly skippedLinks: number;
  readonly skippedZips: number;
  /** Archives with a ComicInfo.xml that cannot be read. */
  readonly undescribed: readonly string[];
}

/** Reads the inputs and writes nothing. Throws UsageError: `nothing-to-bind`, `bad-option`. */
export async function planBooks(request: BindRequest, signal: AbortSignal): Promise<BindPlan> {
  const { by, group: groups, infer, isSelected = () => true } = request;
  const { inputs, found, stateFolder } = request;
  const collected = await collectChapters(inputs, {
    found,
    fixedBooks: request.fixedBooks,
    stateFolder,
    format: request.format,
    signal,
  });
  const { failed, otherArchives, imageFolders, skippedLinks, skippedZips, undescribed } = collected;
  const withVolumes = infer ? collected.chapters : withoutInferred(collected.chapters);
  const listed = withListed(withVolumes, request.listedChapter);
  // The service knows more than the folder.
  const infersFromFolder = infer && by === 'volume' && !request.listedChapter;
  const chapters = withKnownLanguage(infersFromFolder ? inferFromNeighbors(listed) : listed);
  const grouping = groupVolumes(chapters, by, groups);
  const withoutVolume = request.onDevice
    ? booksWithoutVolume(grouping.unassigned.filter(request.onDevice.isWanted), groups)
    : [];
  const selected = [...grouping.groups, ...withoutVolume].filter((group) =>
    isSelected(group, failed),
  );
  const templates = request.namesWithin(await maxNameBytes(request.output));
  const names = { ...request, ...templates, isThere: existsSync };
  const known = knownBooks(collected, request.format);
  const { books, refused } = nameBooks(selected, names, chapters, known);
  const bookOf = new Map(
    books.flatMap((book) =>
      book.group.chapters.flatMap(({ chapterId }) =>
        chapterId === undefined ? [] : [[chapterId, book] as const],
      ),
    ),
  );
  const emptied = emptiedBooks(collected.chapters, bookOf, request);
  const loose = grouping.unassigned.filter(({ isBound }) => !isBound);
  const looseIds = new Set(loose.flatMap(({ chapterId }) => chapterId ?? []));
  const planned = [...grouping.unassigned, ...books.flatMap(({ group }) => group.chapters)];
  const filesByFolder = groupBy([...new Set(planned.map(({ file }) => file))], (file) =>
    dirname(file),
  );
  return {
    ...grouping,
    books,
    refused,
    bookOf,
    filesByFolder,
    looseIds,
    emptied,
    failed,
    otherArchives,
    imageFolders,
    skippedLinks,
    skippedZips,
    undescribed,
  };
}

/** The books of the format that exist. */
function knownBooks(
  { chapters, fixedBooks }: Pick<CollectedChapters, 'chapters' | 'fixedBooks'>,
  format: ContainerName,
): readonly KnownBook[] {
  if (!CONTAINERS[format].hasReadablePages) return fixedBooks;
  const inBooks = groupBy(
    chapters.filter(({ isBound }) => isBound),
    ({ file }) => file,
  );
  return [...inBooks].map(([file, own]) => {
    const inBook = own.map((each) => ({ id: sourceId(each), volume: each.metadata.volume }));
    return { file, chapters: inBook };
  });
}

/** What is missing is reported before anything is written. */
export function observePlan(plan: BindPlan, observe: ObserveBind): void {
  if (plan.skippedLinks > 0) {
    const links = pluralize(plan.skippedLinks, 'symbolic link');
    observe({ type: 'warning', message: `Skipped ${links}: only files in the folder are bound.` });
  }
  if (plan.skippedZips > 0) {
    const zips = pluralize(plan.skippedZips, 'ZIP archive');
    const message = `Skipped ${zips}: to bind those that are comics, give them the extension .cbz.`;
    observe({ type: 'warning', message });
  }
  if (plan.imageFolders.length > 0) {
    const names = firstNames(plan.imageFolders.map((folder) => basename(folder)));
    const message = `Skipped ${pluralize(plan.imageFolders.length, 'folder')} of images, since only archives are bound: ${names}`;
    observe({ type: 'warning', message });
  }
  if (plan.undescribed.length > 0) {
    const names = firstNames(plan.undescribed.map((file) => basename(file)));
    const message = `ComicInfo.xml cannot be read, and the names of the files and folders count in its place: ${names}`;
    observe({ type: 'warning', message });
  }
  for (const file of plan.otherArchives)
    observe({ type: 'chapter-left-out', file, reason: 'other-archive' });
  for (const { file, error } of plan.failed)
    observe({
      type: 'chapter-left-out',
      file,
      reason: 'archive-damaged',
      message: error.message,
    });
  const leaveOut = (chapter: BookChapter, reason: LeftOutReason): void => {
    const { file, metadata } = chapter;
    const fields = chapterFields(toChapter(chapter, file), metadata.series);
    observe({ type: 'chapter-left-out', file, reason, ...fields });
  };
  for (const chapter of plan.otherReleases) leaveOut(chapter, 'other-release');
  const isBound = ({ chapterId = '' }: BookChapter) => plan.bookOf.has(chapterId);
  for (const chapter of plan.unassigned) if (!isBound(chapter)) leaveOut(chapter, 'no-volume');
  for (const book of plan.refused) {
    const { file } = book;
    if (book.kind === 'itself') observe({ type: 'book-skipped', file, reason: 'already-there' });
    else
      observe({
        type: 'book-failed',
        file,
        reason: book.error.code,
        message: book.error.message,
      });
  }
  for (const { file, group } of plan.books) {
    for (const message of [sameNumberMessage(group.chapters), wholeVolumeMessage(group)])
      if (message !== undefined) observe({ type: 'warning', message });
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

/** Says which file seems to be the whole volume, beside files of its chapters. */
function wholeVolumeMessage({ by, volume, chapters }: ChapterGroup): string | undefined {
  if (by !== 'volume' || volume === undefined) return undefined;
  const hasNumbers = chapters.some(({ metadata }) => metadata.number !== undefined);
  const whole = chapters.filter(saysVolumeAlone);
  if (!hasNumbers || whole.length === 0) return undefined;
  const names = firstNames(whole.map(({ file }) => basename(file)));
  return `Bound beside the chapters of its volume, but may be the whole volume: ${names}`;
}

function saysVolumeAlone({ isBound, chapterId, metadata, file }: BookChapter): boolean {
  const { number, title, series } = metadata;
  if (isBound || (chapterId ?? number ?? title) !== undefined) return false;
  const name = basename(file, extname(file));
  const guessed = guessName(name, series === undefined ? [] : [series]);
  // Scans have a year and a group in parentheses.
  const others = (guessed.title ?? '').replace(/\([^()]*\)/g, '').trim();
  const isExtra = name.split(/[\s_]+/).some(isExtraWord);
  return others === '' && guessed.possibleNumbers === undefined && !isExtra;
}

/** Says which files of other programs have one number, and are not taken for releases of one chapter. */
function sameNumberMessage(chapters: readonly BookChapter[]): string | undefined {
  const numbered = chapters.filter(
    ({ isBound, metadata }) => !isBound && metadata.number !== undefined,
  );
  const byNumber = groupBy(numbered, ({ metadata: { volume = '', number = '' } }) =>
    [normalizedNumber(volume), normalizedNumber(number)].join(' '),
  );
  const names = [...byNumber.values()]
    .filter((same) => same.length > 1 && same.some(({ chapterId }) => chapterId === undefined))
    .flatMap((same) => same.map(({ file }) => basename(file)));
  if (names.length === 0) return undefined;
  return `Several files have one number, and all are bound, since the rest of their names differs: ${firstNames(names)}`;
}

export function pageCount(chapters: readonly BookChapter[]): number {
  return chapters.reduce((sum, { pages }) => sum + pages.length, 0);
}
