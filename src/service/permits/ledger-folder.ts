/** The folder of the ledger belongs to one user; its errors have hints about the ledger. */
import { ERROR_CODES } from '../../core/error-codes.js';
import { StorageError } from '../../core/errors.js';
import { isSystemError, toStorageError } from '../../core/files.js';
import { exposureOf, OTHERS_WRITE } from '../../core/own-folder.js';

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

/**
 * Throws StorageError `unsafe-ledger` if other users can write to the folder, and system errors. On a file system without
 * modes (FAT, CIFS, folders of a Windows host) they may be able to.
 */
export function checkLedgerFolder(folder: string): void {
  const exposure = exposureOf(folder, OTHERS_WRITE);
  if (!exposure?.hasModes) return;
  const message = `The folder of the rate ledger is not used, ${exposure.reason}: ${folder}`;
  const hint = `Use a folder of one user (chmod 700). ${SHARE_HINT}`;
  throw new StorageError('unsafe-ledger', message, { hint });
}

/** Turns an error of a file operation in the ledger's folder into one with a hint about the ledger. */
export function toLedgerError(error: unknown, folder: string): unknown {
  const path = isSystemError(error, 'EACCES', 'EPERM', 'EROFS') ? (error.path ?? folder) : folder;
  const cause = toStorageError(error, path);
  if (!(cause instanceof StorageError) || !CODES_WITH_OUTPUT_HINT.has(cause.code)) return cause;
  if (cause.hint !== ERROR_CODES[cause.code].hint) return cause;
  const message = `The rate ledger cannot be used. ${cause.message}`;
  return new StorageError(cause.code, message, { cause, hint: OTHER_FOLDER });
}
