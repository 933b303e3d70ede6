/** What the application is built from: given to every part that wires others. */
import type { Clock } from '../core/clock.js';
import type { Redactor } from '../core/redactor.js';
import type { Paths } from './paths.js';
import type { Settings } from './setting-definitions.js';

export interface AppContext {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly paths: Paths;
  /** Every secret that a run gets hold of is added, so that no output contains it. */
  readonly redactor: Redactor;
}
