/** Folders that must belong to this user alone, and whose content is trusted then. */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  lstatSync,
  type Stats,
} from 'node:fs';
import { ignoreUnsupportedMode, statNewFile, unsafePathError } from './safe-open.js';

export const PRIVATE_FOLDER_MODE = 0o700;
export const OTHERS_WRITE = 0o022;
export const OTHERS_ALL = 0o077;
const STICKY = 0o1000;

export interface FolderExposure {
  /** Why other users may change what is in the folder: `other users can write to it`. */
  readonly reason: string;
  /** False on a file system that shows one mode or one owner for all files: FAT, some network drives. */
  readonly hasModes: boolean;
}

/**
 * Makes a folder of this user private if others have any of `rights`. Undefined if they have none of them then. The
 * checks apply to the opened folder, so that it cannot be replaced by a link in between. Throws system errors: ELOOP or
 * ENOTDIR for a link, unless `followLinks`.
 */
export function makeOwn(
  folder: string,
  rights: number,
  { followLinks }: { readonly followLinks: boolean },
): FolderExposure | undefined {
  if (process.platform === 'win32') return undefined;
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const descriptor = openSync(folder, O_RDONLY | O_DIRECTORY | (followLinks ? 0 : O_NOFOLLOW));
  try {
    makePrivate(descriptor, rights);
    return exposure(folder, fstatSync(descriptor), rights);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Undefined if no other user has any of `rights` to the folder. Changes nothing. Throws StorageError `unsafe-path` for
 * anything but a folder, and system errors.
 */
export function exposureOf(folder: string, rights: number): FolderExposure | undefined {
  const stats = lstatSync(folder);
  if (!stats.isDirectory()) throw unsafePathError(folder, stats);
  return process.platform === 'win32' ? undefined : exposure(folder, stats, rights);
}

function exposure(folder: string, stats: Stats, rights: number): FolderExposure | undefined {
  if (isOurs(stats, rights)) return undefined;
  const { uid } = stats;
  const reason =
    isOwnUid(uid) || uid === 0
      ? 'other users can write to it'
      : `it belongs to another user (uid ${uid})`;
  return { reason, hasModes: hasModes(folder, stats) };
}

const isOwnUid = (uid: number): boolean => uid === process.geteuid?.();

/** Root can write everywhere anyway. */
function isOurs({ uid, mode }: Stats, rights: number): boolean {
  return (isOwnUid(uid) || uid === 0) && (mode & rights) === 0;
}

/** Leaves a folder of another user, and a sticky one, such as /tmp, which is shared on purpose. */
function makePrivate(descriptor: number, rights: number): void {
  const { uid, mode } = fstatSync(descriptor);
  if ((mode & rights) === 0 || !isOwnUid(uid) || (mode & STICKY) !== 0) return;
  try {
    fchmodSync(descriptor, PRIVATE_FOLDER_MODE);
  } catch (error) {
    ignoreUnsupportedMode(error);
  }
}

function hasModes(folder: string, { uid }: Stats): boolean {
  try {
    const created = statNewFile(folder);
    const isOwnedByAll = created.uid === uid && !isOwnUid(uid);
    return !isOwnedByAll && (created.mode & OTHERS_WRITE) === 0;
  } catch {
    return true;
  }
}
