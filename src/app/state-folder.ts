import { accessSync, constants } from 'node:fs';
import { UsageError } from '../core/errors.js';
import { isSystemError, makeFolders } from '../core/files.js';
import type { AppContext } from './context.js';

const PRIVATE_FOLDER_MODE = 0o700;

/**
 * Creates the folder of tankobon's own files if it does not exist. Throws UsageError `bad-setting`, before anything is
 * sent, if it cannot be created or entered.
 */
export function prepareStateFolder({ paths, env }: Pick<AppContext, 'paths' | 'env'>): void {
  try {
    makeFolders(paths.state, PRIVATE_FOLDER_MODE);
    accessSync(paths.state, constants.X_OK);
  } catch (cause) {
    // A full disk is reported where something is written.
    if (isSystemError(cause, 'ENOSPC', 'EDQUOT')) return;
    const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
    const name = env['TANKOBON_HOME'] ? 'TANKOBON_HOME' : 'The state folder';
    throw new UsageError('bad-setting', `${name} cannot be used (${code}): ${paths.state}`, {
      cause,
      hint: 'Set TANKOBON_HOME to a folder that you can write to.',
    });
  }
}
