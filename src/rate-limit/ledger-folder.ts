/** The folder of the ledger belongs to one user; its errors have hints about the ledger. */
import { lstatSync, type Stats } from 'node:fs';
import { ERROR_CODES } from '../core/error-codes.js';
import { StorageError } from '../core/errors.js';
import {
  isOwnedByUs,
  isSystemError,
  makeFolders,
  statNewFile,
  toStorageError,
} from '../core/files.js';
import { OTHERS_WRITE, PRIVATE_FOLDER_MODE } from '../core/own-folder.js';

export const SHARE_HINT =
  'To share the limits among users or machines, set on all of them for example: TANKOBON_LEDGER=redis://nas.local:6379/0';
const OTHER_FOLDER = 'Set TANKOBON_LEDGER, or TANKOBON_HOME, to a folder that you can write to.';
/** Codes whose own hints are about the output folder. */
const CODES_WITH_OUTPUT_HINT = new Set([
  'not-writable',
  'name-taken',
  'name-too-long',
  'storage-failed',
]);

/** Creates the folder if missing. Throws StorageError `unsafe-ledger` or `unsafe-path`, and system errors. */
export function makeLedgerFolder(folder: string): void {
  if (!isLedgerFolder(folder)) makeFolders(folder, PRIVATE_FOLDER_MODE);
}

/** False if it is missing. Throws as makeLedgerFolder does. */
export function isLedgerFolder(folder: string): boolean {
  const stats = statOf(folder);
  if (!stats) return false;
  if (!stats.isDirectory()) {
    const kind = stats.isSymbolicLink() ? 'a symbolic link' : 'not a folder';
    throw new StorageError('unsafe-path', `${folder} is ${kind} and is not used.`, {
      hint: 'Set TANKOBON_LEDGER to the folder itself.',
    });
  }
  if (process.platform === 'win32') return true;
  if (!isOwnedByUs(folder, stats)) {
    throw sharedFolderError(folder, `belongs to another user (uid ${stats.uid})`, SHARE_HINT);
  }
  const isWritable = (stats.mode & OTHERS_WRITE) !== 0;
  // Some file systems show one mode for all files: FAT, CIFS, folders of a Windows host.
  if (isWritable && (statNewFile(folder).mode & OTHERS_WRITE) === 0) {
    const hint = `To keep it to one user: chmod 700 '${folder.replaceAll("'", "'\\''")}'. ${SHARE_HINT}`;
    throw sharedFolderError(folder, 'is writable by other users', hint);
  }
  return true;
}

/** Undefined only if nothing is there: a file in the place of a folder above is an error. */
function statOf(folder: string): Stats | undefined {
  try {
    return lstatSync(folder);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function sharedFolderError(folder: string, reason: string, hint: string): StorageError {
  return new StorageError('unsafe-ledger', `The folder of the rate ledger ${reason}: ${folder}`, {
    hint,
  });
}

/** Turns an error of a file operation in the ledger's folder into one with a hint about the ledger. */
export function toLedgerError(error: unknown, folder: string): unknown {
  if (isSystemError(error, 'EACCES', 'EPERM', 'EROFS')) {
    const message = `The rate ledger cannot be used: no access to ${error.path ?? folder} (${error.code ?? ''}).`;
    return new StorageError('not-writable', message, { cause: error, hint: OTHER_FOLDER });
  }
  const ours = toStorageError(error, folder);
  if (!(ours instanceof StorageError) || !CODES_WITH_OUTPUT_HINT.has(ours.code)) return ours;
  if (ours.hint !== ERROR_CODES[ours.code].hint) return ours;
  return new StorageError(ours.code, `The rate ledger cannot be used. ${ours.message}`, {
    cause: ours,
    hint: OTHER_FOLDER,
  });
}
