/** The folders of tankobon's own files. */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { UsageError } from '../core/errors.js';

export interface Paths {
  /** Folder of the settings file. */
  readonly config: string;
  /** Health reports, locks, file-stored credentials. */
  readonly state: string;
  /** Folder of the rate ledger, which users or containers behind one address can share. */
  readonly ledger: string;
}

/**
 * `TANKOBON_HOME` is one folder for everything; without it the folders of the platform are used. Throws
 * UsageError('bad-setting') if there is no home folder either.
 */
export function pathsFrom(
  env: Readonly<NodeJS.ProcessEnv>,
  platform: NodeJS.Platform = process.platform,
): Paths {
  const home = env['TANKOBON_HOME'];
  const ledger = env['TANKOBON_LEDGER'];
  const { config, state } = home
    ? { config: resolve(home), state: resolve(home) }
    : platformFolders(env, platform);
  return { config, state, ledger: ledger ? resolve(ledger) : join(state, 'ledger') };
}

const NAME = 'tankobon';

/** The same folders as the package env-paths, which fails on import without a home folder. */
function platformFolders(
  env: Readonly<NodeJS.ProcessEnv>,
  platform: NodeJS.Platform,
): Pick<Paths, 'config' | 'state'> {
  const folderOf = (variable: string, ...names: readonly string[]): string => {
    const folder = env[variable];
    if (folder === undefined || folder === '') return join(homeFolder(), ...names);
    return folder;
  };
  if (platform === 'darwin') {
    const library = join(homeFolder(), 'Library');
    return {
      config: join(library, 'Preferences', NAME),
      state: join(library, 'Application Support', NAME),
    };
  }
  if (platform === 'win32') {
    return {
      config: join(folderOf('APPDATA', 'AppData', 'Roaming'), NAME, 'Config'),
      state: join(folderOf('LOCALAPPDATA', 'AppData', 'Local'), NAME, 'Data'),
    };
  }
  const state =
    platform === 'linux'
      ? folderOf('XDG_STATE_HOME', '.local', 'state')
      : folderOf('XDG_DATA_HOME', '.local', 'share');
  return { config: join(folderOf('XDG_CONFIG_HOME', '.config'), NAME), state: join(state, NAME) };
}

function homeFolder(): string {
  try {
    const folder = homedir();
    if (isAbsolute(folder)) return folder;
    throw new Error(`HOME is "${folder}"`);
  } catch (cause) {
    const uid = process.getuid?.();
    const user = uid === undefined ? '' : `, and the system has no user with the id ${uid}`;
    throw new UsageError('bad-setting', `No home folder found: HOME is not set${user}.`, {
      cause,
      hint: 'Set TANKOBON_HOME to a folder that you can write to.',
    });
  }
}
