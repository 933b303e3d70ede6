/**
 * Binds chapters into books: reads what the inputs contain, groups it, and writes each book that is missing or lacks a
 * chapter. A book that fails does not affect the others.
 */
import { hasCode, StorageError, UsageError, type TankobonError } from '../core/errors.js';
import { toStorageError } from '../core/files.js';
import { toTankobonError } from '../core/system-errors.js';
import type { BookFormat } from './bind-choices.js';
import type { ObserveBind } from './bind-events.js';
import type { Book, CoverImage, WriteOptions, WrittenBook } from './book.js';
import { bookMetadata } from './book-metadata.js';
import { assertConverter } from './convert-image.js';
import { readExistingBook, type ExistingBook } from './existing-book.js';
import { findCover, readCover } from './find-cover.js';
import { groupVolumes, type ChapterGroup } from './group-volumes.js';
import {
  observePlan,
  pageCount,
  planBooks,
  type BindPlan,
  type BindRequest,
  type PlannedBook,
} from './plan-books.js';
import { withBookLock, type BookTarget } from './publish-book.js';
import { sourceKey } from './source-chapter.js';

export interface BoundBook extends PlannedBook {
  readonly status: 'saved' | 'skipped' | 'failed';
  readonly error?: TankobonError;
}

export interface BindResult {
  readonly books: readonly BoundBook[];
  /** Errors of books and of archives. */
  readonly errors: readonly TankobonError[];
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
  return { books, errors };
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
    return await withBookLock(request.output, file, signal, async (target) => {
      const existing = await readExistingBook(file, request.format);
      const book = { file, group: withExisting(planned.group, existing, request) };
      if (!needsWriting(book, existing, plan, request)) {
        observe({ type: 'book-skipped', file, reason: 'already-there' });
        return { ...book, status: 'skipped' };
      }
      const bytes = await write(book, existing, target, plan, context);
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
function needsWriting(
  { file, group }: PlannedBook,
  existing: ExistingBook,
  plan: BindPlan,
  { force }: BindRequest,
): boolean {
  if (existing.kind === 'none') return true;
  if (existing.kind === 'other') {
    if (force && !existing.isFolder) return true;
    const { readError } = existing;
    const problem =
      readError === undefined
        ? 'The file exists and was not made by bind'
        : `The existing book cannot be read (${readError})`;
    const hint = 'Remove it or move it away, then run the same command again.';
    throw new StorageError('name-taken', `${problem}: ${file}`, { hint });
  }
  if (force) return true;
  const keys = group.chapters.map(sourceKey);
  if (keys.join('\n') === existing.keys.join('\n')) return false;
  const known = new Set(
    [...group.chapters, ...plan.otherReleases].map(sourceKey).map(withoutVersion),
  );
  const missing = existing.keys.filter((key) => !known.has(withoutVersion(key)));
  if (missing.length === 0) return true;
  const message = `The existing book has ${missing.length} chapters that are not among the files: ${file}`;
  // Without a new chapter, the existing book has everything.
  if (keys.every((key) => existing.keys.includes(key))) return false;
  throw new StorageError('book-incomplete', message);
}

function withoutVersion(key: string): string {
  return key.replace(/@\d+$/, '');
}

async function write(
  { file, group }: PlannedBook,
  existing: ExistingBook,
  { tmpFile, publish }: BookTarget,
  plan: BindPlan,
  { request, cover, observe, signal }: BindContext,
): Promise<number> {
  const ownFiles = new Set(group.chapters.map((chapter) => chapter.file));
  const otherFiles = [...plan.unassigned, ...plan.books.flatMap((book) => book.group.chapters)]
    .map((chapter) => chapter.file)
    .filter((other) => !ownFiles.has(other));
  const found = request.cover === 'auto' ? await findCover(group, otherFiles) : undefined;
  const known = [...group.chapters, ...(existing.kind === 'bound' ? existing.chapters : [])];
  const volumeCount =
    request.volumeCount?.(group) ?? known.find((chapter) => chapter.volumeCount)?.volumeCount;
  const book = {
    group,
    metadata: bookMetadata(group, request.volumeField, volumeCount),
    cover: cover ?? found,
  };
  const { bytes } = await writeBook(book, request.format, {
    tmpFile,
    publish: (finished) => publish(finished, existing.kind !== 'none'),
    convert: request.convert,
    onPage: () => {
      observe({ type: 'book-page', file });
    },
    signal,
  });
  return bytes;
}

/** Loads the writer of the format, and writes the book completely or not at all. */
async function writeBook(
  book: Book,
  format: BookFormat,
  options: WriteOptions,
): Promise<WrittenBook> {
  switch (format) {
    case 'cbz':
      return (await import('./write-cbz.js')).writeCbzBook(book, options);
    case 'epub':
      return (await import('./write-epub.js')).writeEpubBook(book, options);
    case 'pdf':
      return (await import('./write-pdf.js')).writePdfBook(book, options);
    case 'folder':
      return (await import('./write-folder.js')).writeFolderBook(book, options);
  }
}
