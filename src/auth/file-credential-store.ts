/**
 * A login in a file, for machines without a keychain and users who ask for it: 0600 in a folder of mode 0700,
 * written aside and renamed, and not believed to be secret once others can read it.
 */
import type { Stats } from 'node:fs';
import { stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AuthError, hasCode } from '../core/errors.js';
import {
  toStorageError,
  isOwnedByUs,
  isSystemError,
  makePrivateFolder as makeFolder,
  openRegularFile,
  removeFile,
  writeFileAtomic,
} from '../core/files.js';
import type { CredentialStore } from './credential-store.js';
import { parseLogin, type Login } from './login-record.js';

const FORMAT = 1;
const FILE_MODE = 0o600;
const OTHERS = 0o077;
const MOST_FILE_BYTES = 256 * 1024;

/** The store of one login in `file`; its folder is made when it is first needed. */
export function fileCredentialStore(file: string): CredentialStore {
  return {
    kind: 'file',
    description: `the file ${file}, unencrypted`,
    async checkWritable() {
      await makePrivateFolder(dirname(file));
    },
    async read() {
      const text = await readPrivately(file);
      if (text === undefined) return undefined;
      const login = parseLogin(recordIn(text));
      if (login) return login;
      throw new AuthError('credentials-damaged', `${file} holds no login that can be read.`);
    },
    async write(login: Login) {
      await makePrivateFolder(dirname(file));
      const text = `${JSON.stringify({ format: FORMAT, login }, undefined, 2)}\n`;
      await writeFileAtomic(file, text, { mode: FILE_MODE }).catch((error: unknown) => {
        throw toStorageError(error, file);
      });
    },
    async clear() {
      return removeFile(file).catch((error: unknown) => {
        throw toStorageError(error, file);
      });
    },
  };
}

/**
 * Makes the folder where it is missing, and takes others' rights away where it is there. A link, and a folder that
 * stays open to others, are refused.
 */
export async function makePrivateFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    if (isOpenToOthers(await stat(folder))) {
      throw exposed(
        folder,
        'can be read by other users of this machine, and that cannot be changed',
      );
    }
  } catch (error) {
    throw toStorageError(error, folder);
  }
}

/** The file's text; undefined where there is none. What is judged is the file opened, not the name. */
async function readPrivately(file: string): Promise<string | undefined> {
  const handle = await openCredentials(file);
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    if (!isOwnedByUs(file, stats)) throw exposed(file, 'belongs to another user');
    if (isOpenToOthers(stats) || isOpenToOthers(await stat(dirname(file)))) {
      throw exposed(file, 'can be read by other users of this machine');
    }
    // What was never written by us is not read to its end.
    if (stats.size > MOST_FILE_BYTES) return '';
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

async function openCredentials(file: string): Promise<FileHandle | undefined> {
  try {
    // Whose it is decides about the error, so that is looked at by the caller.
    return await openRegularFile(file, { isTrusted: () => true });
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined;
    if (hasCode(error, 'unsafe-path') && isSystemError(error.cause, 'ELOOP', 'EMLINK')) {
      throw exposed(file, 'is a link');
    }
    const reason = hasCode(error) ? error.message : `${file} cannot be opened.`;
    throw new AuthError('credentials-damaged', reason, { cause: error });
  }
}

function isOpenToOthers({ mode }: Stats): boolean {
  return process.platform !== 'win32' && (mode & OTHERS) !== 0;
}

function exposed(file: string, why: string): AuthError {
  return new AuthError('credentials-exposed', `${file} ${why}, so it is not used.`);
}

function recordIn(text: string): unknown {
  try {
    const { format, login } = JSON.parse(text) as { format?: unknown; login?: unknown };
    return format === FORMAT ? login : undefined;
  } catch {
    return undefined;
  }
}
