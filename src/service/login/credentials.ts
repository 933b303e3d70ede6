/**
 * The stored login of one service. An existing credentials file is in use; without one, the keychain if there is a
 * marker file. Without the marker the keychain is not accessed, so that anonymous runs neither wait for it nor make it
 * prompt the user.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AuthError } from '../../core/errors.js';
import { statIfExists } from '../../core/files.js';
import { lockFile, type HeldLock } from '../../core/lock.js';
import type { Redactor } from '../../core/redactor.js';
import type { Clock } from '../../core/clock.js';
import { sha256Of } from '../../core/sha256.js';
import { LIVE_SERVICE, type ServiceAddresses } from '../../config/service-addresses.js';
import {
  fileCredentialStore,
  makeCredentialsFolder,
  writePrivateFile,
} from './file-credential-store.js';
import { keychainCredentialStore } from './keychain-credential-store.js';
import { isKeychainMissing } from '../keychain.js';
import { type OpenKeychain, type SlowKeychainListener } from '../../config/context.js';
import type { CredentialStore, Login, StorageKind } from './login-record.js';

export interface StoredLogin {
  readonly login: Login;
  readonly store: CredentialStore;
  /** The private file with the login, while the keychain does not store its renewed tokens. */
  readonly pendingIn?: string;
}

interface CredentialsOptions {
  /** The folder of the credentials file and of the marker. */
  readonly folder: string;
  readonly addresses: Pick<ServiceAddresses, 'apiUrl' | 'authUrl' | 'realm'>;
  readonly clock: Clock;
  readonly openKeychain: OpenKeychain;
  readonly onSlowKeychain?: SlowKeychainListener;
  /** Gets each secret of a login that is read or stored. */
  readonly redactor: Pick<Redactor, 'add' | 'addToken'>;
}

const LOCK_POLL_MS = 20;
/** Shorter than a command waits at its end for a renewal in progress. */
const KEEP_AFTER_MS = 5_000;
const MARKER_TEXT = 'The login is in the keychain of the operating system.\n';

/** Each authentication address has its own credentials, in the keychain too. */
export class Credentials {
  readonly #stores: Readonly<Record<StorageKind, CredentialStore>>;
  /** A renewed login that the keychain did not store: newer than the one in the keychain. */
  readonly #pending: CredentialStore;
  /** Path without extension. */
  readonly #path: string;

