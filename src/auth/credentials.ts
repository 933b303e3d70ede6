/**
 * Which store the login is in, found without a flag, and changes of it one at a time. A credentials file that is
 * there is in force. Without one, a mark in the same folder says that the keychain may hold a login; where there
 * is no mark the keychain is not asked, so that a guest's run neither waits for it nor makes it ask the user.
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
import { keychainCredentialStore } from './keychain-credential-store.js';
import { systemKeychain } from './keychain.js';
import type { Login } from './login-record.js';

export interface StoredLogin {
  readonly login: Login;
  readonly store: CredentialStore;
}

export interface Credentials {
  /** The store of this kind, whether or not it is in use. */
  store(kind: StorageKind): CredentialStore;
  /** The store in use; undefined where nobody logged in. */
  currentStore(): Promise<CredentialStore | undefined>;
  /** The login in use; undefined where there is none. Throws as CredentialStore.read. */
  read(): Promise<StoredLogin | undefined>;
  /** The same for sending its tokens to the API. Throws `login-other-api` where they were given for another one. */
  readForApi(): Promise<StoredLogin | undefined>;
  /** Stores a new login for this API, from then on the one in use. To be called under the lock. */
  save(login: Omit<Login, 'apiOrigin'>, kind: StorageKind): Promise<void>;
  /** Removes every login of this service, wherever it is. Resolves with the kinds of store that held something. */
  clear(): Promise<readonly StorageKind[]>;
  /** Held by whoever changes what is stored; between processes too. */
  lock(signal?: AbortSignal): Promise<HeldLock>;
}

export interface CredentialsOptions {
  /** The folder for credentials and for what is needed to find them. */
  readonly folder: string;
  readonly addresses: Pick<ServiceAddresses, 'apiUrl' | 'authUrl' | 'realm'>;
  readonly clock?: Clock;
  /** Is told of each secret of a login that is read or stored. */
  readonly onSecret?: (secret: string) => void;
}

const LOCK_POLL_MS = 20;

/** The credentials of one service; another authentication address has others, in the keychain too. */
export function openCredentials({
  folder,
  addresses,
  clock,
  onSecret = () => undefined,
}: CredentialsOptions): Credentials {
  const { service, fileName } = namesFor(addresses);
  const file = join(folder, `${fileName}.json`);
  const mark = join(folder, `${fileName}.keychain`);
  const stores = {
    keychain: tellingSecrets(keychainCredentialStore(systemKeychain(service)), onSecret),
    file: tellingSecrets(fileCredentialStore(file), onSecret),
  };

  const marked = async () => (await statIfExists(mark)) !== undefined;
  const storeInUse = async () => {
    if (await statIfExists(file)) return stores.file;
    return (await marked()) ? stores.keychain : undefined;
  };
  const read = async (): Promise<StoredLogin | undefined> => {
    const store = await storeInUse();
    const login = await store?.read();
    return store && login && { store, login };
  };
  const apiOrigin = addresses.apiUrl.origin;
  return {
    store: (kind) => stores[kind],
    currentStore: storeInUse,
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
        await writeMark(mark);
        await stores.keychain.write(login);
        await stores.file.clear();
        return;
      }
      await stores.file.write(login);
      if (await marked()) await clearKeychain(stores.keychain, mark);
    },
    async clear() {
      const hadFile = await stores.file.clear();
      const hadEntries = await clearKeychain(stores.keychain, mark);
      return [
        ...(hadFile ? (['file'] as const) : []),
        ...(hadEntries ? (['keychain'] as const) : []),
      ];
    },
    async lock(signal) {
      await makePrivateFolder(folder);
      return lockFile(join(folder, `${fileName}.lock`), {
        pollMs: LOCK_POLL_MS,
        ...(clock && { clock }),
        ...(signal && { signal }),
      });
    },
  };
}

/** The same store, with whoever hides secrets told of those that pass through it. */
function tellingSecrets(
  store: CredentialStore,
  onSecret: (secret: string) => void,
): CredentialStore {
  const tell = (login: Login | undefined): void => {
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
      tell(login);
      return login;
    },
    write(login) {
      tell(login);
      return store.write(login);
    },
    clear: () => store.clear(),
  };
}

/** A login from before origins were kept is taken for one at the live service: no other API gets its tokens. */
function checkApi({ apiOrigin = LIVE_SERVICE.apiUrl }: Login, currentOrigin: string): void {
  if (apiOrigin === currentOrigin) return;
  throw new AuthError(
    'login-other-api',
    `The stored login is for ${apiOrigin}; no token is sent to ${currentOrigin}.`,
  );
}

/** Empties the keychain, then takes the mark away. No keychain at all holds nothing, unless the mark says otherwise. */
async function clearKeychain(keychain: CredentialStore, mark: string): Promise<boolean> {
  try {
    const had = await keychain.clear();
    await rm(mark, { force: true });
    return had;
  } catch (error) {
    if (hasCode(error, 'no-keychain') && !(await statIfExists(mark))) return false;
    throw error;
  }
}

async function writeMark(mark: string): Promise<void> {
  if (await statIfExists(mark)) return;
  try {
    await writeFileAtomic(mark, 'The login is in the keychain of the operating system.\n', {
      mode: 0o600,
    });
  } catch (error) {
    throw toStorageError(error, mark);
  }
}

const KEYCHAIN_SERVICE = 'tankobon';

/** The names under which one service's login is kept: a practice login never overwrites a real one. */
function namesFor({ authUrl, realm }: CredentialsOptions['addresses']): {
  readonly service: string;
  readonly fileName: string;
} {
  const address = authUrl.href.replace(/\/+$/, '');
  if (address === LIVE_SERVICE.authUrl && realm === LIVE_SERVICE.realm) {
    return { service: KEYCHAIN_SERVICE, fileName: 'login' };
  }
  const whole = `${address}/realms/${realm}`;
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, 12);
  const host = authUrl.host.replace(/[^\w.-]+/g, '_').slice(0, 60);
  return { service: `${KEYCHAIN_SERVICE} ${whole}`, fileName: `login-${host}-${digest}` };
}

/** What a command throws that cannot do without a login. */
export function notLoggedIn(): AuthError {
  return new AuthError('not-logged-in', 'Nobody is logged in.');
}
