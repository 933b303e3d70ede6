/** The lock of a folder of chapters, in the state folder: `retag` gives files other names while nothing else is saved there. */
import { join } from 'node:path';
import { thrownMessage } from '../core/errors.js';
import { lockFolder, type FolderLock } from '../core/folder-lock.js';
import type { AppContext } from './context.js';

interface LibraryLockOptions {
  /** For a command that renames or moves what others have found. */
  readonly isExclusive: boolean;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
}

/**
 * Calls `action` while the folder is locked, with the generation of the lock (see FolderLock). Where the state folder
 * cannot be written, the lock is left out with a warning, as the action may still be possible.
 */
export async function withLibraryLock<T>(
  folder: string,
  { paths, clock }: Pick<AppContext, 'paths' | 'clock'>,
  { isExclusive, signal, warn }: LibraryLockOptions,
  action: (generation: number | undefined) => Promise<T>,
): Promise<T> {
  let lock: FolderLock | undefined;
  try {
    lock = await lockFolder(folder, {
      locksFolder: join(paths.state, 'folder-locks'),
      isExclusive,
      clock,
      signal,
      onWait: (holder) => {
        warn(`Waiting for another tankobon that uses this folder (${holder}): ${folder}`);
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    warn(`The folder is not locked against another tankobon (${thrownMessage(error)}): ${folder}`);
  }
  try {
    return await action(lock?.generation);
  } finally {
    lock?.release();
  }
}
