import { accessSync, constants } from 'node:fs';
import { sep } from 'node:path';
import { UsageError } from '../core/errors.js';
import { isSystemError, makeFolders } from '../core/files.js';
import type { AppContext } from './context.js';

const PRIVATE_FOLDER_MODE = 0o700;

/**
 * Creates the folder of tankobon's own files if it does not exist. Throws UsageError `bad-setting`, before anything is
 * sent, if it cannot be created or entered.
 */
export function prepareStateFolder(context: Pick<AppContext, 'paths' | 'env'>): void {
  const { state } = context.paths;
  try {
    makeFolders(state, PRIVATE_FOLDER_MODE);
    accessSync(state, constants.X_OK);
  } catch (cause) {
    // A full disk is reported where something is written.
    if (!isSystemError(cause, 'ENOSPC', 'EDQUOT')) throw unusable(cause, context);
  }
}

/** The same for a command that only reads: a missing folder is not created. */
export function checkStateFolder(context: Pick<AppContext, 'paths' | 'env'>): void {
  try {
    // With a separator, so that a file is refused too.
    accessSync(context.paths.state + sep, constants.X_OK);
  } catch (cause) {
    if (!isSystemError(cause, 'ENOENT')) throw unusable(cause, context);
  }
}

function unusable(cause: unknown, { paths, env }: Pick<AppContext, 'paths' | 'env'>): UsageError {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
  const name = env['TANKOBON_HOME'] ? 'TANKOBON_HOME' : 'The state folder';
  return new UsageError('bad-setting', `${name} cannot be used (${code}): ${paths.state}`, {
    cause,
    hint: 'Set TANKOBON_HOME to a folder that you can write to.',
  });
}
