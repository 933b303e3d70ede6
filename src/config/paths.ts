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
  const { TANKOBON_HOME: home, TANKOBON_LEDGER: ledger } = env;
  const { config, state } = home
    ? { config: resolve(home), state: resolve(home) }
    : platformFolders(env, platform);
  return { config, state, ledger: ledgerPath(ledger) ?? join(state, 'ledger') };
}

/** Whether a text is a URL rather than a path. */
export function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(text);
}

function ledgerPath(text: string | undefined): string | undefined {
  if (!text) return undefined;
  return isUrl(text) ? text : resolve(text);
}

/** The folders of the package env-paths, which fails on import without a home folder. */
function platformFolders(
  env: Readonly<NodeJS.ProcessEnv>,
  platform: NodeJS.Platform,
): Pick<Paths, 'config' | 'state'> {
  const below = (variable: string, ...fallback: readonly string[]): string => {
    const folder = env[variable];
    // The XDG specification says that a relative path is ignored.
    return folder && isAbsolute(folder)
      ? join(folder, 'tankobon')
      : join(homeFolder(), ...fallback, 'tankobon');
  };
  if (platform === 'darwin') {
    const library = join(homeFolder(), 'Library');
    const folder = (name: string) => join(library, name, 'tankobon');
    return { config: folder('Preferences'), state: folder('Application Support') };
  }
  if (platform === 'win32') {
    return {
      config: join(below('APPDATA', 'AppData', 'Roaming'), 'Config'),
      state: join(below('LOCALAPPDATA', 'AppData', 'Local'), 'Data'),
    };
  }
  const config = below('XDG_CONFIG_HOME', '.config');
  return platform === 'linux'
    ? { config, state: below('XDG_STATE_HOME', '.local', 'state') }
    : { config, state: below('XDG_DATA_HOME', '.local', 'share') };
}

function homeFolder(): string {
  let folder: string;
  try {
    folder = homedir();
  } catch (cause) {
    const uid = process.getuid?.();
    const user = uid === undefined ? '' : `, and the system has no user with the id ${uid}`;
    throw noHomeError(`HOME is not set${user}.`, cause);
  }
  if (isAbsolute(folder)) return folder;
  throw noHomeError(`it must be an absolute path, and HOME is "${folder}".`);
}

function noHomeError(reason: string, cause?: unknown): UsageError {
  return new UsageError('bad-setting', `No home folder found: ${reason}`, {
    cause,
    hint: 'Set TANKOBON_HOME to a folder that you can write to.',
  });
}
