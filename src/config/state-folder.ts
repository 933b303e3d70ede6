/**
 * The folder of tankobon's own files, which is the boundary of trust: it belongs to this user, no other user can write
 * to it, and so its content is not checked for owners and modes.
 */
import { accessSync, constants } from 'node:fs';
import { sep } from 'node:path';
import { UsageError } from '../core/errors.js';
import { isSystemError, makeFolders } from '../core/files.js';
import {
  exposureOf,
  OTHERS_WRITE,
  PRIVATE_FOLDER_MODE,
  type FolderExposure,
} from '../core/own-folder.js';
import type { AppContext } from './context.js';

type Context = Pick<AppContext, 'paths' | 'env'>;
type Warn = (message: string, hint?: string) => void;

/**
 * Creates the folder if it does not exist. Throws UsageError `bad-setting`, before anything is sent, if it cannot be
 * created or entered, or if others can write to it and it does not belong to this user. `warn` is called where the file
 * system has no modes.
 */
export function prepareStateFolder(context: Context, warn?: Warn): void {
  try {
    makeFolders(context.paths.state, PRIVATE_FOLDER_MODE);
  } catch (cause) {
    // A full disk is reported where something is written.
    if (isSystemError(cause, 'ENOSPC', 'EDQUOT')) return;
    throw unusable(cause, context);
  }
  checkStateFolder(context, warn);
}

/** Checks the folder as prepareStateFolder does, for a command that only reads: a missing folder is not created. */
export function checkStateFolder(context: Context, warn?: Warn): void {
  const { state } = context.paths;
  let exposure: FolderExposure | undefined;
  try {
    // With a separator, so that a file is refused too.
    accessSync(state + sep, constants.X_OK);
    exposure = exposureOf(state, OTHERS_WRITE, { makesPrivate: true, followsLink: true });
  } catch (cause) {
    if (!isSystemError(cause, 'ENOENT')) throw unusable(cause, context);
  }
  if (exposure?.hasModes === false) {
    warn?.(
      `The file system of ${state} has no modes: other users may be able to read and change the login and the settings.`,
      'Set TANKOBON_HOME to a folder on a local disk.',
    );
  } else if (exposure) {
    const { reason } = exposure;
    throw new UsageError('bad-setting', `${nameOf(context)} is not used, ${reason}: ${state}`, {
      hint: 'Set TANKOBON_HOME to a folder of your own.',
    });
  }
}

function unusable(cause: unknown, context: Context): UsageError {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
  return new UsageError(
    'bad-setting',
    `${nameOf(context)} cannot be used (${code}): ${context.paths.state}`,
    {
      cause,
      path: context.paths.state,
      hint: 'Set TANKOBON_HOME to a folder that you can write to.',
    },
  );
}

const nameOf = ({ env }: Context): string =>
  env['TANKOBON_HOME'] ? 'TANKOBON_HOME' : 'The state folder';
