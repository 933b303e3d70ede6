/** Folders that must belong to this user alone, and whose content is trusted then. */
import { closeSync, constants, fchmodSync, fstatSync, openSync, type Stats } from 'node:fs';
import { ignoreUnsupportedMode, statNewFile } from './safe-open.js';

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
    return makeOpenOwn(folder, descriptor, rights);
  } finally {
    closeSync(descriptor);
  }
}

function makeOpenOwn(
  folder: string,
  descriptor: number,
  rights: number,
): FolderExposure | undefined {
  const stats = fstatSync(descriptor);
  if (isOurs(stats, rights) || makePrivate(descriptor, stats, rights)) return undefined;
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

/** A sticky folder, such as /tmp, is shared on purpose. False if it is still open to others. */
function makePrivate(descriptor: number, { uid, mode }: Stats, rights: number): boolean {
  if (!isOwnUid(uid) || (mode & STICKY) !== 0) return false;
  try {
    fchmodSync(descriptor, PRIVATE_FOLDER_MODE);
  } catch (error) {
    ignoreUnsupportedMode(error);
  }
  return isOurs(fstatSync(descriptor), rights);
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
