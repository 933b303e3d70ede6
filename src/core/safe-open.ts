/**
 * Opens files in places where other users may have planted links or other files. Links are not followed, named pipes and
 * devices are refused without blocking, and the checks apply to the opened file, so that it cannot be replaced in between.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  statSync,
  unlinkSync,
  type Stats,
} from 'node:fs';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { retryWhileBusy } from './busy-retry.js';
import { StorageError } from './errors.js';
import { isSystemError } from './system-errors.js';
import { temporaryName } from './temporary-files.js';

/** Not available on Windows, where the path is checked first. */
const SAFE_FLAGS = process.platform === 'win32' ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Errors of `open` for a link under O_NOFOLLOW (EMLINK: FreeBSD), a socket, and a device without a driver. */
const NOT_REGULAR_CODES = ['ELOOP', 'EMLINK', 'ENXIO', 'ENODEV', 'EOPNOTSUPP', 'ENOTSUP', 'EISDIR'];

/**
 * Opens an existing regular file. `flags` are those of `fs.constants`; O_NOFOLLOW and O_NONBLOCK are added. Throws
 * StorageError `unsafe-path` for a link, a folder, a pipe, a socket, a device or a file of another user, and the system
 * error (ENOENT, EACCES, …) for everything else.
 */
export async function openRegularFile(
  file: string,
  flags: number = constants.O_RDONLY,
): Promise<FileHandle> {
  assertUsableByPath(file);
  const handle = await open(file, flags | SAFE_FLAGS).catch((error: unknown) => {
    throw toUnsafeError(error, file);
  });
  try {
    assertUsable(file, await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The synchronous openRegularFile; returns a descriptor, which the caller closes. */
export function openRegularFileSync(file: string, flags: number): number {
  assertUsableByPath(file);
  let descriptor: number;
  try {
    descriptor = openSync(file, flags | SAFE_FLAGS);
  } catch (error) {
    throw toUnsafeError(error, file);
  }
  try {
    assertUsable(file, fstatSync(descriptor));
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

const CREATE_FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
const DEFAULT_FILE_MODE = 0o666;

export interface NewFileOptions {
  /** Exactly this mode, regardless of the umask. */
  readonly mode?: number | undefined;
  /** Without `mode`: the file has no more rights than these and those that the umask leaves. Default: see maxModeIn. */
  readonly maxMode?: number | undefined;
}

/**
 * Creates a file and opens it for reading and writing. It has its mode before its first byte. Throws EEXIST if anything
 * exists there, also a link.
 */
export async function createFile(
  file: string,
  { mode, maxMode = maxModeIn(dirname(file)) }: NewFileOptions = {},
): Promise<FileHandle> {
  const handle = await open(file, CREATE_FLAGS, mode ?? maxMode);
  if (mode !== undefined) await handle.chmod(mode).catch(ignoreUnsupportedMode);
  return handle;
}

/** Whose rights to a file count: the mode, and the group that the middle part of it is for. */
export type FileRights = Readonly<Record<'mode' | 'gid', number | bigint>>;

/**
 * The most rights of a new file in `folder` that is made of `sources`: a user who cannot read one of these, or who has
 * no right to the folder, cannot read the file.
 */
export function maxModeIn(folder: string, sources: readonly FileRights[] = []): number {
  const stats = statSync(folder, { throwIfNoEntry: false });
  const groupId = groupOfNewFile(stats);
  let mode = DEFAULT_FILE_MODE;
  for (const source of sources) mode &= rightsFor(groupId, source) | OWNER_ALL;
  // Others who may search the folder, though not list it, can open a file whose name they know.
  if (stats && (stats.mode & GROUP_ALL) === 0) mode &= ~GROUP_ALL;
  if (stats && (stats.mode & OTHERS_ALL) === 0) mode &= ~OTHERS_ALL;
  return mode;
}

const OWNER_ALL = 0o700;
const GROUP_ALL = 0o070;
const OTHERS_ALL = 0o007;
const SETGID = 0o2000;

function groupOfNewFile(folder: Stats | undefined): number | undefined {
  return folder && (folder.mode & SETGID) !== 0 ? folder.gid : process.getegid?.();
}

/** The mode with the same rights for a file of this group: its members may be among the others of `file`. */
function rightsFor(groupId: number | undefined, { mode, gid }: FileRights): number {
  const rights = Number(mode) & 0o7777;
  if (groupId === undefined || Number(gid) === groupId) return rights;
  return (rights & ~GROUP_ALL) | (rights & ((rights & OTHERS_ALL) << 3));
}

/**
 * Gives the file that takes the place of another its group and its mode, but no more rights than `maxMode`. Where the
 * group cannot be kept, the new one gets no more rights than others had. Links are not followed.
 */
export async function copyRights(from: FileRights, to: string, maxMode = 0o7777): Promise<void> {
  const handle = await openRegularFile(to);
  try {
    const { uid, gid } = await handle.stat();
    if (gid !== Number(from.gid))
      await handle.chown(uid, Number(from.gid)).catch(ignoreUnsupportedMode);
    const mode = rightsFor((await handle.stat()).gid, from) & maxMode;
    await handle.chmod(mode).catch(ignoreUnsupportedMode);
  } finally {
    await handle.close();
  }
}

/** The synchronous createFile; the caller closes the descriptor. */
export function createFileSync(file: string, mode: number): number {
  const descriptor = openSync(file, CREATE_FLAGS, mode);
  try {
    fchmodSync(descriptor, mode);
  } catch (error) {
    ignoreUnsupportedMode(error);
  }
  return descriptor;
}

/** Accepts file systems without modes (FAT, CIFS); the file was created with no more rights than requested. */
export function ignoreUnsupportedMode(error: unknown): void {
  if (!isSystemError(error, 'EPERM', 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) throw error;
}

/** Creates a file in place of anything but a folder; the existing file is removed, never written to. */
export async function replaceFile(file: string): Promise<FileHandle> {
  try {
    return await createFile(file);
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
  }
  await retryWhileBusy(() => unlink(file));
  return createFile(file);
}

/** The mode of a temporary file that takes the place of another one, whose rights it gets at the end. */
export const PRIVATE_FILE_MODE = 0o600;

/** Windows cannot refuse links when it opens a file. */
function assertUsableByPath(file: string): void {
  if (process.platform === 'win32') assertUsable(file, lstatSync(file));
}

function assertUsable(file: string, stats: Stats): void {
  if (!stats.isFile()) throw unsafePathError(file, stats);
  // Root can write everywhere anyway.
  if (stats.uid === 0 || isOwnFile(file, stats)) return;
  const message = `${file} belongs to another user (uid ${stats.uid}) and is not used.`;
  throw new StorageError('unsafe-path', message);
}

/**
 * Whether the file or folder at `path` belongs to this user; root is a user like others. Always true on Windows, which
 * has no such owners, and on file systems where all files have the same owner (CIFS, FAT, some NFS servers).
 */
export function isOwnFile(path: string, owner: Readonly<Record<'uid', number | bigint>>): boolean {
  const ownUid = process.geteuid?.();
  const uid = Number(owner.uid);
  if (ownUid === undefined || uid === ownUid) return true;
  try {
    return uid === statNewFile(dirname(path)).uid;
  } catch {
    // It cannot create any file there.
    return false;
  }
}

/** What the file system reports for a file that is created in `folder` with mode 0600, and removed again. */
export function statNewFile(folder: string): Stats {
  const file = temporaryName(join(folder, 'test'));
  const descriptor = createFileSync(file, 0o600);
  try {
    return fstatSync(descriptor);
  } finally {
    closeSync(descriptor);
    unlinkSync(file);
  }
}

/** Names the kind of file where the system only reports that it cannot be opened. */
function toUnsafeError(error: unknown, file: string): unknown {
  if (!isSystemError(error, ...NOT_REGULAR_CODES)) return error;
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats && !stats.isFile() ? unsafePathError(file, stats, error) : error;
}

/** With its article, such as `a named pipe`. */
export function fileKind(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isFile() ? 'a file' : 'a device';
}

export function unsafePathError(path: string, stats: Stats, cause?: unknown): StorageError {
  const message = `${path} is ${fileKind(stats)} and is not used.`;
  return new StorageError('unsafe-path', message, { cause });
}

/** The error for a file larger than any that tankobon writes. */
export function tooLargeError(file: string): StorageError {
  return new StorageError('unsafe-path', `${file} is too large and is not read.`);
}
