/**
 * A login in a file, for machines without a keychain and for users who ask for it: mode 0600 in the state folder,
 * written atomically.
 */
import { dirname } from 'node:path';
import { AuthError, hasCode, StorageError } from '../../core/errors.js';
import {
  makeFolders,
  readFileIfExists,
  removeFile,
  removeLeftoverTemporaries,
  toStorageError,
  writeFileAtomic,
} from '../../core/files.js';
import { PRIVATE_FOLDER_MODE } from '../../core/own-folder.js';
import { LOGIN_FORMAT, type CredentialStore } from './login-record.js';

/** A login is never this long. */
const MAX_FILE_BYTES = 256 * 1024;

/** The store of one login in `file`. Its folder is created when it is needed. */
export function fileCredentialStore(file: string): CredentialStore {
  return {
    kind: 'file',
    description: `the file ${file}, unencrypted`,
    checkWritable: () => makeCredentialsFolder(dirname(file)),
    async read() {
      const text = await readPrivateFile(file);
      if (text === undefined) return undefined;
      const { parseLoginFile } = await import('./login-schema.js');
      const login = parseLoginFile(text);
      if (login) return login;
      throw new AuthError('credentials-damaged', `The file with the login is damaged: ${file}`);
    },
    async write(login) {
      await makeCredentialsFolder(dirname(file));
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
export async function writePrivateFile(file: string, text: string): Promise<void> {
  // writeFileAtomic looks once in each process, and a sync may run for months.
  await removeLeftoverTemporaries(dirname(file));
  return naming(file, writeFileAtomic(file, text, { mode: 0o600 }));
}

/** Undefined if the file does not exist. Throws `credentials-damaged` for a file that is not a credentials file. */
export async function readPrivateFile(file: string): Promise<string | undefined> {
  try {
    return (await readFileIfExists(file, { maxBytes: MAX_FILE_BYTES }))?.toString('utf8');
  } catch (error) {
    const message = hasCode(error) ? error.message : `The file cannot be opened: ${file}`;
    throw new AuthError('credentials-damaged', message, { cause: error });
  }
}

export async function makeCredentialsFolder(folder: string): Promise<void> {
  await naming(
    folder,
    Promise.resolve().then(() => makeFolders(folder, PRIVATE_FOLDER_MODE)),
  );
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
