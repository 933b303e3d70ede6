/** Folders that must belong to this user alone, and whose content is trusted then. */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  lstatSync,
  statSync,
  type Stats,
} from 'node:fs';
import { hasCode } from './errors.js';
import { ignoreUnsupportedMode, isOwnFile, statNewFile, unsafePathError } from './safe-open.js';

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

interface ExposureOptions {
  /** A folder of this user is made private first if others have any of the rights. */
  readonly makesPrivate?: boolean;
  readonly followsLink?: boolean;
}

/**
 * Undefined if no other user has any of `rights` to the folder. The checks apply to the opened folder, so that it cannot
 * be replaced by a link in between. Throws StorageError `unsafe-path` for anything but a folder, and system errors.
 */
export function exposureOf(
  folder: string,
  rights: number,
  { makesPrivate = false, followsLink = false }: ExposureOptions = {},
): FolderExposure | undefined {
  if (process.platform === 'win32') {
    const stats = followsLink ? statSync(folder) : lstatSync(folder);
    if (!stats.isDirectory()) throw unsafePathError(folder, stats);
    return undefined;
  }
  const descriptor = openFolder(folder, followsLink);
  try {
    if (makesPrivate) makePrivate(descriptor, rights);
    const stats = fstatSync(descriptor);
    if (isOurs(stats, rights)) return undefined;
    const { uid } = stats;
    const reason =
      isOwnUid(uid) || uid === 0
        ? 'other users can write to it'
        : `it belongs to another user (uid ${uid})`;
    return { reason, hasModes: hasModes(folder) };
  } finally {
    closeSync(descriptor);
  }
}

/** A folder that stays the same one, though others may rename it or put a link in its place. */
export interface HeldFolder {
  /** Leads to the opened folder on Linux; elsewhere, it is the path as given. */
  readonly path: string;
  close(): void;
}

/**
 * Opens a folder of this user alone. Undefined for one of another user, one to which others have rights, and for anything
 * but a folder, such as a link. Throws system errors.
 */
export function holdOwnFolder(folder: string): HeldFolder | undefined {
  if (process.platform === 'win32')
    return lstatSync(folder).isDirectory() ? { path: folder, close: () => undefined } : undefined;
  let descriptor: number;
  try {
    descriptor = openFolder(folder, false);
  } catch (error) {
    if (hasCode(error, 'unsafe-path')) return undefined;
    throw error;
  }
  const stats = fstatSync(descriptor);
  const isPrivate = isOwnFile(folder, stats) && (stats.mode & OTHERS_ALL) === 0;
  if (!isPrivate && hasModes(folder)) {
    closeSync(descriptor);
    return undefined;
  }
  const inProc = `/proc/self/fd/${descriptor}`;
  const found = statSync(inProc, { throwIfNoEntry: false });
  const isSame = found?.ino === stats.ino && found.dev === stats.dev;
  return {
    path: isSame ? inProc : folder,
    close: () => {
      closeSync(descriptor);
    },
  };
}

function openFolder(folder: string, followsLink: boolean): number {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  try {
    return openSync(folder, O_RDONLY | O_DIRECTORY | (followsLink ? 0 : O_NOFOLLOW));
  } catch (error) {
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    throw stats && !stats.isDirectory() ? unsafePathError(folder, stats, error) : error;
  }
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

/**
 * Whether the file system of the folder has modes and owners of its own for each file. Where no file can be created, what
 * it shows counts.
 */
export function hasModes(folder: string): boolean {
  try {
    const { uid, mode } = statNewFile(folder);
    const isOwnedByAll = !isOwnUid(uid) && uid === statSync(folder).uid;
    return !isOwnedByAll && (mode & OTHERS_WRITE) === 0;
  } catch {
    return true;
  }
}
