/**
 * A login in a file, for machines without a keychain and for users who ask for it: mode 0600 in a folder of mode 0700,
 * written atomically. A file that other users can read is refused.
 */
import type { Stats } from 'node:fs';
import { stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AuthError, hasCode, StorageError } from '../core/errors.js';
import {
  isOwnedByUs,
  isSystemError,
  makePrivateFolder as makeFolder,
  openRegularFile,
  removeFile,
  removeLeftoverTemporaries,
  toStorageError,
  writeFileAtomic,
} from '../core/files.js';
import { LOGIN_FORMAT, type CredentialStore } from './login-record.js';

const OTHERS = 0o077;
const MAX_FILE_BYTES = 256 * 1024;

/** The store of one login in `file`. Its folder is created when it is needed. */
export function fileCredentialStore(file: string): CredentialStore {
  return {
    kind: 'file',
    description: `the file ${file}, unencrypted`,
    checkWritable: () => makePrivateFolder(dirname(file)),
    async read() {
      const text = await readPrivateFile(file);
      if (text === undefined) return undefined;
      const { parseLoginFile } = await import('./login-schema.js');
      const login = parseLoginFile(text);
      if (login) return login;
      throw new AuthError('credentials-damaged', `The file with the login is damaged: ${file}`);
    },
    async write(login) {
      await makePrivateFolder(dirname(file));
      await writePrivateFile(
        file,
        `${JSON.stringify({ format: LOGIN_FORMAT, login }, undefined, 2)}\n`,
      );
    },
    async clear() {
      await removeLeftoverTemporaries(dirname(file));
      return naming(file, removeFile(file));
    },
  };
}

/** Storage errors name the file. */
export function writePrivateFile(file: string, text: string): Promise<void> {
  return naming(file, writeFileAtomic(file, text, { mode: 0o600 }));
}

async function naming<T>(file: string, operation: Promise<T>): Promise<T> {
  return operation.catch((error: unknown) => {
    const named = toStorageError(error, file);
    if (!hasCode(named, 'not-writable')) throw named;
    throw new StorageError('not-writable', named.message, {
      cause: error,
      hint: 'Check its permissions, or set TANKOBON_HOME to another folder.',
    });
  });
}

/** As in core, with AuthError `credentials-exposed` where other users keep their rights on the folder. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await naming(folder, makeFolder(folder));
  if (isOpenToOthers(await naming(folder, stat(folder)))) {
    throw exposed(
      folder,
      'other users can read it, and its mode cannot be changed',
      'Set TANKOBON_HOME to a folder on a file system with modes, such as that of a local disk.',
    );
  }
}

/** Undefined where there is no file. The checks are made on the open file, not on its name. */
export async function readPrivateFile(file: string): Promise<string | undefined> {
  const handle = await openFile(file);
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    if (!isOwnedByUs(file, stats)) throw exposed(file, 'it belongs to another user');
    if (isOpenToOthers(stats) || isOpenToOthers(await stat(dirname(file)))) {
      throw exposed(file, 'other users can read it');
    }
    // A login is never this long.
    if (stats.size > MAX_FILE_BYTES) return '';
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

async function openFile(file: string): Promise<FileHandle | undefined> {
  try {
    // The caller checks the owner, for an error of its own.
    return await openRegularFile(file, { isTrusted: () => true });
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined;
    if (hasCode(error, 'unsafe-path') && isSystemError(error.cause, 'ELOOP', 'EMLINK')) {
      throw exposed(file, 'it is a symbolic link');
    }
    const message = hasCode(error) ? error.message : `The file cannot be opened: ${file}`;
    throw new AuthError('credentials-damaged', message, { cause: error });
  }
}

function isOpenToOthers({ mode }: Stats): boolean {
  return process.platform !== 'win32' && (mode & OTHERS) !== 0;
}

function exposed(path: string, reason: string, hint?: string): AuthError {
  return new AuthError('credentials-exposed', `${path} is not used: ${reason}`, { hint });
}
