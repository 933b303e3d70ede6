/** The folders of tankobon's own files. */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { UsageError } from '../core/errors.js';
import { expandHome } from '../core/home-folder.js';
import { ownFolders, type OwnFolders } from './own-folders.js';

export interface Paths extends OwnFolders {
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
  const { TANKOBON_LEDGER: ledger } = env;
  const { config, state } = ownFolders(env, platform, homeFolder);
  return { config, state, ledger: ledgerPath(ledger) ?? join(state, 'ledger') };
}

/** Whether a text is a URL rather than a path. */
export function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(text);
}

function ledgerPath(text: string | undefined): string | undefined {
  if (!text) return undefined;
  return isUrl(text) ? text : resolve(expandHome(text));
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
