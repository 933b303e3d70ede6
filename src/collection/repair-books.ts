/**
 * Rebuilds damaged books from their chapters, under their names and in their formats. The damaged file is kept as
 * `<name>.damaged`, and is replaced in one step once the new one was read back whole.
 */
import { dirname, resolve } from 'node:path';
import type { BookFile } from '../library/file.js';
import type { AppContext } from '../config/context.js';
import { StorageError } from '../core/errors.js';
import { toStorageError } from '../core/files.js';
import { pluralize } from '../core/human-format.js';
import { underTemporaryLock } from '../core/lock.js';
import { shellQuoted } from '../core/shell-quoted.js';
import { toTankobonError } from '../core/system-errors.js';
import type { DownloadListeners } from '../download/download-session.js';
import { keepDamaged, removeIfUnreplaced } from '../core/keep-damaged.js';
import type { RepairedFile } from '../events/verify-events.js';
import { rebuildBook, type FoundBook, type Rebuilt } from '../books/rebuild-book.js';
import { addChaptersBeside, addLoadedChapters, chaptersInBook } from './book-chapters.js';
import { readDamagedBook, type NotRebuildable } from './damaged-book.js';
import { RepairFolder } from '../download/leftovers.js';
import type { FileStore } from '../library/store.js';

/** Resolves with the books that were replaced; the others are as they were. Other files are ignored. */
export async function repairBooks(
  files: readonly string[],
  context: AppContext,
  listeners: DownloadListeners,
  signal: AbortSignal,
  store: FileStore,
): Promise<readonly RepairedFile[]> {
  const repaired: RepairedFile[] = [];
  for (const file of files) {
    try {
      signal.throwIfAborted();
      const mark = store.markAt(resolve(file));
      const book = await readDamagedBook(file, mark?.isBook === true ? mark.chapters : []);
      if (book === undefined) continue;
      if ('reason' in book) throw notRebuilt(file, book);
      const kept = await repairBook(book, context, listeners, signal);
      if (kept !== undefined) repaired.push({ file, ...kept });
    } catch (thrown) {
      if (signal.aborted) break;
      const { message, hint } = toTankobonError(toStorageError(thrown, file));
      listeners.observe({ type: 'warning', message, hint });
    }
  }
  return repaired;
}

function notRebuilt(file: string, { reason, hint = bindHint(file) }: NotRebuildable): StorageError {
  return new StorageError('archive-damaged', `Not rebuilt, since ${reason}: ${file}`, {
    hint,
    path: file,
  });
}

function bindHint(file: string): string {
  return `Move it away, then bind its chapters again: tankobon bind ${shellQuoted(dirname(file))}`;
}

async function repairBook(
  book: BookFile,
  context: AppContext,
  listeners: DownloadListeners,
  signal: AbortSignal,
): Promise<KeptFiles | undefined> {
  const folder = dirname(resolve(book.path));
  return underTemporaryLock(RepairFolder.lockFile(folder), { signal }, async () => {
    const work = await RepairFolder.open(folder);
    try {
      const found = await chaptersInBook(book, work, signal);
      const beside = await addChaptersBeside(book, found, work, signal);
      if (found.size < book.chapters.length)
        await addLoadedChapters(book, found, work, context, listeners, signal);
      const chapters = book.chapters.flatMap((chapter) => found.get(chapter) ?? []);
      if (chapters.length < book.chapters.length) throw missingChapters(book, chapters.length);
      return await replaceBook({ book, chapters, beside }, context, listeners, signal);
    } finally {
      await work.close();
    }
  });
}

function missingChapters({ path: file, chapters }: BookFile, found: number): StorageError {
  const missing = pluralize(chapters.length - found, 'chapter');
  return notRebuilt(file, { reason: `${missing} could neither be loaded nor found` });
}

type KeptFiles = Pick<RepairedFile, 'kept' | 'keptFiles'>;

/** Resolves with where the damaged files are kept; undefined if the new book has the same bytes. */
async function replaceBook(
  found: FoundBook,
  { settings }: AppContext,
  { observe }: DownloadListeners,
  signal: AbortSignal,
): Promise<KeptFiles | undefined> {
  const { path: file, container } = found.book;
  const kept = new Map<string, string>();
  const deps = {
    settings,
    keep: async (each: string) => {
      kept.set(each, await keepDamaged(each));
    },
    warn: (message: string) => {
      observe({ type: 'warning', message });
    },
    signal,
  };
  let rebuilt: Rebuilt | undefined;
  try {
    rebuilt = await rebuildBook(found, deps);
  } finally {
    if (rebuilt !== 'replaced')
      for (const [each, name] of kept) await removeIfUnreplaced(each, name);
  }
  if (typeof rebuilt === 'object') throw notRebuilt(file, { reason: rebuilt.left });
  if (rebuilt === 'unchanged') return undefined;
  return container === 'folder'
    ? { keptFiles: [...kept.values()] }
    : { kept: kept.get(file) ?? '' };
}
