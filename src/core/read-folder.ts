/** Reads folders, some of which this user may not read, or the disk cannot. */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { StorageError } from './errors.js';
import { accessHint, isFileError, isSystemError, systemReason } from './system-errors.js';

const FORBIDDEN = ['EACCES', 'EPERM'];

export interface UnreadableFolder {
  readonly folder: string;
  readonly cause: unknown;
}

/** Not one that was removed meanwhile, nor that of each ext4 disk which only root may read, for what a check of it finds. */
export function mayHaveFiles({ folder, cause }: UnreadableFolder): boolean {
  if (isSystemError(cause, 'ENOENT', 'ENOTDIR')) return false;
  return basename(folder) !== 'lost+found' || !isSystemError(cause, ...FORBIDDEN);
}

/** For a command that goes on without a folder that this user may not read, and not on a failing disk. */
export function warnOfForbidden(warn: (message: string) => void) {
  return (_: string, error: StorageError): void => {
    if (!isSystemError(error.cause, ...FORBIDDEN)) throw error;
    warn(error.message);
  };
}

export function unreadableFolderError({ folder, cause }: UnreadableFolder): StorageError {
  const message = `Cannot read the folder (${systemReason(cause)}): ${folder}`;
  const hint = accessHint(cause);
  return new StorageError('storage-failed', message, {
    cause,
    ...(hint !== undefined && { hint }),
  });
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
