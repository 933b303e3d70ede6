/** What surrounds a command: everything it may touch, handed in, so that it works without argv or a process. */
import type { Clock } from '../kernel/clock.js';
import type { Folders } from './folders.js';
import type { Redactor } from './output/redactor.js';
import type { Settings } from './setting-table.js';

export interface Run {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly stdin: NodeJS.ReadStream;
  /** Results go here, and nothing else. */
  readonly stdout: NodeJS.WriteStream;
  /** Messages go here. */
  readonly stderr: NodeJS.WriteStream;
  readonly clock: Clock;
  /** Aborted with an interruption (kernel/errors) when the user wants to stop. */
  readonly signal: AbortSignal;
  readonly settings: Settings;
  readonly folders: Folders;
  /** Is told of every secret that the run comes to hold, so that none is printed. */
  readonly redactor: Redactor;
}

/** The same without settings, for the commands that must work while the settings are wrong. */
export type BareRun = Omit<Run, 'settings'>;

/** What the parts are wired from: all that a program needs which is no command line. */
export type Wiring = Pick<Run, 'settings' | 'clock' | 'folders' | 'env' | 'redactor'>;