  constructor(private readonly options: CredentialsOptions) {
    const { service, fileName } = namesFor(options.addresses);
    this.#path = join(options.folder, fileName);
    this.#stores = {
      keychain: this.#reportingSecrets(
        keychainCredentialStore(options.openKeychain(service, options.onSlowKeychain)),
      ),
      file: this.#reportingSecrets(fileCredentialStore(`${this.#path}.json`)),
    };
    this.#pending = this.#reportingSecrets(fileCredentialStore(`${this.#path}.pending.json`));
  }

  /** The store of this kind, whether or not it is in use. */
  store(kind: StorageKind): CredentialStore {
    return this.#stores[kind];
  }

  /** The store in use; undefined without a login. */
  async currentStore(): Promise<CredentialStore | undefined> {
    if (await statIfExists(`${this.#path}.json`)) return this.#stores.file;
    return (await this.#hasMarker()) ? this.#stores.keychain : undefined;
  }

  /** The login in use. Throws as CredentialStore.read does. */
  async read(): Promise<StoredLogin | undefined> {
    const store = await this.currentStore();
    const pending = store?.kind === 'keychain' ? await this.#pending.read() : undefined;
    if (store && pending) return { store, login: pending, pendingIn: this.#pending.description };
    const login = await store?.read();
    return store && login && { store, login };
  }

  /**
   * Stores the renewed tokens of a login. The service has revoked the refresh token that the keychain holds, so that they
   * are kept in a private file while the keychain fails or is slow. Resolves with whether they are in `store`. The caller
   * holds the lock.
   */
  async saveRenewed(store: CredentialStore, login: Login): Promise<boolean> {
    if (store.kind === 'file') {
      await store.write(login);
      return true;
    }
    const timer = new AbortController();
    const keeping = this.options.clock
      .sleep(KEEP_AFTER_MS, timer.signal)
      .then(() => this.#pending.write(login))
      .catch(() => undefined);
    const endKeeping = (): Promise<void> => {
      timer.abort();
      return keeping;
    };
    try {
      await store.write(login).finally(endKeeping);
    } catch (error) {
      await this.#pending.write(login);
      if (error instanceof AuthError) return false;
      throw error;
    }
    await this.#pending.clear();
    return true;
  }

  /** Puts the login that the private file keeps into the keychain. Resolves with whether none is left. */
  async storePending(signal?: AbortSignal): Promise<boolean> {
    const lock = await this.lock(signal);
    try {
      const stored = await this.read();
      return !stored?.pendingIn || (await this.saveRenewed(stored.store, stored.login));
    } finally {
      lock.release();
    }
  }

  /** The login in use, to send its tokens to the API. Throws `login-other-api` where they are for another API. */
  async readForApi(): Promise<StoredLogin | undefined> {
    const stored = await this.read();
    // A login without an origin was stored before these were kept, and is for the live service.
    const { tokens, apiOrigin = LIVE_SERVICE.apiUrl } = stored?.login ?? {};
    const { origin } = this.options.addresses.apiUrl;
    if (!tokens || apiOrigin === origin) return stored;
    throw new AuthError(
      'login-other-api',
      `The stored login is for another API: ${apiOrigin}, not ${origin}.`,
    );
  }

  /** Stores a new login for this API, which is then in use. The caller holds the lock. */
  async save(owner: Omit<Login, 'apiOrigin'>, kind: StorageKind): Promise<void> {
    const login = { ...owner, apiOrigin: this.options.addresses.apiUrl.origin };
    const { keychain, file } = this.#stores;
    await makeCredentialsFolder(this.options.folder);
    if (kind === 'keychain') {
      if (!(await this.#hasMarker())) await writePrivateFile(this.#marker, MARKER_TEXT);
      await keychain.write(login);
      await this.#pending.clear();
      await file.clear();
    } else {
      await file.write(login);
      await this.#pending.clear();
      if (await this.#hasMarker()) await this.#clearKeychain();
    }
  }

  /** Removes all logins of this service. Resolves with the kinds of the stores that held one. */
  async clear(): Promise<readonly StorageKind[]> {
    const kinds: StorageKind[] = [];
    await this.#pending.clear();
    if (await this.#stores.file.clear()) kinds.push('file');
    if (await this.#clearKeychain()) kinds.push('keychain');
    return kinds;
  }

  /** Needed for changes, also between processes. */
  async lock(signal?: AbortSignal): Promise<HeldLock> {
    await makeCredentialsFolder(this.options.folder);
    const { clock } = this.options;
    return lockFile(`${this.#path}.lock`, { pollMs: LOCK_POLL_MS, clock, signal });
  }

  get #marker(): string {
    return `${this.#path}.keychain`;
  }

  async #hasMarker(): Promise<boolean> {
    return (await statIfExists(this.#marker)) !== undefined;
  }

  /** Empties the keychain, then removes the marker. A missing keychain is an error only if there is a marker. */
  async #clearKeychain(): Promise<boolean> {
    try {
      const existed = await this.#stores.keychain.clear();
      await rm(this.#marker, { force: true });
      return existed;
    } catch (error) {
      if (isKeychainMissing(error) && !(await this.#hasMarker())) return false;
      throw error;
    }
  }

  #reportingSecrets(store: CredentialStore): CredentialStore {
    const { redactor } = this.options;
    const report = ({ clientSecret, tokens }: Login): void => {
      if (clientSecret) redactor.add(clientSecret);
      for (const token of [tokens?.accessToken, tokens?.refreshToken])
        if (token) redactor.addToken(token);
    };
    return {
      ...store,
      async read() {
        const login = await store.read();
        if (login) report(login);
        return login;
      },
      write(login) {
        report(login);
        return store.write(login);
      },
    };
  }
}

const KEYCHAIN_SERVICE = 'tankobon';

/** The names for one service: a login of the practice service never overwrites one of the live service. */
function namesFor({ authUrl, realm }: CredentialsOptions['addresses']) {
  const address = authUrl.href.replace(/\/+$/, '');
  if (address === LIVE_SERVICE.authUrl && realm === LIVE_SERVICE.realm) {
    return { service: KEYCHAIN_SERVICE, fileName: 'login' };
  }
  const realmUrl = `${address}/realms/${realm}`;
  const digest = sha256Of(realmUrl).slice(0, 12);
  const host = authUrl.host.replace(/[^\w.-]+/g, '_').slice(0, 60);
  return { service: `${KEYCHAIN_SERVICE} ${realmUrl}`, fileName: `login-${host}-${digest}` };
}

export function notLoggedIn(): AuthError {
  return new AuthError('not-logged-in', 'Not logged in.');
}
