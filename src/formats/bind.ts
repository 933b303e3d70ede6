/**
 * Binds chapters into books: reads what the inputs contain, groups it, and writes each book that is missing or lacks a
 * chapter. A book that fails does not affect the others.
 */
import { dirname, join, relative, resolve } from 'node:path';
import { pathCollisionKey, type FormatFileName } from '../cbz/file-name.js';
import { hasCode, StorageError, toTankobonError, UsageError } from '../core/errors.js';
import { makeFoldersBelow, toStorageError } from '../core/files.js';
import type { TankobonError } from '../core/errors.js';
import type { ObserveBind } from './bind-events.js';
import type { CoverImage } from './book.js';
import type { BindBy, BookFormat } from './bind-choices.js';
import { writeBook } from './write-book.js';
import { bookMetadata, type VolumeField } from './book-metadata.js';
import { collectChapters, type FailedFile } from './collect-chapters.js';
import { assertConverter } from './convert-image.js';
import { existingBook, type ExistingBook } from './existing-book.js';
import { findCover, readCover } from './find-cover.js';
import { groupVolumes, type ChapterGroup, type Grouping } from './group-volumes.js';
import { withBookPlace, type BookPlace } from './publish-book.js';
import { chapterLabel, sourceKey, type SourceChapter } from './source-chapter.js';

export interface BindRequest {
  /** CBZ files, bound CBZ or EPUB files, and folders that contain such. */
  readonly inputs: readonly string[];
  readonly by: BindBy;
  readonly format: BookFormat;
  /** The folder for the books. */
  readonly output: string;
  /** Returns a book's path below the output folder. */
  readonly nameBook: FormatFileName;
  /** Scanlation groups in order of preference, for chapters with several releases. */
  readonly groups: readonly string[];
  /** An image file; `auto`: one that is beside the chapters. */
  readonly cover: string;
  readonly force: boolean;
  /** Convert images that the format cannot contain. */
  readonly convert: boolean;
  readonly volumeField: VolumeField;
  /** Only these books are written; by default all. */
  readonly isWanted?: (group: ChapterGroup) => boolean;
}

export interface PlannedBook {
  readonly file: string;
  readonly group: ChapterGroup;
}

export interface BindPlan extends Omit<Grouping, 'groups'> {
  readonly books: readonly PlannedBook[];
  readonly failed: readonly FailedFile[];
}

export interface BoundBook extends PlannedBook {
  readonly status: 'saved' | 'skipped' | 'failed';
  readonly error?: TankobonError;
}

export interface BindResult {
  readonly books: readonly BoundBook[];
  readonly unassigned: readonly SourceChapter[];
  /** Errors of books and of archives. */
  readonly errors: readonly TankobonError[];
}

/** Reads the inputs and writes nothing. Throws UsageError: `nothing-to-bind`, `bad-option`. */
export async function planBooks(request: BindRequest, signal: AbortSignal): Promise<BindPlan> {
  const { by, groups, output, nameBook, isWanted = () => true } = request;
  const { chapters, failed } = await collectChapters(request.inputs, signal);
  const grouping = groupVolumes(chapters, by, groups);
  const books = grouping.groups
    .filter(isWanted)
    .map((group) => ({ group, file: join(output, nameBook(nameValues(group))) }));
  assertDistinct(books);
  assertNotInputs(books, chapters);
  return { ...grouping, books, failed };
}

/** Throws UsageError before anything is written; every other failure is in the result and among the events. */
export async function bindBooks(
  request: BindRequest,
  observe: ObserveBind,
  signal: AbortSignal,
): Promise<BindResult> {
  if (request.convert) await assertConverter();
  const plan = await planBooks(request, signal);
  const { cover: coverFile } = request;
  const isFile = coverFile !== 'auto' && coverFile !== 'none';
  if (isFile && plan.books.length > 1) {
    const message = `One cover for ${plan.books.length} books: ${coverFile}`;
    throw new UsageError('bad-option', message, { hint: 'Name the files of one volume only.' });
  }
  const cover = isFile ? await readCover(coverFile) : undefined;
  observePlan(plan, observe);
  const books: BoundBook[] = [];
  for (const book of plan.books) {
    if (signal.aborted) break;
    books.push(await bindBook(book, plan, { request, cover, observe, signal }));
  }
  const count = (status: BoundBook['status']) =>
    books.filter((book) => book.status === status).length;
  const errors = [
    ...plan.failed.map(({ error }) => error),
    ...books.flatMap(({ error }) => error ?? []),
  ];
  observe({
    type: 'bind-summary',
    saved: count('saved'),
    skipped: count('skipped'),
    failed: count('failed'),
    leftOut: plan.unassigned.length + plan.otherReleases.length + plan.failed.length,
  });
  signal.throwIfAborted();
  return { books, unassigned: plan.unassigned, errors };
}

/** What is missing is reported before anything is written. */
export function observePlan(plan: BindPlan, observe: ObserveBind): void {
  for (const { file, error } of plan.failed)
    observe({
      type: 'chapter-left-out',
      file,
      reason: 'archive-damaged',
      message: error.message,
    });
  for (const { file } of plan.otherReleases)
    observe({ type: 'chapter-left-out', file, reason: 'other-release' });
  for (const { file } of plan.unassigned)
    observe({ type: 'chapter-left-out', file, reason: 'no-volume' });
  for (const { file, group } of plan.books) {
    const { series, language, volume, chapters, missing } = group;
    const pages = pageCount(chapters);
    observe({
      type: 'book-planned',
      file,
      series,
      language,
      volume,
      chapters: chapters.length,
      pages,
      missing,
    });
  }
}

