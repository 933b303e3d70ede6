/** What killed runs of a repair left, also if nothing is damaged any more. */
import { dirname, resolve } from 'node:path';
import { systemClock } from '../core/clock.js';
import { findLeftovers, removeLeftovers, removeSavedWorkspace } from '../download/leftovers.js';
import { isLeftoverOf, removeLeftoverFolder } from '../books/publish-book.js';
import type { FileStore } from '../library/store.js';

/** In the folders that were checked. */
export interface ListedLeftovers {
  readonly hiddenFolders: ReadonlySet<string>;
  readonly leftoverFiles: ReadonlySet<string>;
}

/** A file, or a book in a folder, that has no damage. */
interface WholeFile {
  readonly file: string;
  readonly isFolder: boolean;
}

/** Removes it. What is in use stays; the rest costs only space: failures are ignored. */
export async function removeRepairLeftovers(
  { hiddenFolders, leftoverFiles }: ListedLeftovers,
  whole: readonly WholeFile[],
  store: FileStore,
  signal: AbortSignal,
): Promise<void> {
  if (hiddenFolders.size > 0)
    for (const { file, isFolder } of whole)
      if (isFolder) await removeUnpublished(file, hiddenFolders, signal);
      else await removeWorkspace(file, hiddenFolders, store);
  const listed = { hiddenFolders: [...hiddenFolders], leftoverFiles: [...leftoverFiles] };
  await removeLeftovers(findLeftovers(listed), systemClock);
}

/** The temporary folders with pages for this book. */
async function removeUnpublished(
  book: string,
  folders: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  for (const folder of folders)
    if (dirname(folder) === dirname(book) && isLeftoverOf(book, folder))
      await removeLeftoverFolder(book, folder, signal).catch(() => undefined);
}

/** The workspace of a chapter that was loaded again is beside its file. */
async function removeWorkspace(
  file: string,
  hiddenFolders: ReadonlySet<string>,
  store: FileStore,
): Promise<void> {
  const { isBook, chapters: [chapter] = [] } = store.markAt(resolve(file)) ?? {};
  if (!chapter || isBook === true) return;
  const { chapterId, quality = 'data' } = chapter;
  await removeSavedWorkspace(file, { chapterId, quality }, hiddenFolders, systemClock);
}
