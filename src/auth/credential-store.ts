/**
 * Where a login is kept, behind four methods. Nothing stored is an answer (`undefined`); the other ways not to
 * get one are errors, each with its own next step:
 *
 *   credentials-damaged   something is stored, and it is not what was written
 *   keychain-locked       the keychain is there, and does not open
 *   no-keychain           there is no keychain
 *   credentials-exposed   others can read the file
 */
import type { Login } from './login-record.js';

export type StorageKind = 'keychain' | 'file';

export interface CredentialStore {
  readonly kind: StorageKind;
  /** Where that is, in words for its owner. */
  readonly description: string;
  /** Throws unless a login could be stored here now. To be asked before a password is spent. */
  checkWritable(): Promise<void>;
  /** The login; undefined where none is stored. */
  read(): Promise<Login | undefined>;
  /** Stores the login: whole, or what was there before stays. One writer at a time; any number of readers. */
  write(login: Login): Promise<void>;
  /** Removes all that was ever stored here, whole or not. Resolves with whether there was anything. */
  clear(): Promise<boolean>;
}
