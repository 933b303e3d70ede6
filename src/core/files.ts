/**
 * Reads and writes files. A file is written under a temporary name, synced and renamed, and its folder synced, so that
 * neither a kill nor a power cut leaves an incomplete file under its final name.
 */
import { constants, readFileSync, stat, statSync, type Stats } from 'node:fs';
import {
  lstat,
  open,
  readdir,
  readFile,
  rename,
  rm,
  unlink,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { retryWhileBusy } from './busy-retry.js';
import { hasCode } from './errors.js';
import {
  copyRights,
  createFile,
  isOwnFile,
  openRegularFile,
  PRIVATE_FILE_MODE,
  tooLargeError,
  unsafePathError,
  type FileRights,
  type NewFileOptions,
} from './safe-open.js';
import { makeFoldersBelow } from './safe-folders.js';
import { sha256OfFile } from './sha256.js';
import { isSystemError } from './system-errors.js';
import { isLeftoverTemporary, temporaryName } from './temporary-files.js';

export {
  makeFolders,
  makeFoldersBelow,
  makePrivateFolder,
  removeEmptyFolders,
} from './safe-folders.js';
export { fileErrorReason, isSystemError, toStorageError } from './system-errors.js';
export {
  isLeftoverTemporary,
  isTemporary,
  isTemporaryLock,
  isTemporaryOf,
  temporaryName,
} from './temporary-files.js';
export {
  copyOpenedRights,
  copyRegularFile,
  copyRights,
  createFile,
  createFileSync,
  isOwnFile,
  maxModeIn,
  openForReading,
  openRegularFile,
  openRegularFileSync,
  OTHER_USER_HINT,
  PRIVATE_FILE_MODE,
  replaceFile,
  type OpenOptions,
  type FileRights,
  type NewFileOptions,
} from './safe-open.js';

/** A scan calls it for each file: that of node:fs/promises takes twice the processor time. */
const statFile = promisify(stat);

/** Far above the size of every file that tankobon reads into memory. */
const MAX_READ_BYTES = 64 * 2 ** 20;

interface AtomicOptions extends NewFileOptions {
  readonly replaced?: FileRights | undefined;
  /** False for a file of which a part may be missing after a power cut; a kill leaves it whole all the same. Default: true. */
  readonly isSynced?: boolean;
}

/**
 * Writes `data` to `file`, completely or not at all; an existing link is replaced, not followed. The file gets the rights
 * of `replaced`, otherwise those of the options. The first write into a folder removes what killed processes left there.
 */
export async function writeFileAtomic(
  file: string,
  data: FileData,
  { replaced, isSynced = true, ...options }: AtomicOptions = {},
): Promise<void> {
  await removeLeftoversOnce(dirname(file));
  const tmpFile = temporaryName(file);
  try {
    const rights = replaced ? { mode: PRIVATE_FILE_MODE } : options;
    await writeNewFile(tmpFile, data, { ...rights, isSynced });
    if (replaced) await copyRights(file, replaced, tmpFile);
    await (isSynced ? renameInto : renameFile)(tmpFile, file);
  } catch (error) {
    await rm(tmpFile, { force: true }).catch(() => undefined);
    throw error;
  }
}

const cleanedFolders = new Set<string>();

/** A process looks at each folder once: otherwise each file of a folder would cost a look at all the others. */
async function removeLeftoversOnce(folder: string): Promise<void> {
  if (cleanedFolders.has(folder)) return;
  cleanedFolders.add(folder);
  await removeLeftoverTemporaries(folder);
}

/** Removes what killed processes of this user left in `folder`. It costs only space: failures are ignored. */
export async function removeLeftoverTemporaries(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch((): string[] => [])) {
    const path = join(folder, name);
    if (isLeftoverTemporary(path)) await removeLeftoverFile(path).catch(() => undefined);
  }
}

/** Removes a file that a killed process left; one of another user stays. Throws system errors. */
export async function removeLeftoverFile(path: string): Promise<void> {
  if (isOwnFile(path, await lstat(path))) await retryWhileBusy(() => unlink(path));
}

/** Parts are written one after the other, before the next one is asked for. */
type FileData = string | Uint8Array | Iterable<Uint8Array>;

