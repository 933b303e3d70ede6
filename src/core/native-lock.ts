/**
 * File locks of the operating system, which Node does not offer: the prebuilt addon of fs-native-extensions, which the
 * build copies beside the program. The one for glibc also works on Alpine.
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
/** Beside the program; in the source tree, in the package. */
const ADDON_FOLDERS = ['../prebuilds', 'fs-native-extensions/prebuilds'];

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
  for (const folder of ADDON_FOLDERS) {
    try {
      return requireAddon(`${folder}/${platform}/fs-native-extensions.node`) as Addon;
    } catch (cause) {
      if (isSystemError(cause, 'MODULE_NOT_FOUND')) continue;
      throw noLocks(`The file locks for this platform cannot be loaded: ${platform}.`, cause);
    }
  }
  throw noLocks(`File locks are not available for this platform: ${platform}.`);
}

function noLocks(message: string, cause?: unknown): StorageError {
  return new StorageError('cannot-lock', message, {
    cause,
    hint: 'Use Linux, macOS or Windows on x64 or arm64, with a Node.js for that processor.',
  });
}
