/**
 * A login in a file, for machines without a keychain and users who ask for it: 0600 in a folder of mode 0700,
 * written aside and renamed, and not believed to be secret once others can read it.
 */
import { constants } from 'node:fs';
import { chmod, mkdir, open, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AuthError } from '../kernel/errors.js';
import { asStorageError, isSystemError, writeWhole } from '../kernel/files.js';
import type { CredentialStore } from './credential-store.js';
import { readLogin, type Login } from './login.js';

const FORMAT = 1;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS = 0o077;
const MOST_FILE_BYTES = 256 * 1024;

/** The store of one login in `file`; its folder is made when it is first needed. */
export function fileStore(file: string): CredentialStore {
  return {
    kind: 'file',
    place: `the file ${file}, unencrypted`,
    async ready() {
      await makePrivateFolder(dirname(file));
    },
    async read() {
      const text = await readPrivately(file);
      if (text === undefined) return undefined;
      const login = readLogin(recordIn(text));
      if (login) return login;
      throw new AuthError('credentials-damaged', `${file} holds no login that can be read.`);
    },
    async write(login: Login) {
      await makePrivateFolder(dirname(file));
      const text = `${JSON.stringify({ format: FORMAT, login }, undefined, 2)}\n`;
      await writeWhole(file, text, { mode: FILE_MODE }).catch((error: unknown) => {
        throw asStorageError(error, file);
      });
    },
    async clear() {
      try {
        await rm(file);
        return true;
      } catch (error) {
        if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return false;
        throw asStorageError(error, file);
      }
    },
  };
}

/** Makes the folder where it is missing, and takes others' rights away where it is there. */
export async function makePrivateFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    const { mode } = await stat(folder);
    if ((mode & OTHERS) !== 0 && process.platform !== 'win32') await chmod(folder, FOLDER_MODE);
  } catch (error) {
    throw asStorageError(error, folder);
  }
}

/** The file's text; undefined where there is none. What is judged is the file opened, not the name. */
async function readPrivately(file: string): Promise<string | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined;
    if (isSystemError(error, 'ELOOP')) throw exposed(file, 'is a link');
    throw new AuthError('credentials-damaged', `${file} cannot be opened.`, { cause: error });
  }
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) throw new AuthError('credentials-damaged', `${file} is no file.`);
    const folder = await stat(dirname(file));
    if (process.platform !== 'win32' && ((facts.mode | folder.mode) & OTHERS) !== 0) {
      throw exposed(file, 'can be read by other users of this machine');
    }
    // What was never written by us is not read to its end.
    if (facts.size > MOST_FILE_BYTES) return '';
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
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
