/**
 * Opening files where somebody else may have put something: in a shared folder, an unpacked archive, a volume of
 * a container. Links are not followed, a named pipe or device is refused without waiting for it, and what is
 * checked is the file that was opened, so that it cannot be exchanged in between.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  unlinkSync,
  type Stats,
} from 'node:fs';
import { lstat, open, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { retryWhileBusy } from './busy-retry.js';
import { StorageError } from './errors.js';
import { isSystemError } from './system-errors.js';

export interface OpenOptions {
  /** Of `fs.constants`; O_RDONLY where not given. O_NOFOLLOW and O_NONBLOCK are added. */
  readonly flags?: number;
  /** Whether a file of this owner and mode is used. Where not given: those of this user and of root. */
  readonly isTrusted?: (stats: Stats) => boolean;
}

/** Absent on Windows, where the path is looked at first. */
const SAFE_FLAGS = process.platform === 'win32' ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** What `open` says of a link under O_NOFOLLOW (EMLINK: FreeBSD), of a socket, and of a device without a driver. */
export const NOT_OPENED = ['ELOOP', 'EMLINK', 'ENXIO', 'ENODEV', 'EOPNOTSUPP', 'ENOTSUP', 'EISDIR'];

/**
 * Opens an existing regular file that this user or root owns, for reading unless `flags` say otherwise. Throws
 * StorageError `unsafe-path` for a link, a folder, a pipe, a socket, a device and a file of another user, and the
 * system's own error (ENOENT, EACCES, …) for everything else.
 */
export async function openRegularFile(
  file: string,
  options: OpenOptions = {},
): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    if (process.platform === 'win32') assertUsable(file, await lstat(file), options);
    handle = await open(file, (options.flags ?? constants.O_RDONLY) | SAFE_FLAGS);
  } catch (error) {
    throw refusalInstead(error, file);
  }
  try {
    assertUsable(file, await handle.stat(), options);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The same as openRegularFile, synchronously; whoever calls it closes the descriptor. */
export function openRegularFileSync(
  file: string,
  options: OpenOptions = {},
): { readonly descriptor: number; readonly stats: Stats } {
  let descriptor: number;
  try {
    if (process.platform === 'win32') assertUsable(file, lstatSync(file), options);
    descriptor = openSync(file, (options.flags ?? constants.O_RDONLY) | SAFE_FLAGS);
  } catch (error) {
    throw refusalInstead(error, file);
  }
  try {
    const stats = fstatSync(descriptor);
    assertUsable(file, stats, options);
    return { descriptor, stats };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

const CREATE_FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
const DEFAULT_FILE_MODE = 0o666;

/**
 * Creates a file that does not exist yet (EEXIST otherwise, for a link too), open for reading and writing. Its
 * mode is exactly `mode`, whatever the umask; without `mode` the umask decides, as for any file of the user.
 */
export async function createFile(
  file: string,
  { mode }: { readonly mode?: number } = {},
): Promise<FileHandle> {
  const handle = await open(file, CREATE_FLAGS, mode ?? DEFAULT_FILE_MODE);
  if (mode !== undefined) await handle.chmod(mode).catch(ignoreUnsupportedMode);
  return handle;
}

/** The same as createFile, synchronously; whoever calls it closes the descriptor. */
export function createFileSync(file: string, { mode }: { readonly mode?: number } = {}): number {
  const descriptor = openSync(file, CREATE_FLAGS, mode ?? DEFAULT_FILE_MODE);
  try {
    if (mode !== undefined) fchmodSync(descriptor, mode);
  } catch (error) {
    ignoreUnsupportedMode(error);
  }
  return descriptor;
}

/** Some file systems (FAT, CIFS) have no modes; the file was opened with no more rights than `mode` gives. */
export function ignoreUnsupportedMode(error: unknown): void {
  if (!isSystemError(error, 'EPERM', 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) throw error;
}

/** Creates a file of this name anew: what stood there, if it is not a folder, is removed and never written to. */
export async function replaceFile(
  file: string,
  options: { readonly mode?: number } = {},
): Promise<FileHandle> {
  try {
    return await createFile(file, options);
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
  }
  await retryWhileBusy(() => unlink(file));
  return createFile(file, options);
}

function assertUsable(file: string, stats: Stats, { isTrusted }: OpenOptions): void {
  if (!stats.isFile()) throw unsafe(file, kindOf(stats));
  if (!(isTrusted ?? ((found: Stats) => isOwnedByUs(file, found)))(stats)) {
    throw foreign(file, stats);
  }
}

/**
 * Whether the file or folder at `path` belongs to this user or to root. Always so on Windows, which has no such
 * owners, and on file systems that give every file the same owner, whoever made it (CIFS, FAT, some NFS servers).
 */
export function isOwnedByUs(path: string, { uid }: Stats): boolean {
  const ownUid = process.geteuid?.();
  if (ownUid === undefined || uid === ownUid || uid === 0) return true;
  return uid === uidOfNewFiles(dirname(path));
}

/** Whom a file belongs to that this process makes in `folder`; `undefined` where it may not make one. */
function uidOfNewFiles(folder: string): number | undefined {
  const file = join(folder, `.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const descriptor = createFileSync(file);
    try {
      return fstatSync(descriptor).uid;
    } finally {
      closeSync(descriptor);
      unlinkSync(file);
    }
  } catch {
    return undefined;
  }
}

/** Says what stands at `file` where the system only says that it cannot be opened. */
function refusalInstead(error: unknown, file: string): unknown {
  if (!isSystemError(error, ...NOT_OPENED)) return error;
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats && !stats.isFile() ? unsafe(file, kindOf(stats), error) : error;
}

export function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isFile() ? 'a file' : 'a device';
}

export function unsafe(path: string, kind: string, cause?: unknown): StorageError {
  return new StorageError('unsafe-path', `${path} is ${kind} and is not used.`, { cause });
}

export function foreign(path: string, { uid }: Stats): StorageError {
  return new StorageError(
    'unsafe-path',
    `${path} belongs to another user (uid ${uid}) and is not used.`,
  );
}

/** For a file that is larger than anything that tankobon would have written there. */
export function tooLarge(file: string): StorageError {
  return new StorageError(
    'unsafe-path',
    `${file} is far larger than tankobon makes it and is not read.`,
  );
}
