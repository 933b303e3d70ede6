/** Gives a finished file its final name without replacing a file of another process. */
import { link } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  isSystemError,
  lstatIfExists,
  renameInto,
  removeFile,
  statIfExists,
  syncFolder,
} from './files.js';
import { underTemporaryLock } from './lock.js';

/** Held between check and rename if the file system has no hard links (FAT, exFAT, some SMB shares). */
const PUBLISH_LOCK_FILE = '.tankobon.lock';

/**
 * Renames `tmpFile`, which is complete, synced and on the same file system, to `file` if that does not exist.
 * Otherwise resolves with false and keeps `tmpFile`.
 */
export async function publishNew(tmpFile: string, file: string): Promise<boolean> {
  try {
    await link(tmpFile, file);
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false;
    return publishUnderLock(tmpFile, file);
  }
  try {
    await removeFile(tmpFile);
  } catch (error) {
    await removeSecondName(file, tmpFile).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(file));
  return true;
}

/** A file that failed to move would be found twice, and a repair would load it again under each name. */
async function removeSecondName(file: string, first: string): Promise<void> {
  const [second, stays] = [await lstatIfExists(file), await lstatIfExists(first)];
  if (second?.ino === stays?.ino && second?.dev === stays?.dev) await removeFile(file);
}

/** Does what publishNew does on file systems without hard links. */
export async function publishUnderLock(tmpFile: string, file: string): Promise<boolean> {
  return underTemporaryLock(join(dirname(file), PUBLISH_LOCK_FILE), {}, async () => {
    if (await statIfExists(file)) return false;
    await renameInto(tmpFile, file);
    return true;
  });
}
