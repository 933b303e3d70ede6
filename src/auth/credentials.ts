/**
 * The stored login of one service, and which store it is in. An existing credentials file is in use. Without one, a
 * marker file in the same folder says that the keychain may hold a login; without the marker the keychain is not
 * accessed, so that anonymous runs neither wait for it nor make it prompt the user.
 */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AuthError, hasCode } from '../core/errors.js';
import { toStorageError, statIfExists, writeFileAtomic } from '../core/files.js';
import { lockFile, type HeldLock } from '../core/lock.js';
import type { Clock } from '../core/clock.js';
import { LIVE_SERVICE, type ServiceAddresses } from '../rate-limit/service-addresses.js';
import type { CredentialStore, StorageKind } from './credential-store.js';
import { fileCredentialStore, makePrivateFolder } from './file-credential-store.js';
import { KeychainCredentialStore } from './keychain-credential-store.js';
import { systemKeychain } from './keychain.js';
import type { Login } from './login-record.js';

export interface StoredLogin {
  readonly login: Login;
  readonly store: CredentialStore;
}

export interface Credentials {
  /** The store of this kind, whether or not it is in use. */
  store(kind: StorageKind): CredentialStore;
  /** The store in use; undefined where nobody is logged in. */
  currentStore(): Promise<CredentialStore | undefined>;
  /** The login in use. Throws as CredentialStore.read does. */
  read(): Promise<StoredLogin | undefined>;
  /** As `read`, for sending the tokens to the API. Throws `login-other-api` where they are for another API. */
  readForApi(): Promise<StoredLogin | undefined>;
  /** Stores a new login for this API, which is then in use. The caller holds the lock. */
  save(login: Omit<Login, 'apiOrigin'>, kind: StorageKind): Promise<void>;
  /** Removes all logins of this service. Resolves with the kinds of the stores that held one. */
  clear(): Promise<readonly StorageKind[]>;
  /** Needed for changes, also between processes. */
  lock(signal?: AbortSignal): Promise<HeldLock>;
}

export interface CredentialsOptions {
  /** The folder of the credentials file and of the marker. */
  readonly folder: string;
  readonly addresses: Pick<ServiceAddresses, 'apiUrl' | 'authUrl' | 'realm'>;
  readonly clock?: Clock;
  /** Called with each secret of a login that is read or stored. */
  readonly onSecret?: (secret: string) => void;
}

const LOCK_POLL_MS = 20;

/** The credentials of one service: each authentication address has its own, in the keychain too. */
export function openCredentials({
  folder,
  addresses,
  clock,
  onSecret = () => undefined,
}: CredentialsOptions): Credentials {
  const { service, fileName } = namesFor(addresses);
  const file = join(folder, `${fileName}.json`);
  const marker = join(folder, `${fileName}.keychain`);
  const keychain = reportingSecrets(new KeychainCredentialStore(systemKeychain(service)), onSecret);
  const stores = { keychain, file: reportingSecrets(fileCredentialStore(file), onSecret) };

  const hasMarker = async () => (await statIfExists(marker)) !== undefined;
  const currentStore = async () => {
    if (await statIfExists(file)) return stores.file;
    return (await hasMarker()) ? keychain : undefined;
  };
  const read = async (): Promise<StoredLogin | undefined> => {
    const store = await currentStore();
    const login = await store?.read();
    return store && login && { store, login };
  };
  const apiOrigin = addresses.apiUrl.origin;
  return {
    store: (kind) => stores[kind],
    currentStore,
    read,
    async readForApi() {
      const stored = await read();
      if (stored?.login.tokens) checkApi(stored.login, apiOrigin);
      return stored;
    },
    async save(owner, kind) {
      const login = { ...owner, apiOrigin };
      await makePrivateFolder(folder);
      if (kind === 'keychain') {
        await writeMarker(marker);
        await keychain.write(login);
        await stores.file.clear();
        return;
      }
      await stores.file.write(login);
      if (await hasMarker()) await clearKeychain(keychain, marker);
    },
    async clear() {
      const kinds: StorageKind[] = [];
      if (await stores.file.clear()) kinds.push('file');
      if (await clearKeychain(keychain, marker)) kinds.push('keychain');
      return kinds;
    },
    async lock(signal) {
      await makePrivateFolder(folder);
      return lockFile(join(folder, `${fileName}.lock`), { pollMs: LOCK_POLL_MS, clock, signal });
    },
  };
}

/** The same store, which passes the secrets of each login to `onSecret`. */
function reportingSecrets(
  store: CredentialStore,
  onSecret: (secret: string) => void,
): CredentialStore {
  const report = (login: Login | undefined): void => {
    if (!login) return;
    onSecret(login.clientSecret);
    if (!login.tokens) return;
    onSecret(login.tokens.accessToken);
    onSecret(login.tokens.refreshToken);
  };
  return {
    kind: store.kind,
    description: store.description,
    checkWritable: () => store.checkWritable(),
    async read() {
      const login = await store.read();
      report(login);
      return login;
    },
    write(login) {
      report(login);
      return store.write(login);
    },
    clear: () => store.clear(),
  };
}

/** A login without an origin was stored before these were kept, and is for the live service. */
function checkApi({ apiOrigin = LIVE_SERVICE.apiUrl }: Login, currentOrigin: string): void {
  if (apiOrigin === currentOrigin) return;
  throw new AuthError(
    'login-other-api',
    `The stored login is for another API: ${apiOrigin}, not ${currentOrigin}.`,
  );
}

/** Empties the keychain, then removes the marker. A missing keychain is an error only if there is a marker. */
async function clearKeychain(keychain: CredentialStore, marker: string): Promise<boolean> {
  try {
    const had = await keychain.clear();
    await rm(marker, { force: true });
    return had;
  } catch (error) {
    if (hasCode(error, 'no-keychain') && !(await statIfExists(marker))) return false;
    throw error;
  }
}

async function writeMarker(marker: string): Promise<void> {
  if (await statIfExists(marker)) return;
  try {
    await writeFileAtomic(marker, 'The login is in the keychain of the operating system.\n', {
      mode: 0o600,
    });
  } catch (error) {
    throw toStorageError(error, marker);
  }
}

const KEYCHAIN_SERVICE = 'tankobon';

/** The names for one service: a login of the practice service never overwrites one of the live service. */
function namesFor({ authUrl, realm }: CredentialsOptions['addresses']): {
  readonly service: string;
  readonly fileName: string;
} {
  const address = authUrl.href.replace(/\/+$/, '');
  if (address === LIVE_SERVICE.authUrl && realm === LIVE_SERVICE.realm) {
    return { service: KEYCHAIN_SERVICE, fileName: 'login' };
  }
  const realmUrl = `${address}/realms/${realm}`;
  const digest = createHash('sha256').update(realmUrl).digest('hex').slice(0, 12);
  const host = authUrl.host.replace(/[^\w.-]+/g, '_').slice(0, 60);
  return { service: `${KEYCHAIN_SERVICE} ${realmUrl}`, fileName: `login-${host}-${digest}` };
}

export function notLoggedIn(): AuthError {
  return new AuthError('not-logged-in', 'Not logged in.');
}
