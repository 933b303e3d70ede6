/**
 * Where a login is stored. Besides storage errors, the methods throw AuthError:
 *
 *   credentials-damaged   what is stored is not what was written
 *   credentials-exposed   other users can read the file
 *   keychain-locked       there is a keychain, and it cannot be unlocked
 *   no-keychain           there is no keychain
 */
import type { Login } from './login-record.js';

export type StorageKind = 'keychain' | 'file';

export interface CredentialStore {
  readonly kind: StorageKind;
  /** The location, as shown to the user. */
  readonly description: string;
  /** Throws unless a login can be stored now: called before a password is sent. */
  checkWritable(): Promise<void>;
  /** Undefined where no login is stored. */
  read(): Promise<Login | undefined>;
  /** Stores the login atomically. One writer at a time, any number of readers. */
  write(login: Login): Promise<void>;
  /** Removes the login, and what is left of incomplete ones. Resolves with whether there was anything. */
  clear(): Promise<boolean>;
}
