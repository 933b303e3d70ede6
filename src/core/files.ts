/**
 * Reads and writes files. A file is written under a temporary name, synced and renamed, and its folder synced, so that
 * neither a kill nor a power cut leaves an incomplete file under its final name.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, constants, readFileSync, type Stats } from 'node:fs';
import { lstat, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { retryWhileBusy } from './busy-retry.js';
import {
  createFile,
  openRegularFile,
  openRegularFileSync,
  tooLarge,
  type OpenOptions,
} from './safe-open.js';
import { isSystemError } from './system-errors.js';

export { makeFolders, makeFoldersBelow, makePrivateFolder } from './safe-folders.js';
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

/** An older file of a process is a leftover. By the clock of the machine that wrote it, which may be wrong by hours. */
export const MIN_LEFTOVER_AGE_MS = 2 * 24 * 60 * 60_000;
const TEMPORARY_NAME = /^\.(?:(.+)\.)?[0-9a-f]{12}\.tmp$/;

/** A hidden name in the same folder as `file`, so that the rename is atomic. */
export function temporaryName(file: string): string {
  const mark = randomBytes(6).toString('hex');
  return join(dirname(file), `.${shortName(file)}.${mark}.tmp`);
}

function shortName(file: string): string {
  return basename(file).slice(0, 60);
}

/**
 * Removes the temporary files of `file`, or of all files in `folder`, that killed processes have left. `minAgeMs` is by
 * the wall clock; 0 where a lock excludes other writers. Never rejects.
 */
export async function removeLeftovers(
  of: { readonly file: string } | { readonly folder: string },
  minAgeMs = MIN_LEFTOVER_AGE_MS,
): Promise<void> {
  const folder = 'file' in of ? dirname(of.file) : of.folder;
  for (const name of await readdir(folder).catch(() => [])) {
    const [isTemporary, writtenName] = TEMPORARY_NAME.exec(name) ?? [];
    if (!isTemporary || ('file' in of && writtenName !== shortName(of.file))) continue;
    const path = join(folder, name);
    const { mtimeMs = Infinity } = (await lstat(path).catch(() => undefined)) ?? {};
    if (Date.now() - mtimeMs >= minAgeMs) await unlink(path).catch(() => undefined);
  }
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
    await removeLeftovers({ file });
  } catch (error) {
    await rm(tmpFile, { force: true }).catch(() => undefined);
    throw error;
  }
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
function ifMissing(error: unknown): undefined {
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
  const handle = await openRegularFile(file, options).catch(ifMissing);
  if (!handle) return undefined;
  try {
    if ((await handle.stat()).size > (options.maxBytes ?? MAX_READ_BYTES)) throw tooLarge(file);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** The synchronous readFileIfExists. */
export function readFileIfExistsSync(file: string, options: ReadOptions = {}): Buffer | undefined {
  let opened: ReturnType<typeof openRegularFileSync>;
  try {
    opened = openRegularFileSync(file, options);
  } catch (error) {
    ifMissing(error);
    return undefined;
  }
  try {
    if (opened.stats.size > (options.maxBytes ?? MAX_READ_BYTES)) throw tooLarge(file);
    return readFileSync(opened.descriptor);
  } finally {
    closeSync(opened.descriptor);
  }
}

/** Undefined if the file does not exist. */
export async function statIfExists(file: string): Promise<Stats | undefined> {
  return stat(file).catch(ifMissing);
}
