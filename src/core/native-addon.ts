/**
 * What Node.js does not offer of the operating system: the prebuilt addon of fs-native-extensions, which the build copies
 * beside the program. The one for glibc also works on Alpine.
 */
import { createRequire } from 'node:module';
import { StorageError, thrownMessage } from './errors.js';
import { extractedFile, isExecutable } from './executable.js';
import { isSystemError } from './system-errors.js';

export interface Addon {
  /** Throws EAGAIN if another process holds the lock. macOS locks the whole file. */
  tryLock(descriptor: number, offset: number, length: number, isExclusive: boolean): void;
  unlock(descriptor: number, offset: number, length: number): void;
  /** The names of the extended attributes; on Linux with that of an access control list. */
  readonly listAttrsSync: (descriptor: number) => readonly string[];
  /** Null for one that the file does not have. */
  readonly getAttrSync: (descriptor: number, name: string) => ArrayBuffer | null;
}

const requireAddon = createRequire(import.meta.url);
/** Beside the program; in the source tree, in the package. */
const ADDON_FOLDERS = ['../prebuilds', 'fs-native-extensions/prebuilds'];

/** The asset of the executable, whose platform is the one that it was built for. */
const ADDON_ASSET = 'fs-native-extensions.node';

/** Throws StorageError `cannot-lock` if there is no addon for `platform`, or it cannot be loaded. */
export function loadAddon(platform = `${process.platform}-${process.arch}`): Addon {
  if (isExecutable) return loadExtracted();
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

const EXTRACTED_HINT =
  'Set TANKOBON_HOME to a folder of yours, on a disk that is not mounted with noexec.';

function loadExtracted(): Addon {
  try {
    return requireAddon(extractedFile(ADDON_ASSET)) as Addon;
  } catch (cause) {
    const reason = thrownMessage(cause).replace(/\.?$/, '.');
    const message = `The file locks cannot be loaded: ${reason}`;
    throw new StorageError('cannot-lock', message, { cause, hint: EXTRACTED_HINT });
  }
}

function noLocks(message: string, cause?: unknown): StorageError {
  return new StorageError('cannot-lock', message, {
    cause,
    hint: 'Linux, macOS and Windows have them on x64 and arm64, with a Node.js for that processor.',
  });
}
