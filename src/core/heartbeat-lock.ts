/**
 * File locks without the operating system's help, where Node.js has no addon for those: a folder beside the locked file,
 * whose time the holder renews every second. A lock that was not renewed for five seconds is taken over, so a process
 * that is suspended for longer loses its locks, and the locks of a killed process are free only then.
 */
import { fstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import lockfile from 'proper-lockfile';
import type { FileLocks } from './native-lock.js';
import { isSystemError } from './system-errors.js';

/** The state of a lock that no process renews. */
export const STALE_AFTER_MS = 5_000;
const RENEW_EVERY_MS = 1_000;

export function heartbeatLocks(): FileLocks {
  return {
    tryLock(file, descriptor) {
      const held = heldFolder(file, descriptor);
      const options = { realpath: false, lockfilePath: held };
      try {
        lockfile.lockSync(held, {
          ...options,
          stale: STALE_AFTER_MS,
          update: RENEW_EVERY_MS,
          // By default an uncaught exception. The process that took the lock over notices what this one still writes.
          onCompromised: () => undefined,
        });
      } catch (error) {
        if (isSystemError(error, 'ELOCKED')) return undefined;
        throw error;
      }
      return {
        release() {
          try {
            lockfile.unlockSync(held, options);
          } catch (error) {
            // Taken over by another process, or removed with its folder.
            if (!isSystemError(error, 'ENOTACQUIRED', 'ERELEASED')) throw error;
          }
        },
      };
    },
  };
}

/** Named by the file's number, which stays the same when it is renamed. */
export function heldFolder(file: string, descriptor: number): string {
  return join(dirname(file), `.lock-${fstatSync(descriptor, { bigint: true }).ino}`);
}
