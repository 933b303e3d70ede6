/**
 * Who may use the ledger's folder, and with which rights its files are made. Two ways are safe: a folder that nobody
 * but its owner writes to, with files of 0600; and one that a group shares, setgid, so that its files belong to the
 * group, and not sticky, so that each member can replace what another wrote, with files of 0660.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  unlinkSync,
  type Stats,
} from 'node:fs';
import { StorageError } from '../core/errors.js';
import { temporaryName, createFileSync, isOwnedByUs, isSystemError } from '../core/files.js';
import type { LockFileOptions } from '../core/lock.js';
import { join } from 'node:path';

/** Removes the file, if there is one. A tenth of what rmSync costs, which looks for folders and tries again. */
export function unlinkIfExists(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
}

/** How the files of a folder are opened and made. */
export type FileAccess = LockFileOptions & { readonly mode: number };

const PRIVATE: FileAccess = { mode: 0o600 };
const PRIVATE_FOLDER_MODE = 0o700;
const SETGID = 0o2000;
const STICKY = 0o1000;
const GROUP_WRITE = 0o020;
const WORLD_WRITE = 0o002;

/** Makes the folder where it is missing. Throws StorageError `unsafe-ledger` or `unsafe-path`, and the system's own. */
export function ledgerAccess(folder: string): FileAccess {
  let stats = lstatSync(folder, { throwIfNoEntry: false });
  if (!stats) {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
    stats = lstatSync(folder);
  }
  if (!stats.isDirectory()) {
    const what = stats.isSymbolicLink() ? 'a symbolic link' : 'not a folder';
    throw new StorageError('unsafe-path', `${folder} is ${what} and is not used.`, {
      hint: 'Set TANKOBON_LEDGER to the folder itself.',
    });
  }
  return process.platform === 'win32' ? PRIVATE : accessBy(folder, stats);
}

function accessBy(folder: string, stats: Stats): FileAccess {
  const { mode, gid } = stats;
  const has = (bits: number): boolean => (mode & bits) !== 0;
  if (!has(GROUP_WRITE) && !has(WORLD_WRITE)) {
    if (isOwnedByUs(folder, stats)) return PRIVATE;
    throw unsafe(folder, `belongs to another user (uid ${stats.uid})`);
  }
  if (has(WORLD_WRITE)) {
    if (isWithoutModes(folder)) return PRIVATE;
    throw unsafe(folder, 'can be written by every user of the machine');
  }
  if (has(SETGID) && !has(STICKY)) {
    if (!isMember(gid)) throw unsafe(folder, `belongs to a group that you are not in (gid ${gid})`);
    return { mode: 0o660, isTrusted: (file) => file.gid === gid };
  }
  // What a umask of 002 makes of a folder, where each user has a group of their own.
  if (stats.uid === process.geteuid?.() && gid === process.getegid?.() && !has(STICKY)) {
    makePrivate(folder);
    return PRIVATE;
  }
  throw unsafe(
    folder,
    has(STICKY)
      ? 'is sticky, so that its users cannot replace each other’s files'
      : 'can be written by a group, but its files would not belong to that group',
  );
}

function isMember(gid: number): boolean {
  const groups = [process.getegid?.(), ...(process.getgroups?.() ?? [])];
  return process.geteuid?.() === 0 || groups.includes(gid);
}

/** Some file systems (FAT, CIFS, folders of a Windows host) show one mode for all files, whatever was asked for. */
function isWithoutModes(folder: string): boolean {
  const file = temporaryName(join(folder, 'mode'));
  let descriptor: number;
  try {
    descriptor = createFileSync(file, { mode: PRIVATE.mode });
  } catch (error) {
    if (isSystemError(error, 'EACCES', 'EPERM', 'EROFS')) return false;
    throw error;
  }
  try {
    return (fstatSync(descriptor).mode & WORLD_WRITE) !== 0;
  } finally {
    closeSync(descriptor);
    unlinkSync(file);
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

function unsafe(folder: string, why: string): StorageError {
  const quoted = `'${folder.replaceAll("'", "'\\''")}'`;
  return new StorageError('unsafe-ledger', `The rate ledger is not kept in ${folder}: it ${why}.`, {
    hint: `To share it with a group, its owner types: chgrp GROUP ${quoted} && chmod 2770 ${quoted} && rm -f ${quoted}/ledger.* ${quoted}/*.holder; to keep it to one user: chmod 700 ${quoted}; or set TANKOBON_LEDGER to another folder.`,
  });
}

/** One of our errors for what went wrong in the ledger's folder; what the system says of another's file names its owner. */
export function ledgerError(error: NodeJS.ErrnoException, folder: string): StorageError {
  const file = error.path ?? folder;
  const stats = lstatSync(file, { throwIfNoEntry: false });
  const isForeign = stats !== undefined && stats.uid !== process.geteuid?.();
  const owner = isForeign ? `, which belongs to uid ${stats.uid}` : '';
  return new StorageError(
    'not-writable',
    `The rate ledger cannot be kept: may not use ${file}${owner} (${error.code ?? ''}).`,
    {
      cause: error,
      hint: isForeign
        ? `While no tankobon runs, remove it, with its owner's rights: rm -f '${file}'; or set TANKOBON_LEDGER to another folder.`
        : 'Set TANKOBON_LEDGER, or TANKOBON_HOME, to a folder that you may write to.',
    },
  );
}
