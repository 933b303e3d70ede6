/**
 * File locks of the operating system, which Node.js does not offer: the prebuilt addon of fs-native-extensions, which
 * the build copies beside the program. The one for glibc also works on Alpine.
 */
import { createRequire } from 'node:module';
import { constants as osConstants } from 'node:os';
import { StorageError } from './errors.js';
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

interface Addon {
  /** Throws EAGAIN if another process holds the lock. macOS locks the whole file. */
  tryLock(descriptor: number, offset: number, length: number, isExclusive: boolean): void;
  unlock(descriptor: number, offset: number, length: number): void;
}

/** Far behind the content: Windows does not let others read the bytes that are locked. */
const LOCKED_OFFSET = 2 ** 40;
const LOCKED_BYTES = 1;

const requireAddon = createRequire(import.meta.url);
/** Beside the program; in the source tree, in the package. */
const ADDON_FOLDERS = ['../prebuilds', 'fs-native-extensions/prebuilds'];

/** Throws StorageError `cannot-lock` if there is no addon for `platform`, or it cannot be loaded. */
export function nativeLocks(platform = `${process.platform}-${process.arch}`): FileLocks {
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
