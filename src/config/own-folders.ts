/** Where tankobon's own folders are. Apart from paths.ts, since the code cache is opened before anything else is loaded. */
import path, { isAbsolute, join, resolve } from 'node:path';
import { expandHome } from '../core/home-folder.js';

export interface OwnFolders {
  /** Folder of the settings file. */
  readonly config: string;
  /** Health reports, locks, file-stored credentials, compiled code. */
  readonly state: string;
}

/** `homeFolder` is called only where it is needed. */
export function ownFolders(
  env: Readonly<NodeJS.ProcessEnv>,
  platform: NodeJS.Platform,
  homeFolder: () => string,
): OwnFolders {
  const { TANKOBON_HOME: home } = env;
  if (home) {
    const folder = resolve(expandHome(home));
    return { config: folder, state: folder };
  }
  return platformFolders(env, platform, homeFolder);
}

/** Whether `inner` is `folder` or below it. On Windows, the relative path to another drive is an absolute one. */
export function isInFolder(
  inner: string,
  folder: string,
  paths: path.PlatformPath = path,
): boolean {
  const between = paths.relative(folder, inner);
  return between !== '..' && !between.startsWith(`..${paths.sep}`) && !paths.isAbsolute(between);
}

/** The folders of the package env-paths, which fails on import without a home folder. */
function platformFolders(
  env: Readonly<NodeJS.ProcessEnv>,
  platform: NodeJS.Platform,
  homeFolder: () => string,
): OwnFolders {
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
