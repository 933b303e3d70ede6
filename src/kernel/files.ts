/**
 * Files that are whole or absent: written aside, synced, renamed, and the folder synced too, so that neither
 * a kill nor a power cut leaves half of one under its final name.
 */
import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StorageError } from './errors.js';

/** The name to write to before `file` exists: hidden, in the same folder, so that the rename is one step. */
export function asideName(file: string): string {
  return join(
    dirname(file),
    `.${basename(file).slice(0, 60)}.${randomBytes(6).toString('hex')}.tmp`,
  );
}

/** Writes `data` as `file`, whole or not at all. `mode` is the file's from the first byte on. */
export async function writeWhole(
  file: string,
  data: string | Uint8Array,
  options: { readonly mode?: number } = {},
): Promise<void> {
  const aside = asideName(file);
  try {
    const handle = await open(
      aside,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
      options.mode ?? 0o666,
    );
    try {
      await handle.writeFile(data);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await putInPlace(aside, file);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

/** Gives a file that is complete and synced its final name, replacing what stood there, and syncs the folder. */
export async function putInPlace(aside: string, file: string): Promise<void> {
  await rename(aside, file);
  await syncFolder(dirname(file));
}

/** Makes a rename in `folder` outlast a power cut, where the platform lets a folder be synced. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, constants.O_RDONLY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (process.platform !== 'win32') throw error;
  }
}

/** The file's bytes, or `undefined` where there is no such file. */
export async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** The file's facts, or `undefined` where there is nothing. */
export async function statIfThere(file: string): Promise<Stats | undefined> {
  try {
    return await stat(file);
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** Whether `error` came from the operating system with one of these names, such as `ENOENT`. */
export function isSystemError(
  error: unknown,
  ...names: readonly string[]
): error is NodeJS.ErrnoException {
  // Not `instanceof Error`: the system's errors may come from another realm than this module's.
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return typeof error.code === 'string' && names.includes(error.code);
}

/** Turns what the operating system says of `file` into one of our errors; anything else passes unchanged. */
export function asStorageError(error: unknown, file: string): unknown {
  if (isSystemError(error, 'ENOSPC', 'EDQUOT')) {
    return new StorageError('disk-full', `No room left to write ${file}.`, { cause: error });
  }
  if (isSystemError(error, 'ENAMETOOLONG')) {
    return new StorageError('name-too-long', `The name is too long for the file system: ${file}`, {
      cause: error,
    });
  }
  if (isSystemError(error, 'EISDIR', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) {
    return new StorageError('name-taken', `Something else stands at ${file}.`, { cause: error });
  }
  if (isSystemError(error, 'EACCES', 'EPERM', 'EROFS', 'EMFILE', 'ENFILE', 'EIO')) {
    return new StorageError('not-writable', `May not write ${file} (${error.code ?? ''}).`, {
      cause: error,
    });
  }
  return error;
}
