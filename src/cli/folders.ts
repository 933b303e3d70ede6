/** Where tankobon keeps its own files: settings in one folder, what it must remember in another. */
import { join, resolve } from 'node:path';
import envPaths from 'env-paths';

export interface Folders {
  /** The settings file's folder. */
  readonly config: string;
  /** Outbox, locks, file-stored credentials. */
  readonly state: string;
  /** The rate ledger; may be shared by several users or containers of one address. */
  readonly ledger: string;
}

/** `TANKOBON_HOME` is one folder for all; without it the platform's own folders are used. */
export function foldersFrom(env: Readonly<NodeJS.ProcessEnv>): Folders {
  const home = env['TANKOBON_HOME'];
  const ledger = env['TANKOBON_LEDGER'];
  const platform = envPaths('tankobon', { suffix: '' });
  // On Linux env-paths calls the XDG state folder "log"; elsewhere there is no such thing, and data is next of kin.
  const state = home ? resolve(home) : process.platform === 'linux' ? platform.log : platform.data;
  return {
    config: home ? resolve(home) : platform.config,
    state,
    ledger: ledger ? resolve(ledger) : join(state, 'ledger'),
  };
}
