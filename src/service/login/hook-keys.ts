/**
 * The keys of the services that hooks call: in the keychain, or in a file of mode 0600. A marker file says
 * that the keychain may hold keys; without it the keychain is not accessed.
 */
import { join } from 'node:path';
import { AuthError } from '../../core/errors.js';
import { removeFile, statIfExists } from '../../core/files.js';
import { isRecord, parseJson } from '../../core/json.js';
import { lockFile } from '../../core/lock.js';
import type { StorageKind } from './login-record.js';
import {
  makeCredentialsFolder,
  readPrivateFile,
  writePrivateFile,
} from './file-credential-store.js';
import type { HookService } from '../../config/hook-services.js';
import { isKeychainMissing } from '../keychain.js';
import { type OpenKeychain } from '../../config/context.js';

interface HookKeys {
  /** Throws AuthError if the keychain is locked, or the file cannot be read. */
  read(service: HookService): Promise<string | undefined>;
  /** Resolves with where the key is stored. An empty key removes the stored one. Throws AuthError for an invalid one. */
  write(service: HookService, key: string, kind: StorageKind): Promise<string>;
}

const MAX_KEY_LENGTH = 1_024;

/** A header value: visible ASCII characters. Throws AuthError `bad-login-input`. */
function checkKey(key: string): void {
  if (key.length <= MAX_KEY_LENGTH && /^[\x21-\x7e]*$/.test(key)) return;
  const message = 'The key is too long, or contains spaces or control characters.';
  throw new AuthError('bad-login-input', message);
}

/** @param folder of the credentials */
export function openHookKeys(folder: string, openKeychain: OpenKeychain): HookKeys {
  const keychain = openKeychain('tankobon hooks');
  const file = join(folder, 'hook-keys.json');
  const marker = join(folder, 'hook-keys.keychain');
  const readFileKeys = async (): Promise<Record<string, unknown>> => {
    const keys = parseJson((await readPrivateFile(file)) ?? '');
    return isRecord(keys) ? keys : {};
  };
  const writeFileKey = async (service: HookService, key: string): Promise<void> => {
    const keys = { ...(await readFileKeys()), [service]: key === '' ? undefined : key };
    await writePrivateFile(file, JSON.stringify(keys));
  };
  return {
    async read(service) {
      const { [service]: stored } = await readFileKeys();
      if (typeof stored === 'string') return stored;
      if (!(await statIfExists(marker))) return undefined;
      const bytes = await keychain.get(service);
      return bytes && Buffer.from(bytes).toString('utf8');
    },
    async write(service, key, kind) {
      checkKey(key);
      await makeCredentialsFolder(folder);
      const lock = await lockFile(join(folder, 'hook-keys.lock'));
      try {
        return await (kind === 'file' ? writeToFile(service, key) : writeToKeychain(service, key));
      } finally {
        lock.release();
      }
    },
  };

  async function writeToFile(service: HookService, key: string): Promise<string> {
    await writeFileKey(service, key);
    await removeFromKeychain(service);
    return `the file ${file}, unencrypted`;
  }

  async function writeToKeychain(service: HookService, key: string): Promise<string> {
    if (key === '') await keychain.delete(service);
    else await setInKeychain(service, key);
    if (await statIfExists(file)) await writeFileKey(service, '');
    return `the operating system’s keychain, as "${keychain.service}"`;
  }

  async function setInKeychain(service: HookService, key: string): Promise<void> {
    const hadMarker = await statIfExists(marker);
    await writePrivateFile(marker, '');
    try {
      await keychain.set(service, Buffer.from(key));
    } catch (error) {
      if (!hadMarker) await removeFile(marker);
      throw error;
    }
  }

  async function removeFromKeychain(service: HookService): Promise<void> {
    if (!(await statIfExists(marker))) return;
    try {
      await keychain.delete(service);
    } catch (error) {
      if (!isKeychainMissing(error)) throw error;
    }
  }
}
