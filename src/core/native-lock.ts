/**
 * File locks of the operating system, which Node does not offer: the prebuilt addon of fs-native-extensions. Loaded by
 * path, since the package's own loader requires a file on Alpine that it does not ship; the one for glibc works there.
 */
import { createRequire } from 'node:module';
import { StorageError } from './errors.js';
import { isSystemError } from './system-errors.js';

interface Addon {
  /** From `offset` for `length` bytes, 0 for the whole file. Throws EAGAIN if another process holds the lock. */
  tryLock(descriptor: number, offset: number, length: number, isExclusive: boolean): void;
  unlock(descriptor: number, offset: number, length: number): void;
}

export interface NativeLocks {
  /** Takes the exclusive lock of the whole file; false if another holds it. Throws if the system has no such lock. */
  tryLock(descriptor: number): boolean;
  unlock(descriptor: number): void;
}

const requireAddon = createRequire(import.meta.url);

/** Throws StorageError `cannot-lock` if there is no addon for `platform`, or it cannot be loaded. */
export function nativeLocks(platform = `${process.platform}-${process.arch}`): NativeLocks {
  const addon = loadAddon(platform);
  return {
    tryLock(descriptor) {
      try {
        addon.tryLock(descriptor, 0, 0, true);
        return true;
      } catch (error) {
        if (isSystemError(error, 'EAGAIN')) return false;
        throw error;
      }
    },
    unlock(descriptor) {
      addon.unlock(descriptor, 0, 0);
    },
  };
}

function loadAddon(platform: string): Addon {
  try {
    return requireAddon(
      `fs-native-extensions/prebuilds/${platform}/fs-native-extensions.node`,
    ) as Addon;
  } catch (cause) {
    const isMissing = isSystemError(cause, 'MODULE_NOT_FOUND');
    const message = isMissing
      ? `File locks are not available for this platform: ${platform}.`
      : `The file locks for this platform cannot be loaded: ${platform}.`;
    throw new StorageError('cannot-lock', message, {
      cause,
      hint: 'Use Linux, macOS or Windows on x64 or arm64, with a Node.js for that processor.',
    });
  }
}
