/**
 * Binds chapters into books: reads what the inputs contain, groups it, and writes each book that is missing or lacks a
 * chapter. A book that fails does not affect the others.
 */
import { removeExpired } from '../library/replaced-files.js';
import { hasCode, UsageError, type TankobonError } from '../core/errors.js';
import { toStorageError } from '../core/files.js';
import { toTankobonError } from '../core/system-errors.js';
import { withLibraryLock } from '../config/library-lock.js';
import type { AppContext } from '../config/context.js';
import type { GivenOptions } from '../config/options.js';
import { checkOutputFolder } from '../core/output-folder.js';
import { bindOptions, bindRequest } from './bind-request.js';
import { bindBook } from './bind-book.js';
import type { BindEvent, ObserveBind } from '../events/bind-events.js';
import { warningOnce } from '../events/warning-once.js';
import type { PlannedBook, RefusedBook } from './book-names.js';
import { assertConverter } from './convert-image.js';
import { readCover } from './find-cover.js';
import { removeEmptied } from './moved-chapters.js';
import {
  observePlan,
  planBooks,
  type BindContext,
  type BindPlan,
  type BindRequest,
} from './plan-books.js';

export interface BoundBook extends PlannedBook {
  readonly status: 'saved' | 'skipped' | 'failed' | 'waiting';
  readonly error?: TankobonError;
}

export interface BindResult {
  readonly books: readonly BoundBook[];
  /** Errors of books and of archives. */
  readonly errors: readonly TankobonError[];
}

interface BindListeners {
  readonly observe: ObserveBind;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Binds by the options of a command line or of a program. Resolves with the errors of books and files; of a dry run, with
 * those of files. Throws UsageError before anything is written.
 */
export async function bindFiles(
  files: readonly string[],
  given: GivenOptions,
  context: AppContext,
  { observe, warn, signal }: BindListeners,
): Promise<readonly TankobonError[]> {
  const { settings, clock, paths } = context;
  const request = {
    ...bindRequest(files, bindOptions(given, settings), clock.wallMs()),
    stateFolder: paths.state,
  };
  if (given.dryRun) {
    return previewBooks(request, observe, signal);
  }
  await checkOutputFolder(request.output);
  const lock = { isExclusive: false, signal, warn };
  const { errors } = await withLibraryLock(request.output, context, lock, () =>
    bindBooks(request, observe, signal),
  );
  return errors;
}

/** Reports what would be bound. Resolves with the errors of files that cannot be read, and of books without a name. */
async function previewBooks(
  request: BindRequest,
  observe: ObserveBind,
  signal: AbortSignal,
): Promise<readonly TankobonError[]> {
  const plan = await planBooks(request, signal);
  observePlan(plan, observe);
  const refused = plan.refused.map(refusedBook).flatMap(({ error }) => error ?? []);
  return [...plan.failed.map(({ error }) => error), ...refused];
}

function refusedBook(book: RefusedBook): BoundBook {
  return book.kind === 'itself'
    ? { ...book, status: 'skipped' }
    : { ...book, status: 'failed', error: book.error };
}

/** Throws UsageError before anything is written; every other failure is in the result and among the events. */
export async function bindBooks(
  request: BindRequest,
  observe: ObserveBind,
  signal: AbortSignal,
): Promise<BindResult> {
  if (request.convert || request.profile) assertConverter();
  const plan = await planBooks(request, signal);
  const { bookCover: coverFile } = request;
  const isFile = coverFile !== 'auto' && coverFile !== 'none';
  if (isFile && plan.books.length > 1) {
    const message = `One cover for ${plan.books.length} books: ${coverFile}`;
    throw new UsageError('bad-option', message, { hint: 'Name the files of one volume only.' });
  }
  const cover = isFile ? await readCover(coverFile) : undefined;
  observePlan(plan, observe);
  // Only binding reads a folder of books.
  await removeExpired(request.keep);
  const books = plan.refused.map(refusedBook);
  const notRemoved: TankobonError[] = [];
  let removed = 0;
  const observeBook = warningOnce<Parameters<ObserveBind>[0]>((event) => {
    if (event.type === 'chapter-removed') removed += 1;
    observe(event);
  });
  try {
    const context = { request, cover, observe: observeBook, signal };
    await bindInOrder(plan, context, books);
    for (const file of plan.emptied) {
      if (signal.aborted) break;
      await removeEmptied(file, plan, context).catch((thrown: unknown) => {
        notRemoved.push(failedBook(file, thrown, context));
      });
    }
  } finally {
    // A run that is interrupted within a book has a summary too.
    observe(summaryOf(books, plan, removed));
  }
  const errors = [
    ...plan.failed.map(({ error }) => error),
    ...books.flatMap(({ error }) => error ?? []),
    ...notRemoved,
  ];
  signal.throwIfAborted();
  return { books, errors };
}

function summaryOf(books: readonly BoundBook[], plan: BindPlan, removed: number): BindEvent {
  const count = (status: BoundBook['status']) =>
    books.filter((book) => book.status === status).length;
  return {
    type: 'bind-summary',
    saved: count('saved'),
    skipped: count('skipped'),
    failed: count('failed'),
    leftOut: [plan.unassigned, plan.otherReleases, plan.failed, plan.otherArchives].flat().length,
    removed,
  };
}

/**
 * A book that has chapters of other ones comes after these. Of books that have chapters of each other, one keeps them at
 * first, and is written again at the end.
 */
async function bindInOrder(
  plan: BindPlan,
  context: BindContext,
  books: BoundBook[],
): Promise<void> {
  const queue = [...plan.books];
  const again: BoundBook[] = [];
  let waiting = 0;
  for (let book = queue.shift(); book && !context.signal.aborted; book = queue.shift()) {
    // Where all wait for each other, the first one is bound as it is.
    const mayWait = waiting <= queue.length;
    const bound = await bindPlanned(book, plan, context, { mayWait });
    if (bound.status === 'waiting') {
      waiting += 1;
      queue.push(book);
      continue;
    }
    if (waiting > 0 && !mayWait && queue.length > 0) again.push(bound);
    else books.push(bound);
    waiting = 0;
  }
  for (const first of again) {
    if (context.signal.aborted) return;
    const last = await bindPlanned(first, plan, context, { mayWait: false });
    books.push(last.status === 'skipped' ? first : last);
  }
}

/** A book that fails is an event; only an interruption is thrown. */
async function bindPlanned(
  planned: PlannedBook,
  plan: BindPlan,
  context: BindContext,
  options: { readonly mayWait: boolean },
): Promise<BoundBook> {
  const { file } = planned;
  try {
    await context.request.onDevice?.check();
    return { ...planned, status: await bindBook(planned, plan, context, options) };
  } catch (thrown) {
    return { ...planned, status: 'failed', error: failedBook(file, thrown, context) };
  }
}

/** Reports it; throws an interruption. */
function failedBook(
  file: string,
  thrown: unknown,
  { observe, signal }: BindContext,
): TankobonError {
  if (signal.aborted && !hasCode(thrown)) throw signal.reason;
  const error = toTankobonError(toStorageError(thrown, file));
  if (error.code === 'interrupted') throw error;
  observe({ type: 'book-failed', file, reason: error.code, message: error.message });
  return error;
}
