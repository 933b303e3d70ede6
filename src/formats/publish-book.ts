/**
 * Replaces a book so that it is complete or absent at every moment. One process works on a book at a time; it removes
 * the leftovers of a killed one.
 */
import { createHash } from 'node:crypto';
import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StorageError } from '../core/errors.js';
import {
  makeFoldersBelow,
  removeFile,
  renameInto,
  statIfExists,
  syncFolder,
} from '../core/files.js';
import { tryLockFile, underTemporaryLock } from '../core/lock.js';
import { publishNew } from '../core/publish.js';

export interface BookTarget {
  /** Does not exist; on the file system of the final path. */
  readonly tmpFile: string;
  /** Renames the finished book to its final path. `replaces`: an existing book is replaced. */
  readonly publish: (tmpFile: string, replaces: boolean) => Promise<string>;
}

/** Calls `action` while no other process writes this book, in its folder below `root`, which is created if missing. */
export async function withBookLock<T>(
  root: string,
  file: string,
  signal: AbortSignal,
  action: (target: BookTarget) => Promise<T>,
): Promise<T> {
  const hidden = hiddenName(file);
  const oldFolder = `${hidden}.old`;
  const publish = async (finished: string, replaces: boolean): Promise<string> => {
    if (replaces && (await statIfExists(file))?.isDirectory()) {
      await rename(file, oldFolder);
      await renameInto(finished, file);
      await rm(oldFolder, { recursive: true, force: true });
    } else if (replaces || (await statIfExists(finished))?.isDirectory()) {
      await renameInto(finished, file);
    } else if (!(await publishNew(finished, file))) {
      throw new StorageError('name-taken', `${file} was created by another program meanwhile.`);
    }
    return file;
  };
  const created = await makeFoldersBelow(root, dirname(file));
  try {
    return await underTemporaryLock(`${hidden}.lock`, { signal }, async () => {
      // Between two renames a killed run leaves a folder under neither name.
      if (!(await statIfExists(file))) await renameIfExists(oldFolder, file);
      await removeLeftovers(hidden);
      return action({ tmpFile: `${hidden}.tmp`, publish });
    });
  } finally {
    // Fails unless they are empty, as after an error.
    for (const folder of created.reverse()) await rmdir(folder).catch(() => undefined);
  }
}

/** The same for the same book, so that what a killed run left is found. */
function hiddenName(file: string): string {
  const name = basename(file);
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 12);
  return join(dirname(file), `.${name.slice(0, 40)}.${hash}`);
}

/**
 * Of this book: the unfinished one, the one that it replaced, and lock files that did not get their name (see lock.ts).
 * Of others, and of this one in another format: the unfinished one. Their `.old` may be all that there is of a book.
 */
async function removeLeftovers(hidden: string): Promise<void> {
  const folder = dirname(hidden);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (name.replace(/^\.\./, '.').startsWith(basename(hidden))) {
      if (/\.(tmp|old)$/.test(name)) await rm(path, { recursive: true, force: true });
    } else if (/^\..*\.[0-9a-f]{12}\.lock$/s.test(name)) {
      // What cannot be removed, such as another user's files, does not prevent this book.
      await removeUnfinished(path).catch(() => undefined);
    }
  }
}

/** Unless the run that holds the lock is still writing. */
async function removeUnfinished(lockPath: string): Promise<void> {
  const lock = await tryLockFile(lockPath);
  if (!lock) return;
  try {
    await rm(lockPath.replace(/lock$/, 'tmp'), { recursive: true, force: true });
    await removeFile(lockPath);
  } finally {
    lock.release();
  }
}

async function renameIfExists(from: string, to: string): Promise<void> {
  if (!(await statIfExists(from))) return;
  await rename(from, to);
  await syncFolder(dirname(to));
}
