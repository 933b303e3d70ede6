/**
 * Changes to files that another program may change at the same time: each asks right before it whether the file is still
 * the one that was read, and none is made to a file of another user.
 */
import type { BigIntStats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { StorageError } from './errors.js';
import { haveSameBytes, isSystemError, OTHER_USER_HINT, removeFile, renameInto } from './files.js';
import { publishNew } from './publish.js';
import { copyRights, isOwnFile, type FileOwner } from './safe-open.js';

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

/** Undefined for anything but a regular file; links are not followed. */
export async function readFileState(file: string): Promise<FileState | undefined> {
  try {
    const stats = await lstat(file, { bigint: true });
    return stats.isFile() ? stats : undefined;
  } catch (error) {
    if (!isSystemError(error, 'ENOENT', 'ENOTDIR')) throw error;
    return undefined;
  }
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
  const isNew = await publishNew(tmpFile, target);
  if (!isNew && !(await haveSameBytes(tmpFile, target))) return false;
  if (!(await isUnchanged(file, state))) {
    if (isNew) await removeFile(target);
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
  if (await publishNew(file, target)) return true;
  if (!(await haveSameBytes(file, target))) return false;
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
    if (await isUnchanged(name, state)) {
      // Some file systems find the file under another spelling of its name too.
      if (!(await areTwoNames(file, name))) break;
      // A run that was killed while it renamed the file left it under both.
      await removeFile(file);
    } else {
      const isRenamed = await publishNew(file, name).catch(ifOtherDevice);
      if (isRenamed !== true) {
        if (await publishAs(tmpFile, name, { file, state })) return name;
        continue;
      }
    }
    return replaceRenamed(tmpFile, name, state);
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
async function replaceRenamed(tmpFile: string, file: string, before: FileState): Promise<string> {
  const state = await readFileState(file);
  const isSame = state?.size === before.size && state.mtimeNs === before.mtimeNs;
  if (isSame && (await replaceUnchanged(tmpFile, file, state))) return file;
  throw fileChanged(file);
}

/** Whether these are two names of a file, and not two spellings of one. */
async function areTwoNames(file: string, other: string): Promise<boolean> {
  const [folder, otherFolder] = [await stat(dirname(file)), await stat(dirname(other))];
  if (folder.dev !== otherFolder.dev || folder.ino !== otherFolder.ino) return true;
  const names = await readdir(dirname(file));
  return names.includes(basename(file)) && names.includes(basename(other));
}

/** The error for a file that isUnchanged or replaceUnchanged refused. */
export function fileChanged(file: string): StorageError {
  return new StorageError('file-changed', `Another program changed the file meanwhile: ${file}`);
}
