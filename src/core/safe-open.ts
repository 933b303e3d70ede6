/**
 * Opens files in places where other users may have planted links or other files. Links are not followed, named pipes and
 * devices are refused without blocking, and the checks apply to the opened file, so that it cannot be replaced in between.
 */
import {
  close,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  open as openWithCallback,
  openSync,
  statSync,
  unlinkSync,
  type Stats,
  type StatsBase,
} from 'node:fs';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { retryWhileBusy } from './busy-retry.js';
import { StorageError } from './errors.js';
import { copyFileAttributes } from './file-attributes.js';
import { OpenedFile } from './opened-file.js';
import { isSystemError } from './system-errors.js';
import { temporaryName } from './temporary-files.js';

/** Not available on Windows, where the path is checked first. */
const NO_FOLLOW = process.platform === 'win32' ? 0 : constants.O_NOFOLLOW;
const SAFE_FLAGS = process.platform === 'win32' ? 0 : NO_FOLLOW | constants.O_NONBLOCK;
/** Errors of `open` for a link under O_NOFOLLOW (EMLINK: FreeBSD), a socket, and a device without a driver. */
const NOT_REGULAR_CODES = ['ELOOP', 'EMLINK', 'ENXIO', 'ENODEV', 'EOPNOTSUPP', 'ENOTSUP', 'EISDIR'];

const openDescriptor = promisify(openWithCallback);
const closeDescriptor = promisify(close);

type AnyStats = StatsBase<number | bigint>;

/** What is allowed beyond regular files of this user; for finding out what a file is, not for using its bytes. */
export interface OpenOptions {
  readonly followsLink?: boolean;
  readonly anyOwner?: boolean;
}

/**
 * Opens a regular file of an output folder for reading. The checks apply to the descriptor. Throws StorageError
 * `unsafe-path` for a link, a folder, a pipe, a socket, a device or a file of another user, and the system error
 * (ENOENT, EACCES, …) for everything else.
 */
export async function openForReading(file: string, options: OpenOptions = {}): Promise<OpenedFile> {
  assertUsableByPath(file, options);
  const flags = options.followsLink ? SAFE_FLAGS & ~NO_FOLLOW : SAFE_FLAGS;
  // With that of node:fs/promises, a scan takes twice the processor time.
  const descriptor = await openDescriptor(file, constants.O_RDONLY | flags).catch(
    (error: unknown) => {
      throw toUnsafeError(error, file);
    },
  );
  try {
    // The system answers at once for an open file, and a thread of Node takes several times the processor time.
    const stats = fstatSync(descriptor, { bigint: true });
    assertUsable(file, stats, options);
    return new OpenedFile(descriptor, stats);
  } catch (error) {
    await closeDescriptor(descriptor);
    throw error;
  }
}

const COPY_BYTES = 2 ** 20;

/**
 * Copies the bytes and the mode of a regular file of an output folder to the new file `target`, synced. Throws as
 * openForReading does, and EEXIST if anything exists at `target`. What a failed copy wrote is removed.
 */
export async function copyRegularFile(file: string, target: string): Promise<void> {
  const source = await openForReading(file);
  try {
    const handle = await createFile(target, { mode: Number(source.stats.mode) & 0o777 });
    try {
      await writeCopy(source, handle).finally(() => handle.close());
    } catch (error) {
      await unlink(target).catch(() => undefined);
      throw error;
    }
  } finally {
    await source.close();
  }
}

