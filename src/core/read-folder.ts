/** Reads folders, some of which this user may not read, or the disk cannot. */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { StorageError } from './errors.js';
import {
  accessHint,
  isFileError,
  isForbidden,
  isSystemError,
  systemReason,
} from './system-errors.js';

export interface UnreadableFolder {
  readonly folder: string;
  readonly cause: unknown;
}

/**
 * False for a folder that was removed meanwhile, and for the one that each ext4 disk has for what a check of it finds, which
 * only root may read.
 */
export function mayHaveFiles({ folder, cause }: UnreadableFolder): boolean {
  if (isSystemError(cause, 'ENOENT', 'ENOTDIR')) return false;
  return basename(folder) !== 'lost+found' || !isForbidden(cause);
}

/** For a command that goes on without a folder that this user may not read, but ends on a failing disk. */
export function warnOfForbidden(warn: (message: string) => void) {
  return (_: string, error: StorageError): void => {
    if (!isForbidden(error.cause)) throw error;
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
