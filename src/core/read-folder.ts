/** Reads folders, some of which this user may not read, or the disk cannot. */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { StorageError } from './errors.js';
import { isFileError, isSystemError, systemReason } from './system-errors.js';

export interface UnreadableFolder {
  readonly folder: string;
  readonly cause: unknown;
}

/** Folders that this user may not read are left out; those of a failing disk are reported. */
export function isDiskError(cause: unknown): boolean {
  return !isSystemError(cause, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM');
}

export function unreadableFolderError({ folder, cause }: UnreadableFolder): StorageError {
  const message = `Cannot read the folder (${systemReason(cause)}): ${folder}`;
  return new StorageError('storage-failed', message, { cause });
}

/** None for a folder that is missing or cannot be read. */
export async function readdirIfReadable(
  folder: string,
  onUnreadable: (cause: unknown) => void = () => undefined,
): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (!isFileError(error)) throw error;
    onUnreadable(error);
    return [];
  }
}
