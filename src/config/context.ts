import type { Clock } from '../core/clock.js';
import type { Redactor } from '../core/redactor.js';
import type { Paths } from './paths.js';
import type { Settings } from './options.js';

/** The keychain of the operating system, entry by entry. */
export interface Keychain {
  /** The service name that other programs show for the entries. */
  readonly service: string;
  /** Undefined where there is no such entry. */
  get(entry: string): Promise<Uint8Array | undefined>;
  set(entry: string, value: Uint8Array): Promise<void>;
  /** Resolves with whether there was such an entry. */
  delete(entry: string): Promise<boolean>;
}

/** Receives what is waited for, and what may be done about it. */
export type SlowKeychainListener = (message: string, hint: string) => void;

/** The user's keychain entries under `service`. Does not access the keychain yet. */
export type OpenKeychain = (service: string, onSlow?: SlowKeychainListener) => Keychain;

export interface AppContext {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly paths: Paths;
  /** Gets every secret, so that no output contains one. */
  readonly redactor: Redactor;
  readonly openKeychain: OpenKeychain;
}
