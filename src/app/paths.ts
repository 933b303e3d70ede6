/** Where tankobon keeps its own files: settings in one folder, what it must remember in another. */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { UsageError } from '../core/errors.js';

export interface Paths {
  /** The settings file's folder. */
  readonly config: string;
  /** Outbox, locks, file-stored credentials. */
  readonly state: string;
  /** The rate ledger; may be shared by several users or containers of one address. */
  readonly ledger: string;
}

/**
 * `TANKOBON_HOME` is one folder for all; without it the platform's own folders are used, and only then is a home
 * folder looked for. Throws UsageError('bad-setting') where there is neither.
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

/** The folders that the package env-paths names, which cannot be imported where there is no home folder. */
function platformFolders(
  env: Readonly<NodeJS.ProcessEnv>,
  platform: NodeJS.Platform,
): Pick<Paths, 'config' | 'state'> {
  const folderOf = (variable: string, ...names: readonly string[]): string => {
    const named = env[variable];
    if (named === undefined || named === '') return join(homeFolder(), ...names);
    return named;
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
  // Only Linux has a folder for state by convention.
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
    const user = uid === undefined ? '' : `, and no user with the id ${uid} is known to the system`;
    throw new UsageError(
      'bad-setting',
      `There is no home folder to keep settings in: HOME is not set${user}.`,
      { cause, hint: 'Set TANKOBON_HOME to a folder that you may write to.' },
    );
  }
}
