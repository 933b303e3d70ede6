/** Errors of the operating system: recognised by their names, and turned into ours where they concern a file. */
import { StorageError } from './errors.js';

/** Whether `error` came from the operating system with one of these names, such as `ENOENT`. */
export function isSystemError(
  error: unknown,
  ...names: readonly string[]
): error is NodeJS.ErrnoException {
  // Not `instanceof Error`: the system's errors may come from another realm than this module's.
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return typeof error.code === 'string' && names.includes(error.code);
}

const NETWORK_SYSCALLS = /^(connect|accept|bind|listen|shutdown|getaddrinfo|query|spawn)/;
const NETWORK_CODES = ['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE'];

/** Whether a call on a file failed, whatever the reason. Network errors have other system calls or names. */
function isFileError(error: unknown): error is NodeJS.ErrnoException {
  if (typeof error !== 'object' || error === null) return false;
  const { errno, code, syscall } = error as NodeJS.ErrnoException;
  return (
    typeof errno === 'number' &&
    typeof code === 'string' &&
    typeof syscall === 'string' &&
    !NETWORK_SYSCALLS.test(syscall) &&
    !NETWORK_CODES.includes(code)
  );
}

/**
 * Turns what the operating system reports about `file` into a StorageError that names it, whatever the errno;
 * anything that is not an error of a file operation passes unchanged.
 */
export function toStorageError(error: unknown, file: string): unknown {
  if (isSystemError(error, 'ENOSPC', 'EDQUOT')) {
    return new StorageError('disk-full', `No room left to write ${file}.`, { cause: error });
  }
  if (isSystemError(error, 'ENAMETOOLONG')) {
    return new StorageError('name-too-long', `The name is too long for the file system: ${file}`, {
      cause: error,
    });
  }
  if (isSystemError(error, 'EISDIR', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) {
    return new StorageError('name-taken', `Something else stands at ${file}.`, { cause: error });
  }
  if (isSystemError(error, 'EACCES', 'EPERM', 'EROFS', 'EMFILE', 'ENFILE', 'EIO')) {
    return new StorageError('not-writable', `May not write ${file} (${error.code ?? ''}).`, {
      cause: error,
    });
  }
  if (isFileError(error)) {
    const reason = error.message.replace(/^.*?: /, '').replace(/, \w+( '.*)?$/s, '');
    return new StorageError(
      'storage-failed',
      `The file system reported an error for ${file}: ${reason} (${error.syscall ?? ''}: ${error.code ?? ''}).`,
      { cause: error },
    );
  }
  return error;
}
