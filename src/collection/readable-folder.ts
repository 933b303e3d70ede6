import { opendir } from 'node:fs/promises';
import { UsageError } from '../core/errors.js';
import { isSystemError } from '../core/system-errors.js';

/**
 * Throws UsageError `nothing-to-bind`. Without it, a folder that is missing or cannot be read would count as empty.
 */
export async function assertReadableFolder(folder: string, hint: string): Promise<void> {
  try {
    await (await opendir(folder)).close();
  } catch (cause) {
    if (!isSystemError(cause, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) throw cause;
    const { code } = cause;
    const problem =
      code === 'ENOENT' ? 'Not found' : code === 'ENOTDIR' ? 'Not a folder' : 'Cannot read';
    throw new UsageError('nothing-to-bind', `${problem}: ${folder}`, { cause, hint });
  }
}
