/**
 * File locks of the operating system, which Node does not offer: the prebuilt addon of fs-native-extensions, which the
 * build copies beside the program. The one for glibc also works on Alpine.
 */
import { createRequire } from 'node:module';
import { constants as osConstants } from 'node:os';
import { StorageError } from './errors.js';
import type { FileLocks } from './file-locks.js';
import { isSystemError } from './system-errors.js';

interface Addon {
  /** From `offset` for `length` bytes, 0 for the whole file. Throws EAGAIN if another process holds the lock. */
  tryLock(descriptor: number, offset: number, length: number, isExclusive: boolean): void;
  unlock(descriptor: number, offset: number, length: number): void;
}

const requireAddon = createRequire(import.meta.url);
/** Beside the program; in the source tree, in the package. */
const ADDON_FOLDERS = ['../prebuilds', 'fs-native-extensions/prebuilds'];

/** Throws StorageError `cannot-lock` if there is no addon for `platform`, or it cannot be loaded. */
export function nativeLocks(platform = `${process.platform}-${process.arch}`): FileLocks {
  const addon = loadAddon(platform);
  return {
    kind: 'kernel',
    tryLock(file, descriptor) {
      try {
        addon.tryLock(descriptor, 0, 0, true);
        return true;
      } catch (error) {
        if (isSystemError(error, 'EAGAIN')) return false;
        throw toLockError(error, file);
      }
    },
    unlock(_, descriptor) {
      addon.unlock(descriptor, 0, 0);
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
    { cause: error },
  );
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
    hint: 'Linux, macOS and Windows have them on x64 and arm64, with a Node.js for that processor.',
  });
}
