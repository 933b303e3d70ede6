/** Creates folders in places where other users may have planted links or files; see safe-open.ts. */
import { constants, lstatSync, mkdirSync, statSync, type Stats } from 'node:fs';
import { lstat, mkdir, open } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import {
  ignoreUnsupportedMode,
  isOwnedByUs,
  NOT_REGULAR_CODES,
  otherOwnerError,
  unsafePathError,
} from './safe-open.js';
import { isSystemError } from './system-errors.js';

const PRIVATE_FOLDER_MODE = 0o700;
const OTHERS_RIGHTS = 0o077;

/**
 * Creates `folder` and the folders above it; returns those that were missing, the outermost first. Used instead of
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
    return [folder];
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
    return [];
  }
}

/**
 * Creates a folder of mode 0700 and the folders above it. An existing one must be a directory of this user or of root,
 * not a link (StorageError `unsafe-path`); the rights of others are removed where the file system has modes.
 */
export async function makePrivateFolder(folder: string): Promise<void> {
  try {
    makeFolders(folder, PRIVATE_FOLDER_MODE);
  } catch (error) {
    // A file, or a broken link.
    if (!isSystemError(error, 'EEXIST', 'ENOENT')) throw error;
    const stats = await lstat(folder).catch(() => undefined);
    if (!stats || stats.isDirectory()) throw error;
    throw unsafePathError(folder, stats);
  }
  if (process.platform === 'win32') {
    assertFolder(folder, await lstat(folder));
    return;
  }
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = await open(folder, flags).catch((error: unknown) => {
    if (isSystemError(error, 'ENOTDIR', ...NOT_REGULAR_CODES))
      assertFolder(folder, lstatSync(folder));
    throw error;
  });
  try {
    const stats = await handle.stat();
    assertFolder(folder, stats);
    if ((stats.mode & OTHERS_RIGHTS) !== 0) {
      await handle.chmod(PRIVATE_FOLDER_MODE).catch(ignoreUnsupportedMode);
    }
  } finally {
    await handle.close();
  }
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

function assertFolder(folder: string, stats: Stats): void {
  if (!stats.isDirectory()) throw unsafePathError(folder, stats);
  if (!isOwnedByUs(folder, stats)) throw otherOwnerError(folder, stats);
}