interface BindContext {
  readonly request: BindRequest;
  readonly cover: CoverImage | undefined;
  readonly observe: ObserveBind;
  readonly signal: AbortSignal;
}

async function bindBook(
  planned: PlannedBook,
  plan: BindPlan,
  context: BindContext,
): Promise<BoundBook> {
  const { request, observe, signal } = context;
  const { file } = planned;
  try {
    await makeFoldersBelow(request.output, dirname(file));
    return await withBookPlace(file, signal, async (place) => {
      const existing = await existingBook(file, request.format);
      const book = { file, group: withExisting(planned.group, existing, request) };
      if (!isToWrite(book, existing, plan, request)) {
        observe({ type: 'book-skipped', file, reason: 'already-there' });
        return { ...book, status: 'skipped' };
      }
      const bytes = await write(book, existing.kind !== 'none', place, plan, context);
      const { chapters } = book.group;
      observe({
        type: 'book-saved',
        file,
        chapters: chapters.length,
        pages: pageCount(chapters),
        bytes,
      });
      return { ...book, status: 'saved' };
    });
  } catch (thrown) {
    if (signal.aborted && !hasCode(thrown)) throw signal.reason;
    const error = toTankobonError(toStorageError(thrown, file));
    if (error.code === 'interrupted') throw error;
    observe({ type: 'book-failed', file, reason: error.code, message: error.message });
    return { ...planned, status: 'failed', error };
  }
}

/** Chapters of the existing book are kept, unless an input has another release of the same number. */
function withExisting(
  group: ChapterGroup,
  existing: ExistingBook,
  { by, groups, force }: BindRequest,
): ChapterGroup {
  if (existing.kind !== 'bound' || existing.chapters.length === 0 || force) return group;
  const { series, language } = group;
  const chapters = existing.chapters.map((chapter) => ({
    ...chapter,
    metadata: { ...chapter.metadata, series, language },
  }));
  const merged = groupVolumes([...group.chapters, ...chapters], by, groups);
  return merged.groups.find(({ volume }) => volume === group.volume) ?? group;
}

/** Throws StorageError: `name-taken` for a file of another program, `book-incomplete` if chapters would be lost. */
function isToWrite(
  { file, group }: PlannedBook,
  existing: ExistingBook,
  plan: BindPlan,
  { force }: BindRequest,
): boolean {
  if (existing.kind === 'none') return true;
  if (existing.kind === 'other') {
    if (force && !existing.isFolder) return true;
    const hint = existing.isFolder ? undefined : 'Replace it with: --force';
    throw new StorageError('name-taken', `${file} exists and was not made by bind.`, { hint });
  }
  if (force) return true;
  const keys = group.chapters.map(sourceKey);
  if (keys.join('\n') === existing.keys.join('\n')) return false;
  const known = new Set([...group.chapters, ...plan.otherReleases].map(withoutVersion));
  const lost = existing.keys.filter((key) => !known.has(key.replace(/@\d+$/, '')));
  if (lost.length === 0) return true;
  const message = `The existing book has ${lost.length} chapters that are not among the files: ${file}`;
  // Without a new chapter, the existing book has everything.
  if (keys.every((key) => existing.keys.includes(key))) return false;
  throw new StorageError('book-incomplete', message);
}

function withoutVersion(chapter: SourceChapter): string {
  return sourceKey(chapter).replace(/@\d+$/, '');
}

async function write(
  { file, group }: PlannedBook,
  replaces: boolean,
  { tmpFile, publish }: BookPlace,
  plan: BindPlan,
  { request, cover, observe, signal }: BindContext,
): Promise<number> {
  const own = new Set(group.chapters.map((chapter) => chapter.file));
  const others = [...plan.unassigned, ...plan.books.flatMap((book) => book.group.chapters)]
    .map((chapter) => chapter.file)
    .filter((each) => !own.has(each));
  const found = request.cover === 'auto' ? await findCover(group, others) : undefined;
  const book = {
    group,
    metadata: bookMetadata(group, request.volumeField),
    cover: cover ?? found,
  };
  const { bytes } = await writeBook(book, request.format, {
    tmpFile,
    publish: (finished) => publish(finished, replaces),
    convert: request.convert,
    onPage: () => {
      observe({ type: 'book-page', file });
    },
    signal,
  });
  return bytes;
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
  const inputs = new Set(chapters.flatMap((one) => (one.isBound ? [] : [resolve(one.file)])));
  for (const { file } of books) {
    if (!inputs.has(resolve(file))) continue;
    const message = `The book would replace the chapter that it is made of: ${relative('.', file)}`;
    throw new UsageError('bad-option', message, {
      hint: 'Choose another folder with --output, or another --name.',
    });
  }
}

function pageCount(chapters: readonly SourceChapter[]): number {
  return chapters.reduce((sum, { pages }) => sum + pages.length, 0);
}
