/**
 * The operating system's lock on an open file, which Node itself does not offer: the prebuilt addon of
 * fs-native-extensions. Loaded by its path, in the library and in the bundled program alike: the package's own loader
 * asks on Alpine for a file that it does not ship, while the one for glibc loads there too.
 */
import { createRequire } from 'node:module';
import { StorageError } from './errors.js';
import { isSystemError } from './system-errors.js';

interface Addon {
  /** From `offset` for `length` bytes, 0 for the whole file. Throws EAGAIN where another has it. */
  tryLock(descriptor: number, offset: number, length: number, isExclusive: boolean): void;
  unlock(descriptor: number, offset: number, length: number): void;
}

export interface NativeLocks {
  /** Whether the exclusive lock on the whole open file was granted. Throws where the system refuses to say. */
  tryLock(descriptor: number): boolean;
  unlock(descriptor: number): void;
}

const requireAddon = createRequire(import.meta.url);

/** Throws StorageError `cannot-lock` where there is no addon for `platform`, or it cannot be loaded. */
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
      ? `There is no prebuilt file lock for ${platform}.`
      : `The file lock for ${platform} cannot be loaded.`;
    throw new StorageError('cannot-lock', message, {
      cause,
      hint: 'Use tankobon on Linux (x64, arm64), macOS (x64, arm64) or Windows (x64, arm64), with a Node.js for that processor.',
    });
  }
}
