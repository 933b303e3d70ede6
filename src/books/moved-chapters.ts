/**
 * Chapters that moved to another volume: the book of the old one loses them when that of the new one has them, read back
 * whole. Until then, they are in both.
 */
import { dirname } from 'node:path';
import { isUnchanged } from '../core/file-state.js';
import { verifyEntryData } from '../core/verify-zip.js';
import { isReadableBook } from '../library/file.js';
import { keepReplaced } from '../library/replaced-files.js';
import { isOwnFile, removeFile } from '../core/files.js';
import { groupBy } from '../core/group-by.js';
import { editedWarning } from './edited-book.js';
import { readExistingBook, readExistingParts, type ExistingBook } from './existing-book.js';
import type { BindContext, BindPlan, BindRequest } from './plan-books.js';
import { withBookLock } from './publish-book.js';

export interface MovedChapters {
  /** The ids of chapters that other books have by now, or that have no volume any more and files of their own. */
  readonly arrived: ReadonlySet<string>;
  /** Whether other books are still to get some. */
  readonly isWaiting: boolean;
}

type Books = Pick<BindPlan, 'bookOf' | 'looseIds' | 'unassigned'>;

/** The chapters of an existing book that the plan has in others, or in none. */
export async function movedChapters(
  file: string,
  existing: ExistingBook,
  { bookOf, looseIds }: Books,
  request: BindRequest,
): Promise<MovedChapters> {
  let isWaiting = false;
  const keys = existing.kind === 'bound' && request.by === 'volume' ? existing.keys : [];
  const own = keys.map(parseKey);
  const arrived = new Set(own.flatMap(({ id }) => (looseIds.has(id) ? [id] : [])));
  const moved = own.flatMap(({ id, version }) => {
    const book = bookOf.get(id);
    return book && book.file !== file ? [{ id, version, file: book.file }] : [];
  });
  for (const [other, chapters] of groupBy(moved, (chapter) => chapter.file)) {
    const versions = await versionsIn(other, request);
    for (const { id, version } of chapters)
      if ((versions.get(id) ?? -1) >= version) arrived.add(id);
      else isWaiting = true;
  }
  return { arrived, isWaiting };
}

/** The books, and the files of chapters without a volume, that have these chapters by now. */
export function filesWith(
  arrived: ReadonlySet<string>,
  { bookOf, unassigned }: Books,
): readonly string[] {
  const books = [...arrived].flatMap((id) => bookOf.get(id)?.file ?? []);
  const loose = unassigned.filter(({ chapterId = '' }) => arrived.has(chapterId));
  return [...new Set([...books, ...loose.map(({ file }) => file)])];
}

/** The versions of the chapters in a book, by their ids; none if it is not whole. */
async function versionsIn(
  file: string,
  { format, extension }: BindRequest,
): Promise<ReadonlyMap<string, number>> {
  const book = await readExistingParts(file, format, extension);
  if (book.kind !== 'bound' || book.isDamaged) return new Map();
  if (isReadableBook(file) && !book.copy && !(await canBeReadBack(file))) return new Map();
  return new Map(book.keys.map(parseKey).map(({ id, version }) => [id, version]));
}

async function canBeReadBack(file: string): Promise<boolean> {
  return verifyEntryData(file).then(
    () => true,
    () => false,
  );
}

function parseKey(key: string): { readonly id: string; readonly version: number } {
  const [id = '', version = ''] = key.split('@');
  return { id, version: Number(version) };
}

/** Removes a book whose chapters all moved, unless its owner edited it, or another book lacks one of its chapters. */
export async function removeEmptied(
  file: string,
  plan: Books,
  { request, observe, signal }: BindContext,
): Promise<void> {
  await withBookLock(dirname(file), file, request.keep, signal, async () => {
    const existing = await readExistingBook(file, request.format);
    if (existing.kind !== 'bound' || existing.copy) return;
    const { arrived, isWaiting } = await movedChapters(file, existing, plan, request);
    const [first] = arrived;
    const book = first === undefined ? undefined : plan.bookOf.get(first);
    if (!book || isWaiting || arrived.size < existing.keys.length) return;
    if (existing.isEdited && request.force !== true) {
      observe(editedWarning({ file, existing, chapters: [] }, plan, request));
      return;
    }
    const { state } = existing;
    if (!state || !isOwnFile(file, state)) return;
    await keepReplaced({ file, state }, filesWith(arrived, plan), request.keep, async () => {
      if (!(await isUnchanged(file, state))) return;
      await removeFile(file);
      observe({ type: 'chapter-removed', file, book: book.file });
    });
  });
}
