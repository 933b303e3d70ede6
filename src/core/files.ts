/**
 * Files that are whole or absent: written aside, synced, renamed, and the folder synced too, so that neither
 * a kill nor a power cut leaves half of one under its final name. What is opened here is opened safely: see
 * safe-open.ts for why.
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

/** Nothing that tankobon reads as a whole is nearly as large; a larger file was not written by it. */
const MAX_READ_BYTES = 64 * 2 ** 20;

/** The name to write to before `file` exists: hidden, in the same folder, so that the rename is one step. */
export function temporaryName(file: string): string {
  return join(
    dirname(file),
    `.${basename(file).slice(0, 60)}.${randomBytes(6).toString('hex')}.tmp`,
  );
}

/**
 * Writes `data` as `file`, whole or not at all; a link in its place is replaced, not followed. `mode` is the
 * file's from the first byte on, whatever the umask; without it the umask decides.
 */
export async function writeFileAtomic(
  file: string,
  data: string | Uint8Array,
  options: { readonly mode?: number } = {},
): Promise<void> {
  const aside = temporaryName(file);
  try {
    const handle = await createFile(aside, options);
    try {
      await handle.writeFile(data);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renameInto(aside, file);
  } catch (error) {
    // What cannot be removed is worth less than the reason.
    await rm(aside, { force: true }).catch(() => undefined);
    throw error;
  }
}

/**
 * Gives a file that is complete and synced its final name, replacing what stood there, and syncs the folder.
 * Tries again as renameFile does.
 */
export async function renameInto(
  aside: string,
  file: string,
  options?: BusyRetryOptions,
): Promise<void> {
  await renameFile(aside, file, options);
  await syncFolder(dirname(file));
}

/** Renames, replacing what stood there. Tries again for up to 5 seconds while another program has one of the two open. */
export async function renameFile(
  from: string,
  to: string,
  options?: BusyRetryOptions,
): Promise<void> {
  await retryWhileBusy(() => rename(from, to), options);
}

/** Removes the file or link, never a folder, if there is one. Tries again for up to 5 seconds while it is busy. */
export async function removeFile(file: string, options?: BusyRetryOptions): Promise<boolean> {
  try {
    await retryWhileBusy(() => unlink(file), options);
    return true;
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}

/** What a file system or a platform answers that does not let a folder be opened or synced. */
const NO_FOLDER_SYNC = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EBADF', 'EISDIR'];
/** A folder that may be written to, but not read; on Windows, any folder. */
const NO_FOLDER_OPEN = ['EACCES', 'EPERM'];

/** Makes a rename in `folder` outlast a power cut, where the file system lets a folder be synced. */
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
  /** A larger file is refused (StorageError `unsafe-path`); 64 MiB where not given. */
  readonly maxBytes?: number;
}

/**
 * The file's bytes, or `undefined` where there is no such file. Throws StorageError `unsafe-path` for anything but
 * a regular file of ours (see openRegularFile), at once and without reading from it.
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

/** The same as readIfThere, synchronously. */
export function readIfThereSync(file: string, options: ReadOptions = {}): Buffer | undefined {
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

/** The file's facts, or `undefined` where there is nothing. */
export async function statIfExists(file: string): Promise<Stats | undefined> {
  try {
    return await stat(file);
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}
