/**
 * Reads and writes files. A file is written under a temporary name, synced and renamed, and its folder synced, so that
 * neither a kill nor a power cut leaves an incomplete file under its final name. Opens files safely: see safe-open.ts.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, constants, readFileSync, type Stats } from 'node:fs';
import { open, rename, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { retryWhileBusy, type BusyRetryOptions } from './busy-retry.js';
import {
  createFile,
  openRegularFile,
  openRegularFileSync,
  tooLarge,
  type OpenOptions,
} from './safe-open.js';
import { isSystemError } from './system-errors.js';

export { makeFoldersBelow, makePrivateFolder } from './safe-folders.js';
export { isSystemError, toStorageError } from './system-errors.js';
export {
  createFile,
  createFileSync,
  isOwnedByUs,
  openRegularFile,
  openRegularFileSync,
  replaceFile,
  type OpenOptions,
} from './safe-open.js';

/** Far above the size of every file that tankobon reads into memory. */
const MAX_READ_BYTES = 64 * 2 ** 20;

/** A hidden name in the same folder as `file`, so that the rename is atomic. */
export function temporaryName(file: string): string {
  return join(
    dirname(file),
    `.${basename(file).slice(0, 60)}.${randomBytes(6).toString('hex')}.tmp`,
  );
}

/**
 * Writes `data` to `file`, completely or not at all; an existing link is replaced, not followed. The file has exactly
 * `mode` from the first byte on, regardless of the umask; by default the umask decides.
 */
export async function writeFileAtomic(
  file: string,
  data: string | Uint8Array,
  options: { readonly mode?: number } = {},
): Promise<void> {
  const tmpFile = temporaryName(file);
  try {
    const handle = await createFile(tmpFile, options);
    try {
      await handle.writeFile(data);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renameInto(tmpFile, file);
  } catch (error) {
    await rm(tmpFile, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Renames a complete and synced file to its final name, replacing an existing file, and syncs the folder. */
export async function renameInto(
  tmpFile: string,
  file: string,
  options?: BusyRetryOptions,
): Promise<void> {
  await renameFile(tmpFile, file, options);
  await syncFolder(dirname(file));
}

/** Renames, replacing an existing file. Retries for up to 5 seconds while another program has one of the two open. */
export async function renameFile(
  from: string,
  to: string,
  options?: BusyRetryOptions,
): Promise<void> {
  await retryWhileBusy(() => rename(from, to), options);
}

/** Removes a file or link, never a folder; false if it does not exist. Retries for up to 5 seconds while it is busy. */
export async function removeFile(file: string, options?: BusyRetryOptions): Promise<boolean> {
  try {
    await retryWhileBusy(() => unlink(file), options);
    return true;
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}

/** Errors of file systems and platforms that cannot open or sync a folder. */
const NO_FOLDER_SYNC = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EBADF', 'EISDIR'];
/** For a folder that is writable but not readable; on Windows, for any folder. */
const NO_FOLDER_OPEN = ['EACCES', 'EPERM'];

/** Makes renames in `folder` survive a power cut, where the file system can sync folders. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, constants.O_RDONLY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!isSystemError(error, ...NO_FOLDER_SYNC, ...NO_FOLDER_OPEN)) throw error;
  }
}

export interface ReadOptions extends OpenOptions {
  /** A larger file is refused (StorageError `unsafe-path`). Default: 64 MiB. */
  readonly maxBytes?: number;
}

/**
 * The bytes of the file, or undefined if it does not exist. Throws StorageError `unsafe-path` for anything but a
 * regular file of this user (see openRegularFile), without reading from it.
 */
export async function readFileIfExists(
  file: string,
  options: ReadOptions = {},
): Promise<Buffer | undefined> {
  try {
    const handle = await openRegularFile(file, options);
    try {
      if ((await handle.stat()).size > (options.maxBytes ?? MAX_READ_BYTES)) throw tooLarge(file);
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** The synchronous readFileIfExists. */
export function readFileIfExistsSync(file: string, options: ReadOptions = {}): Buffer | undefined {
  try {
    const { descriptor, stats } = openRegularFileSync(file, options);
    try {
      if (stats.size > (options.maxBytes ?? MAX_READ_BYTES)) throw tooLarge(file);
      return readFileSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** Undefined if the file does not exist. */
export async function statIfExists(file: string): Promise<Stats | undefined> {
  try {
    return await stat(file);
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}
