/** Removes the temporary files that killed processes of this user left. */
import { lstat, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { retryWhileBusy } from './busy-retry.js';
import { isOwnFile } from './safe-open.js';
import { isLeftoverTemporary } from './temporary-files.js';

/** Removes what killed processes left in `folder`. It costs only space: failures are ignored. */
export async function removeLeftoverTemporaries(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names) {
    const path = join(folder, name);
    if (isLeftoverTemporary(path)) await removeLeftoverFile(path).catch(() => undefined);
  }
}

/** Removes a file that a killed process left; one of another user stays. Throws system errors. */
export async function removeLeftoverFile(path: string): Promise<void> {
  if (isOwnFile(path, await lstat(path))) await retryWhileBusy(() => unlink(path));
}
