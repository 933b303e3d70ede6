/** Creates folders in places where other users may have planted links or files; see safe-open.ts. */
import { chmodSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { lstat, mkdir, rmdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { StorageError } from './errors.js';
import { exposureOf, OTHERS_ALL, PRIVATE_FOLDER_MODE } from './own-folder.js';
import { ignoreUnsupportedMode, unsafePathError } from './safe-open.js';
import { isSystemError } from './system-errors.js';

/**
 * Creates `folder` and the folders above it, with exactly `mode` if it is given; returns those that were missing, the outermost first. Used instead of
 * Node's `recursive` option, which never returns for a folder below /proc.
 */
export function makeFolders(folder: string, mode?: number): string[] {
  try {
    return makeFolder(folder, mode);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT') || dirname(folder) === folder) throw error;
  }
  return [...makeFolders(dirname(folder), mode), ...makeFolder(folder, mode)];
}

/** Returns the folder, or nothing if it exists. */
function makeFolder(folder: string, mode: number | undefined): string[] {
  try {
    mkdirSync(folder, { mode });
    if (mode !== undefined) correctMode(folder, mode);
    return [folder];
  } catch (error) {
    const existing = lstatSync(folder, { throwIfNoEntry: false });
    // Another process removed it meanwhile.
    if (!existing && isSystemError(error, 'EEXIST')) return makeFolder(folder, mode);
    const isFolder = existing?.isDirectory() === true;
    if (!isFolder && statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw error;
    return [];
  }
}

/** A umask may take rights of this user too. */
function correctMode(folder: string, mode: number): void {
  const created = lstatSync(folder);
  if (!created.isDirectory() || (created.mode & 0o777) === mode) return;
  try {
    chmodSync(folder, mode);
  } catch (error) {
    ignoreUnsupportedMode(error);
  }
}

/**
 * Creates a folder of mode 0700 and the folders above it. Throws StorageError `unsafe-path` for an existing one that is a
 * link, or where others still have rights after these were removed.
 */
export function makePrivateFolder(folder: string): void {
  const existing = lstatSync(folder, { throwIfNoEntry: false });
  if (existing && !existing.isDirectory()) throw unsafePathError(folder, existing);
  makeFolders(folder, PRIVATE_FOLDER_MODE);
  const exposure = exposureOf(folder, OTHERS_ALL, { makesPrivate: true });
  if (exposure?.hasModes)
    throw new StorageError('unsafe-path', `${folder} is not used: ${exposure.reason}.`, {
      path: folder,
    });
}

/**
 * Creates `folder` and the folders above it, with modes by the umask; resolves with those that were missing, the
 * outermost first. `root` and the folders above it may be links; a link below it is refused (StorageError
 * `unsafe-path`), since it could point anywhere.
 */
export async function makeFoldersBelow(root: string, folder: string): Promise<string[]> {
  const created = makeFolders(root);
  let current = root;
  for (const name of relative(root, folder).split(sep).filter(Boolean)) {
    current = join(current, name);
    try {
      await mkdir(current);
      created.push(current);
    } catch (error) {
      const stats = await lstat(current).catch(() => undefined);
      if (stats?.isSymbolicLink()) throw unsafePathError(current, stats, error);
      if (!stats?.isDirectory()) throw error;
    }
  }
  return created;
}

/** Removes the folder and those above it that are empty then, but never `root`, which contains them. */
export async function removeEmptyFolders(folder: string, root: string): Promise<void> {
  if (relative(root, folder) === '' || relative(root, folder).startsWith('..')) return;
  try {
    await rmdir(folder);
  } catch {
    // It is not empty.
    return;
  }
  await removeEmptyFolders(dirname(folder), root);
}
