/** File locks of the operating system. */
import { constants as osConstants } from 'node:os';
import { StorageError } from './errors.js';
import { loadAddon } from './native-addon.js';
import { isSystemError } from './system-errors.js';

export interface HeldLock {
  /** Releases the lock; does nothing when called again. */
  readonly release: () => void;
}

/** Locks of one kind. */
export interface FileLocks {
  /** The lock of an open file, released at most once; undefined if another holds it. Throws if the file system has none. */
  tryLock(file: string, descriptor: number): HeldLock | undefined;
}

/** Far behind the content: Windows does not let others read the bytes that are locked. */
const LOCKED_OFFSET = 2 ** 40;
const LOCKED_BYTES = 1;

/** Throws StorageError `cannot-lock` if there is no addon for `platform`, or it cannot be loaded. */
export function nativeLocks(platform?: string): FileLocks {
  const addon = loadAddon(platform);
  return {
    tryLock(file, descriptor) {
      try {
        addon.tryLock(descriptor, LOCKED_OFFSET, LOCKED_BYTES, true);
      } catch (error) {
        if (isSystemError(error, 'EAGAIN')) return undefined;
        throw toLockError(error, file);
      }
      return {
        release() {
          addon.unlock(descriptor, LOCKED_OFFSET, LOCKED_BYTES);
        },
      };
    },
  };
}

/** Errors of the addon have only a code, which for ENOLCK is "Unknown system error -37". */
function toLockError(error: unknown, file: string): unknown {
  if (!(error instanceof Object) || !('code' in error)) return error;
  const code = String(error.code);
  const number = /^Unknown system error -(\d+)$/.exec(code)?.[1];
  const name = Object.entries(osConstants.errno).find(([, value]) => value === Number(number))?.[0];
  return new StorageError(
    'cannot-lock',
    `The file system cannot lock files (${name ?? code}): ${file}.`,
    {
      path: file,
      cause: error,
    },
  );
}
