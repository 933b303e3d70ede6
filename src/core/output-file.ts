/** Files that the user names for results. */
import { lstat } from 'node:fs/promises';
import { UsageError } from './errors.js';
import { fileKind } from './safe-open.js';
import { isSystemError } from './system-errors.js';

/**
 * Throws UsageError `bad-output` if anything but a regular file exists at `path`: writing replaces the file, and must
 * not replace a device, a pipe or a link. `option` is shown in the hint, such as `--html`.
 */
export async function checkOutputFile(path: string, option: string): Promise<void> {
  const stats = await lstat(path).catch((error: unknown) => {
    // Other errors, such as a missing right, are reported when the file is written.
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG')) return undefined;
    throw error;
  });
  if (!stats || stats.isFile()) return;
  throw new UsageError('bad-output', `${path} is ${fileKind(stats)}, not a regular file.`, {
    path,
    hint: `Choose a new or a regular file: ${option} FILE`,
  });
}