async function writeCopy(source: OpenedFile, target: FileHandle): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(COPY_BYTES, source.size + 1));
  for (let position = 0; ;) {
    const bytesRead = await source.read(buffer, position);
    if (bytesRead === 0) break;
    await target.writeFile(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  await target.sync();
}

/** The openForReading for a file that is written too, or read by a FileHandle. `flags` are those of `fs.constants`. */
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
  try {
    if (mode !== undefined) await handle.chmod(mode).catch(ignoreUnsupportedMode);
  } catch (error) {
    await handle.close();
    await unlink(file).catch(() => undefined);
    throw error;
  }
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
 * Gives the file `to`, which takes the place of `file`, its group, mode, access control list and extended attributes, but
 * no more rights than `maxMode`. Where the group cannot be kept, the new one gets no more rights than others had, and the
 * list is not kept. `from`: the state of `file`. Links are not followed.
 */
export async function copyRights(
  file: string,
  from: FileRights,
  to: string,
  maxMode = 0o7777,
): Promise<void> {
  const handle = await openRegularFile(to);
  // One without a right to read it keeps no attributes.
  const opened = await openRegularFile(file).catch(() => undefined);
  try {
    await copyOpenedRights(opened, from, handle, maxMode);
  } finally {
    await opened?.close();
    await handle.close();
  }
}

/** Does what copyRights does for files that are open. */
export async function copyOpenedRights(
  file: Pick<FileHandle, 'fd'> | undefined,
  from: FileRights,
  to: FileHandle,
  maxMode = 0o7777,
): Promise<void> {
  const { uid, gid: before } = await to.stat();
  const isKept = before === Number(from.gid);
  if (!isKept) await to.chown(uid, Number(from.gid)).catch(ignoreUnsupportedMode);
  const gid = isKept ? before : (await to.stat()).gid;
  const mode = rightsFor(gid, from) & maxMode;
  const withLists = mode === (Number(from.mode) & 0o7777);
  if (file) await copyFileAttributes(file, to, withLists ? 'attributes-and-lists' : 'attributes');
  await to.chmod(mode).catch(ignoreUnsupportedMode);
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

/** Accepts file systems without modes (FAT, CIFS, some network drives); the file was created with no more rights than requested. */
export function ignoreUnsupportedMode(error: unknown): void {
  if (!isSystemError(error, 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'))
    throw error;
}

/** Creates a file in place of anything but a folder; the existing file is removed, never written to. */
export async function replaceFile(file: string, options: NewFileOptions = {}): Promise<FileHandle> {
  try {
    return await createFile(file, options);
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
  }
  await retryWhileBusy(() => unlink(file));
  return createFile(file, options);
}

/** The mode of a temporary file that takes the place of another one, whose rights it gets at the end. */
export const PRIVATE_FILE_MODE = 0o600;

/** Windows cannot refuse links when it opens a file. */
function assertUsableByPath(file: string, { followsLink, anyOwner }: OpenOptions = {}): void {
  if (process.platform !== 'win32') return;
  assertUsable(file, followsLink ? statSync(file) : lstatSync(file), {
    anyOwner: anyOwner ?? false,
  });
}

function assertUsable(file: string, stats: AnyStats, { anyOwner = false }: OpenOptions = {}): void {
  if (!stats.isFile()) throw unsafePathError(file, stats);
  if (anyOwner || isTrustedFile(file, stats)) return;
  throw refusal(file, `belongs to another user (uid ${stats.uid})`, { hint: OTHER_USER_HINT });
}

/** Who owns a file, and on which file system. */
export type FileOwner = Readonly<Record<'uid' | 'dev', number | bigint>>;

/**
 * Whether the file at `path` may be read: it belongs to this user or to root, or, if this user is root, to the owner of
 * the folder that it is in: containers run as root over the libraries of others.
 */
function isTrustedFile(path: string, owner: FileOwner): boolean {
  if (Number(owner.uid) === 0) return true;
  const isOfFolder = () =>
    Number(owner.uid) === statSync(dirname(path), { throwIfNoEntry: false })?.uid;
  return isOwnFile(path, owner) || (process.geteuid?.() === 0 && isOfFolder());
}

/**
 * Whether the file or folder at `path` belongs to this user, who alone may change it; root is a user like others. Always
 * true on Windows, which has no such owners, and on file systems where all files have the same owner (CIFS, FAT, some NFS
 * servers).
 */
export function isOwnFile(path: string, { uid, dev }: FileOwner): boolean {
  // Asked each time: a program may give up the rights of root after it loaded the library.
  const ownUid = process.geteuid?.();
  if (ownUid === undefined || Number(uid) === ownUid) return true;
  try {
    return Number(uid) === ownerOfNewFiles(dirname(path), Number(dev));
  } catch {
    // It cannot create any file there.
    return false;
  }
}

/** By the number of the file system, which would be asked for each of thousands of files otherwise. */
const ownersOfNewFiles = new Map<number, number>();

function ownerOfNewFiles(folder: string, device: number): number {
  const owner = ownersOfNewFiles.get(device) ?? statNewFile(folder).uid;
  ownersOfNewFiles.set(device, owner);
  return owner;
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
export function fileKind(stats: AnyStats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isFile() ? 'a file' : 'a device';
}

export function unsafePathError(path: string, stats: AnyStats, cause?: unknown): StorageError {
  return refusal(path, `is ${fileKind(stats)}`, { cause });
}

/** The cause is for messages that name the file themselves (see fileErrorReason). */
function refusal(
  path: string,
  problem: string,
  { cause, hint }: { readonly cause?: unknown; readonly hint?: string },
): StorageError {
  const reason = new Error(`it ${problem}`, { cause });
  const details = { cause: reason, ...(hint !== undefined && { hint }) };
  return new StorageError('unsafe-path', `${path} ${problem} and is not used.`, {
    ...details,
    path,
  });
}

/** For a file that only another user may change. */
export const OTHER_USER_HINT =
  'Run tankobon as that user, or make the file yours: sudo chown "$USER" FILE';

/** The error for a file larger than any that tankobon writes. */
export function tooLargeError(file: string): StorageError {
  return new StorageError('unsafe-path', `${file} is too large and is not read.`, { path: file });
}
