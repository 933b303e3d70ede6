import type { OpenKeychain } from '../auth/keychain.js';
import type { Clock } from '../core/clock.js';
import type { Redactor } from '../core/redactor.js';
import type { Paths } from './paths.js';
import type { Settings } from './options/options.js';

export interface AppContext {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly paths: Paths;
  /** Gets every secret, so that no output contains one. */
  readonly redactor: Redactor;
  readonly openKeychain: OpenKeychain;
}
