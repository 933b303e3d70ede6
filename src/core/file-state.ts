/**
 * Changes to files that another program may change at the same time: each asks right before it whether the file is still
 * the one that was read, and none is made to a file of another user.
 */
import { lstat, type BigIntStats } from 'node:fs';
import { promisify } from 'node:util';
import { StorageError } from './errors.js';
import {
  haveSameBytes,
  ifMissing,
  isSystemError,
  OTHER_USER_HINT,
  removeFile,
  renameInto,
} from './files.js';
import { publishNew } from './publish.js';
import { copyRights, isOwnFile, type FileOwner } from './safe-open.js';
import { inFolderOf, isSameEntry, relationOf, respell } from './same-file.js';

/** Throws StorageError `unsafe-path` for a file of another user, which is never changed. */
export function assertOwnFile(file: string, owner: FileOwner): void {
  if (isOwnFile(file, owner)) return;
  const message = `${file} belongs to another user (uid ${owner.uid}) and is not changed.`;
  throw new StorageError('unsafe-path', message, { hint: OTHER_USER_HINT });
}

/** Another program that writes to a regular file, or replaces it, changes at least one of the first four. */
export type FileState = Pick<
  BigIntStats,
  'dev' | 'ino' | 'size' | 'mtimeNs' | 'mode' | 'uid' | 'gid'
>;

/** A scan calls it for each file: that of node:fs/promises takes twice the processor time. */
const statLink = promisify(lstat);

/** Undefined for anything but a regular file; links are not followed. */
export async function readFileState(file: string): Promise<FileState | undefined> {
  const stats = await statLink(file, { bigint: true }).catch(ifMissing);
  return stats?.isFile() ? toFileState(stats) : undefined;
}

/** Without the other numbers of BigIntStats, which would stay in memory for each of thousands of files. */
export function toFileState({ dev, ino, size, mtimeNs, mode, uid, gid }: FileState): FileState {
  return { dev, ino, size, mtimeNs, mode, uid, gid };
}

/** Whether the file is still the one that was in this state. Throws as assertOwnFile does. */
export async function isUnchanged(file: string, before: FileState): Promise<boolean> {
  const now = await readFileState(file);
  if (now) assertOwnFile(file, now);
  return (['dev', 'ino', 'size', 'mtimeNs'] as const).every((name) => now?.[name] === before[name]);
}

/**
 * Renames a complete file to `file`, whose rights it gets (see copyRights), unless that is not in the state `before` any more: then
 * it resolves with false. `maxMode`: the most rights that it gets.
 */
export async function replaceUnchanged(
  tmpFile: string,
  file: string,
  before: FileState,
  maxMode?: number,
): Promise<boolean> {
  await copyRights(file, before, tmpFile, maxMode);
  return renameUnchanged(tmpFile, file, before);
}

/** Does what replaceUnchanged does, with a file that has its rights already. */
export async function renameUnchanged(
  tmpFile: string,
  file: string,
  before: FileState,
): Promise<boolean> {
  if (!(await isUnchanged(file, before))) return false;
  await renameInto(tmpFile, file);
  return true;
}

/**
 * Gives a complete file a new name in place of `file`, which is removed; throws StorageError `file-changed` if that is
 * not in the state `state` any more. False if another file has the name: one with the same bytes is the result of a
 * killed run.
 */
export async function publishAs(
  tmpFile: string,
  target: string,
  { file, state }: { readonly file: string; readonly state: FileState },
): Promise<boolean> {
  await copyRights(file, state, tmpFile);
  if (!(await isUnchanged(file, state))) throw fileChanged(file);
  const path = await inFolderOf(file, target);
  if (await isSameEntry(file, path)) {
    await respell(file, path);
    await replaceRenamed(tmpFile, path, state);
    return true;
  }
  const isNew = await publishNew(tmpFile, path);
  if (!isNew && !(await haveSameBytes(tmpFile, path))) return false;
  if (!(await isUnchanged(file, state))) {
    if (isNew) await removeFile(path);
    throw fileChanged(file);
  }
  await removeFile(file);
  return true;
}

/** Renames `file` as publishAs does, with the bytes that it has. */
export async function moveUnchanged(
  target: string,
  { file, state }: { readonly file: string; readonly state: FileState },
): Promise<boolean> {
  if (!(await isUnchanged(file, state))) throw fileChanged(file);
  const path = await inFolderOf(file, target);
  if (await isSameEntry(file, path)) {
    await respell(file, path);
    return true;
  }
  if (await publishNew(file, path)) return true;
  if (!(await haveSameBytes(file, path))) return false;
  await removeFile(file);
  return true;
}

/**
 * Puts a complete file into the place of `file`, under the first of the names that no other file has; resolves with that
 * name. `file` is renamed first, and then replaced in one step: a killed run leaves it whole, and a later one replaces it
 * there. Throws StorageError `file-changed` if `file` is not in the state `state` any more.
 */
export async function replaceAs(
  tmpFile: string,
  names: Iterable<string>,
  { file, state }: { readonly file: string; readonly state: FileState },
): Promise<string> {
  for (const name of names) {
    if (name === file) break;
    if (!(await isUnchanged(file, state))) throw fileChanged(file);
    const path = await inFolderOf(file, name);
    const relation = await relationOf(file, path);
    if (relation === 'one-name') await respell(file, path);
    // A run that was killed while it renamed the file left it under both.
    else if (relation === 'two-names') await removeFile(file);
    else {
      const isRenamed = await publishNew(file, path).catch(ifOtherDevice);
      if (isRenamed !== true) {
        if (await publishAs(tmpFile, path, { file, state })) return name;
        continue;
      }
    }
    await replaceRenamed(tmpFile, path, state);
    return name;
  }
  if (await replaceUnchanged(tmpFile, file, state)) return file;
  throw fileChanged(file);
}

/** Undefined if the file cannot be renamed, since its new folder is on another device. */
function ifOtherDevice(error: unknown): undefined {
  if (!isSystemError(error, 'EXDEV')) throw error;
  return undefined;
}

/** Where a file system has no inodes, the file may have got another number with its new name. */
async function replaceRenamed(tmpFile: string, file: string, before: FileState): Promise<void> {
  const state = await readFileState(file);
  const isSame = state?.size === before.size && state.mtimeNs === before.mtimeNs;
  if (!isSame || !(await replaceUnchanged(tmpFile, file, state))) throw fileChanged(file);
}

/** The error for a file that isUnchanged or replaceUnchanged refused. */
export function fileChanged(file: string): StorageError {
  return new StorageError('file-changed', `Another program changed the file meanwhile: ${file}`, {
    path: file,
  });
}
