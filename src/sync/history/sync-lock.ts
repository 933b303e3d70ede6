/** One process at a time syncs a subscriptions file, or changes what is known of it. */
import { join } from 'node:path';
import { RunError } from '../../core/errors.js';
import { describeLockHolder, isLocked, tryLockFile, type HeldLock } from '../../core/lock.js';

const lockPath = (folder: string): string => join(folder, 'lock');

/**
 * @param folder the state folder of the subscriptions file
 * @param statusCommand the command that shows what the other process does
 * Throws RunError `sync-running`.
 */
export async function lockSync(
  folder: string,
  file: string,
  statusCommand: string,
): Promise<HeldLock> {
  const lock = await tryLockFile(lockPath(folder));
  if (lock) return lock;
  const holder = describeLockHolder(lockPath(folder));
  throw new RunError('sync-running', `A sync of ${file} is running: ${holder}.`, {
    hint: `Wait until it is done, or end it. Run: ${statusCommand}`,
  });
}

/** The process that syncs, in words. */
export async function runningSync(folder: string): Promise<string | undefined> {
  const holder = describeLockHolder(lockPath(folder));
  return (await isLocked(lockPath(folder))) ? holder : undefined;
}
