/**
 * Gives a finished book its final name. What it replaces is a book of `bind` that is as it was when it was read, so that
 * nothing of another program or of the owner is lost. One process works on a book at a time.
 */
import { readdir, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { replaceUnchanged, type FileState } from '../core/file-state.js';
import { truncate } from '../core/path-segment.js';
import { keepReplaced, type KeepOptions } from '../library/replaced-files.js';
import { StorageError } from '../core/errors.js';
import {
  haveSameBytes,
  isTemporaryOf,
  lstatIfExists,
  makeSyncedFolders,
  removeLeftoverTemporaries,
  renameInto,
  temporaryName,
} from '../core/files.js';
import { underTemporaryLock } from '../core/lock.js';
import { publishNew } from '../core/publish.js';
import { sha256Of } from '../core/sha256.js';
import {
  mergeFolder,
  readFolderManifest,
  removeOwnFiles,
  type MayReplace,
  type MergedFolder,
} from './folder-book.js';

/**
 * Calls `action` while no other process writes this book, in its folder below `root`, which is created if missing.
 *
 * @param keep for what a killed run was replacing
 */
export async function withBookLock<T>(
  root: string,
  file: string,
  keep: KeepOptions | undefined,
  signal: AbortSignal,
  action: (tmpFile: string) => Promise<T>,
): Promise<T> {
  const created = await makeSyncedFolders(root, dirname(file));
  try {
    const folder = dirname(file);
    const shortName = shortNameOf(file);
    return await underTemporaryLock(bookLock(file), { signal }, async () => {
      await removeLeftoverTemporaries(folder);
      await finishLeftoverFolders(join(folder, shortName), file, keep);
      return action(temporaryName(join(folder, shortName)));
    });
  } finally {
    // Fails unless they are empty, as after an error.
    for (const folder of created.reverse()) await rmdir(folder).catch(() => undefined);
  }
}

function bookLock(file: string): string {
  return join(dirname(file), `.${shortNameOf(file)}.lock`);
}

/** Depends on the name of the book alone, so that what a killed run left is found. */
function shortNameOf(file: string): string {
  const name = basename(file);
  const hash = sha256Of(name).slice(0, 12);
  return `${truncate(name, 40)}.${hash}`;
}

/**
 * While the book's lock is held: completes the folder of which a killed run had moved a part, and removes an unfinished
 * one. Folders without the mark of `bind` stay.
 */
async function finishLeftoverFolders(
  shortPath: string,
  file: string,
  keep: KeepOptions | undefined,
): Promise<void> {
  for (const entry of await readdir(dirname(file), { withFileTypes: true })) {
    const path = join(dirname(file), entry.name);
    if (!entry.isDirectory() || !isTemporaryOf(shortPath, path)) continue;
    if ((await readFolderManifest(path)) && (await readFolderManifest(file)))
      await mergeFolder(path, file, keep);
    await removeOwnFiles(path);
  }
}

/** Whether a killed run left this temporary folder of the book, of which `removeLeftoverFolder` removes what is bound. */
export function isLeftoverOf(book: string, folder: string): boolean {
  return isTemporaryOf(join(dirname(book), shortNameOf(book)), folder);
}

/** Removes what killed runs left of a book in a folder that is whole: the pages in it were bound for it. */
export async function removeLeftoverFolder(
  book: string,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  await underTemporaryLock(bookLock(book), { signal }, () => removeOwnFiles(folder));
}

/** How a replaced book is kept. */
export interface KeepBook extends KeepOptions {
  /** Files that have chapters of the replaced book by now. */
  readonly others?: readonly string[];
}

/**
 * Publishes a finished file. False if `replaced`, the book that exists, has the same bytes and stays.
 *
 * @param keep undefined for a book that is kept already
 * @param maxMode the most rights that it gets in the place of another one
 */
export async function publishBookFile(
  finished: string,
  file: string,
  replaced: FileState | undefined,
  keep: KeepBook | undefined,
  maxMode?: number,
): Promise<boolean> {
  if (!replaced) {
    if (await publishNew(finished, file)) return true;
    throw new StorageError('name-taken', `${file} was created by another program meanwhile.`, {
      path: file,
    });
  }
  if (await haveSameBytes(finished, file)) return false;
  const { others = [] } = keep ?? {};
  const replace = () => replaceUnchanged(finished, file, replaced, maxMode);
  const isReplaced = keep
    ? await keepReplaced({ file, state: replaced }, [finished, ...others], keep, replace)
    : await replace();
  if (isReplaced) return true;
  throw new StorageError('name-taken', `${file} was changed by another program meanwhile.`, {
    path: file,
  });
}

/**
 * Publishes a finished folder, or moves its files into the one that exists.
 *
 * @param keep undefined for a book whose replaced files are kept already
 */
export async function publishBookFolder(
  finished: string,
  folder: string,
  keep: KeepOptions | undefined,
  mayReplace?: MayReplace,
): Promise<MergedFolder> {
  if (await lstatIfExists(folder)) return mergeFolder(finished, folder, keep, mayReplace);
  await renameInto(finished, folder);
  return { isChanged: true, kept: [], isWhole: true };
}
