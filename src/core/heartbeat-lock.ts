/**
 * File locks without the operating system's help, where Node has no addon for those: a folder beside the locked file,
 * whose time the holder renews every second. A lock that was not renewed for five seconds is taken over, so a process
 * that is suspended for longer loses its locks, and the locks of a killed process are free only then.
 */
import lockfile from 'proper-lockfile';
import type { FileLocks } from './file-locks.js';
import { isSystemError } from './system-errors.js';

/** The state of a lock that no process renews. */
export const STALE_AFTER_MS = 5_000;
const RENEW_EVERY_MS = 1_000;

export function heartbeatLocks(): FileLocks {
  return {
    kind: 'heartbeat',
    tryLock(file) {
      try {
        lockfile.lockSync(file, {
          ...optionsOf(file),
          stale: STALE_AFTER_MS,
          update: RENEW_EVERY_MS,
          // By default an uncaught exception. The process that took the lock over notices what this one still writes.
          onCompromised: () => undefined,
        });
        return true;
      } catch (error) {
        if (isSystemError(error, 'ELOCKED')) return false;
        throw error;
      }
    },
    unlock(file) {
      try {
        lockfile.unlockSync(file, optionsOf(file));
      } catch (error) {
        // Taken over by another process, or removed with its folder.
        if (!isSystemError(error, 'ENOTACQUIRED', 'ERELEASED')) throw error;
      }
    },
  };
}

function optionsOf(file: string): { readonly realpath: false; readonly lockfilePath: string } {
  return { realpath: false, lockfilePath: `${file}.held` };
}
