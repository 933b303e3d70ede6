/**
 * Who may use the ledger's folder, and the modes of its files. Two kinds of folders are safe: one that only its owner
 * may write to, with files of mode 0600; and one shared by a group, setgid, so that its files belong to the group, and
 * not sticky, so that members can replace each other's files, with files of mode 0660.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  openSync,
  unlinkSync,
  type Stats,
} from 'node:fs';
import { ERROR_CODES } from '../core/error-codes.js';
import { StorageError } from '../core/errors.js';
import {
  isOwnedByUs,
  isSystemError,
  makeFolders,
  statNewFile,
  toStorageError,
} from '../core/files.js';
import type { LockFileOptions } from '../core/lock.js';

/** Removes the file if it exists. rmSync, which also handles folders and retries, takes ten times longer. */
export function unlinkIfExists(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
}

/** How the files of the folder are opened and created. */
export type FileAccess = LockFileOptions & { readonly mode: number };

const PRIVATE: FileAccess = { mode: 0o600 };
const PRIVATE_FOLDER_MODE = 0o700;
const SETGID = 0o2000;
const STICKY = 0o1000;
const GROUP_WRITE = 0o020;
const WORLD_WRITE = 0o002;

/** Creates the folder if missing. Throws StorageError `unsafe-ledger` or `unsafe-path`, and system errors. */
export function ledgerAccess(folder: string): FileAccess {
  let stats = lstatSync(folder, { throwIfNoEntry: false });
  if (!stats) {
    makeFolders(folder, PRIVATE_FOLDER_MODE);
    stats = lstatSync(folder);
  }
  if (!stats.isDirectory()) {
    const kind = stats.isSymbolicLink() ? 'a symbolic link' : 'not a folder';
    throw new StorageError('unsafe-path', `${folder} is ${kind} and is not used.`, {
      hint: 'Set TANKOBON_LEDGER to the folder itself.',
    });
  }
  return process.platform === 'win32' ? PRIVATE : accessFor(folder, stats);
}

function accessFor(folder: string, stats: Stats): FileAccess {
  const { mode, gid } = stats;
  const has = (bits: number): boolean => (mode & bits) !== 0;
  if (!has(GROUP_WRITE) && !has(WORLD_WRITE)) {
    if (isOwnedByUs(folder, stats)) return PRIVATE;
    throw unsafeLedgerError(folder, `it belongs to another user (uid ${stats.uid})`);
  }
  if (has(WORLD_WRITE)) {
    if (isWithoutModes(folder)) return PRIVATE;
    throw unsafeLedgerError(folder, 'every user of the machine can write to it');
  }
  if (has(STICKY)) {
    throw unsafeLedgerError(folder, 'it is sticky, so its users cannot replace each other’s files');
  }
  if (has(SETGID)) {
    if (isMember(gid)) return { mode: 0o660, isTrusted: (file) => file.gid === gid };
    throw unsafeLedgerError(folder, `it belongs to a group that you are not in (gid ${gid})`);
  }
  // The result of a umask of 002 where every user has a group of their own.
  if (stats.uid === process.geteuid?.() && gid === process.getegid?.()) {
    makePrivate(folder);
    return PRIVATE;
  }
  throw unsafeLedgerError(
    folder,
    'a group can write to it, but its files would not belong to that group',
  );
}

function isMember(gid: number): boolean {
  const groups = [process.getegid?.(), ...(process.getgroups?.() ?? [])];
  return process.geteuid?.() === 0 || groups.includes(gid);
}

/** Whether the file system shows one mode for all files (FAT, CIFS, folders of a Windows host). */
function isWithoutModes(folder: string): boolean {
  try {
    return (statNewFile(folder).mode & WORLD_WRITE) !== 0;
  } catch (error) {
    if (isSystemError(error, 'EACCES', 'EPERM', 'EROFS')) return false;
    throw error;
  }
}

function makePrivate(folder: string): void {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const descriptor = openSync(folder, flags);
  try {
    fchmodSync(descriptor, PRIVATE_FOLDER_MODE);
  } finally {
    closeSync(descriptor);
  }
}

function unsafeLedgerError(folder: string, reason: string): StorageError {
  const quoted = `'${folder.replaceAll("'", "'\\''")}'`;
  return new StorageError(
    'unsafe-ledger',
    `The rate ledger cannot be kept safely in ${folder}: ${reason}.`,
    {
      hint: `To share it with a group, run as its owner: chgrp GROUP ${quoted} && chmod 2770 ${quoted} && rm -f ${quoted}/ledger.* ${quoted}/*.process; to keep it to one user: chmod 700 ${quoted}; or set TANKOBON_LEDGER to another folder.`,
    },
  );
}

const OTHER_FOLDER = 'Set TANKOBON_LEDGER, or TANKOBON_HOME, to a folder that you can write to.';
/** Codes whose own hints are about the output folder. */
const CODES_WITH_OUTPUT_HINT = new Set([
  'not-writable',
  'name-taken',
  'name-too-long',
  'storage-failed',
]);

/** Turns an error of a file operation in the ledger's folder into one with a hint about the ledger. */
export function toLedgerError(error: unknown, folder: string): unknown {
  if (isSystemError(error, 'EACCES', 'EPERM', 'EROFS')) return accessError(error, folder);
  const ours = toStorageError(error, folder);
  if (!(ours instanceof StorageError) || !CODES_WITH_OUTPUT_HINT.has(ours.code)) return ours;
  if (ours.hint !== ERROR_CODES[ours.code].hint) return ours;
  return new StorageError(ours.code, `The rate ledger cannot be used. ${ours.message}`, {
    cause: ours,
    hint: OTHER_FOLDER,
  });
}

/** Names the owner of another user's file. */
function accessError(error: NodeJS.ErrnoException, folder: string): StorageError {
  const file = error.path ?? folder;
  const uid = ownerOf(file);
  const isOthers = uid !== undefined && uid !== process.geteuid?.();
  const owner = isOthers ? `, which belongs to uid ${uid}` : '';
  return new StorageError(
    'not-writable',
    `The rate ledger cannot be used: no access to ${file}${owner} (${error.code ?? ''}).`,
    {
      cause: error,
      hint: isOthers
        ? `While no tankobon is running, remove it as its owner: rm -f '${file}'; or set TANKOBON_LEDGER to another folder.`
        : OTHER_FOLDER,
    },
  );
}

/** Undefined if it is missing, or in a folder that cannot be searched. */
function ownerOf(file: string): number | undefined {
  try {
    return lstatSync(file).uid;
  } catch {
    return undefined;
  }
}
