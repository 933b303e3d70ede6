/** Gives a finished file its final name without replacing what another process put there. */
import { link } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isSystemError, renameInto, removeFile, statIfExists, syncFolder } from './files.js';
import { lockFile } from './lock.js';

/** Held while a name is checked and given where the file system has no hard links (FAT, exFAT, some SMB shares). */
const PUBLISH_LOCK_FILE = '.tankobon.lock';

/**
 * Moves `tmpFile`, which is complete and synced and on the same file system, to `file` where nothing has that name.
 * Resolves with false, and leaves `tmpFile`, where something has.
 */
export async function publishNew(tmpFile: string, file: string): Promise<boolean> {
  try {
    await link(tmpFile, file);
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false;
    return publishUnderLock(tmpFile, file);
  }
  await removeFile(tmpFile);
  await syncFolder(dirname(file));
  return true;
}

/** The same by check and rename, for file systems without hard links. */
export async function publishUnderLock(tmpFile: string, file: string): Promise<boolean> {
  const lockPath = join(dirname(file), PUBLISH_LOCK_FILE);
  const lock = await lockFile(lockPath);
  try {
    if (await statIfExists(file)) return false;
    await renameInto(tmpFile, file);
    return true;
  } finally {
    // Removed while it is held: a process that waited for it notices, and makes a new one.
    await removeFile(lockPath).catch(() => undefined);
    lock.release();
  }
}