/** Writes a file, by default synced. Throws EEXIST if anything exists there. */
export async function writeNewFile(
  file: string,
  data: FileData,
  { isSynced = true, ...options }: Omit<AtomicOptions, 'replaced'> = {},
): Promise<void> {
  const handle = await createFile(file, options);
  try {
    await writeFile(handle, data);
    if (isSynced) await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes the buffers one after the other, in one call to the system if possible. */
export async function writeBuffers(handle: FileHandle, buffers: readonly Buffer[]): Promise<void> {
  const bytes = buffers.reduce((sum, { length }) => sum + length, 0);
  const { bytesWritten } = await handle.writev(buffers);
  // The system may write less than requested.
  if (bytesWritten < bytes) await handle.writeFile(Buffer.concat(buffers).subarray(bytesWritten));
}

/** Renames a complete and synced file to its final name, replacing an existing file, and syncs the folder. */
export async function renameInto(tmpFile: string, file: string): Promise<void> {
  await renameFile(tmpFile, file);
  await syncFolder(dirname(file));
}

/** Renames, replacing an existing file. Retries for up to 5 seconds while another program has one of the two open. */
export async function renameFile(from: string, to: string): Promise<void> {
  await retryWhileBusy(() => rename(from, to));
}

/** Removes a file or link, never a folder; false if it does not exist. Retries for up to 5 seconds while it is busy. */
export async function removeFile(file: string): Promise<boolean> {
  const removed = await retryWhileBusy(() => unlink(file).then(() => true)).catch(ifMissing);
  return removed ?? false;
}

/** Undefined for the error of a missing file; throws any other. */
export function ifMissing(error: unknown): undefined {
  if (!isSystemError(error, 'ENOENT', 'ENOTDIR')) throw error;
}

/** From file systems and platforms that cannot open or sync a folder. */
const NO_FOLDER_SYNC = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EBADF', 'EISDIR'];
/** From a folder that is writable but not readable; on Windows, from any folder. */
const NO_FOLDER_OPEN = ['EACCES', 'EPERM'];

/** Makes renames in `folder` survive a power cut, where the file system can sync folders. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, constants.O_RDONLY);
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!isSystemError(error, ...NO_FOLDER_SYNC, ...NO_FOLDER_OPEN)) throw error;
  }
}

/**
 * Creates folders as makeFoldersBelow does, and lets them survive a power cut: a file in a folder that is lost would be
 * lost too, although it was synced.
 */
export async function makeSyncedFolders(root: string, folder: string): Promise<string[]> {
  const created = await makeFoldersBelow(root, folder);
  for (const each of created) await syncFolder(dirname(each));
  return created;
}

interface ReadOptions {
  /** A larger file is refused (StorageError `unsafe-path`). Default: 64 MiB. */
  readonly maxBytes?: number;
}

/**
 * The bytes of a file of tankobon's own folders, or undefined if it does not exist. Links are followed. Throws
 * StorageError `unsafe-path` for anything but a regular file, without blocking.
 */
export async function readFileIfExists(
  file: string,
  { maxBytes = MAX_READ_BYTES }: ReadOptions = {},
): Promise<Buffer | undefined> {
  const stats = await statIfExists(file);
  return stats && readIfUsable(file, stats, maxBytes, () => readFile(file).catch(ifMissing));
}

/**
 * Reads as readFileIfExists does, in a folder that others can write to: throws for a link or another user's file too.
 * `onOpen` is called with the state of the file that is read.
 */
export async function readRegularFileIfExists(
  file: string,
  { maxBytes = MAX_READ_BYTES, onOpen }: ReadOptions & { onOpen?: (stats: Stats) => void } = {},
): Promise<Buffer | undefined> {
  const handle = await openRegularFile(file).catch(ifMissing);
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    onOpen?.(stats);
    if (stats.size > maxBytes) throw tooLargeError(file);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** The synchronous readFileIfExists. */
export function readFileIfExistsSync(
  file: string,
  { maxBytes = MAX_READ_BYTES }: ReadOptions = {},
): Buffer | undefined {
  try {
    return readIfUsable(file, statSync(file), maxBytes, () => readFileSync(file));
  } catch (error) {
    ifMissing(error);
    return undefined;
  }
}

function readIfUsable<T>(file: string, stats: Stats, maxBytes: number, read: () => T): T {
  if (!stats.isFile()) throw unsafePathError(file, stats);
  if (stats.size > maxBytes) throw tooLargeError(file);
  return read();
}

/** Whether both files exist and are equal. Throws as openRegularFile does. */
export async function haveSameBytes(file: string, other: string): Promise<boolean> {
  const [stats, otherStats] = [await statIfExists(file), await statIfExists(other)];
  if (!stats || stats.size !== otherStats?.size) return false;
  return (await digestOf(file)) === (await digestOf(other));
}

/**
 * The sha256 of a regular file as lower-case hex; undefined if it does not exist, and empty for anything else, such as
 * a link.
 */
export async function digestIfRegular(file: string): Promise<string | undefined> {
  try {
    return await digestOf(file);
  } catch (error) {
    if (hasCode(error, 'unsafe-path')) return '';
    ifMissing(error);
    return undefined;
  }
}

async function digestOf(file: string): Promise<string> {
  const handle = await openRegularFile(file);
  try {
    return await sha256OfFile(handle, (await handle.stat()).size);
  } finally {
    await handle.close();
  }
}

/** Does not follow a link. Undefined if nothing exists there. */
export async function lstatIfExists(path: string): Promise<Stats | undefined> {
  return lstat(path).catch(ifMissing);
}

/** Undefined if the file does not exist. */
export async function statIfExists(file: string): Promise<Stats | undefined> {
  return statFile(file).catch(ifMissing);
}
