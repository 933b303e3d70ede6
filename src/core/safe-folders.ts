/** Making folders where somebody else may have put something: see safe-open.ts. */
import { constants, lstatSync, type Stats } from 'node:fs';
import { lstat, mkdir, open } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import {
  foreign,
  ignoreUnsupportedMode,
  isOwnedByUs,
  kindOf,
  NOT_OPENED,
  unsafe,
} from './safe-open.js';
import { isSystemError } from './system-errors.js';

const PRIVATE_FOLDER_MODE = 0o700;
const OTHERS = 0o077;

/**
 * Makes a folder of mode 0700, with the folders above it, where it is missing. One that is there must be a
 * directory of this user or of root, not a link (StorageError `unsafe-path`); others' rights are taken away,
 * where the file system has modes at all.
 */
export async function makePrivateFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  } catch (error) {
    // A file, or a link that leads nowhere.
    if (!isSystemError(error, 'EEXIST', 'ENOENT')) throw error;
    const stats = await lstat(folder).catch(() => undefined);
    if (!stats || stats.isDirectory()) throw error;
    throw unsafe(folder, kindOf(stats));
  }
  if (process.platform === 'win32') {
    assertFolder(folder, await lstat(folder));
    return;
  }
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = await open(folder, flags).catch((error: unknown) => {
    if (isSystemError(error, 'ENOTDIR', ...NOT_OPENED)) assertFolder(folder, lstatSync(folder));
    throw error;
  });
  try {
    const stats = await handle.stat();
    assertFolder(folder, stats);
    if ((stats.mode & OTHERS) !== 0) {
      await handle.chmod(PRIVATE_FOLDER_MODE).catch(ignoreUnsupportedMode);
    }
  } finally {
    await handle.close();
  }
}

/**
 * Makes `folder` with what is missing above it, as the umask says. `root` and what is above it may be links; below
 * it a link is refused (StorageError `unsafe-path`), since it could lead anywhere.
 */
export async function makeFoldersBelow(root: string, folder: string): Promise<void> {
  await mkdir(root, { recursive: true });
  let current = root;
  for (const name of relative(root, folder).split(sep).filter(Boolean)) {
    current = join(current, name);
    try {
      await mkdir(current);
    } catch (error) {
      const stats = await lstat(current).catch(() => undefined);
      if (stats?.isSymbolicLink()) throw unsafe(current, kindOf(stats), error);
      if (!stats?.isDirectory()) throw error;
    }
  }
}

function assertFolder(folder: string, stats: Stats): void {
  if (!stats.isDirectory()) throw unsafe(folder, kindOf(stats));
  if (!isOwnedByUs(folder, stats)) throw foreign(folder, stats);
}
