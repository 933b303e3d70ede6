/** Errors of the operating system. */
import { StorageError } from './errors.js';

/** Whether `error` is a system error with one of these codes, such as `ENOENT`. */
export function isSystemError(
  error: unknown,
  ...codes: readonly string[]
): error is NodeJS.ErrnoException {
  // Not `instanceof Error`: system errors may come from another realm than this module.
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return typeof error.code === 'string' && codes.includes(error.code);
}

const NETWORK_SYSCALLS = /^(connect|accept|bind|listen|shutdown|getaddrinfo|query|spawn)/;
const NETWORK_CODES = ['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE'];

/** Whether a file operation failed. Network errors have other system calls or codes. */
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

/** Turns any error of an operation on `file` into a StorageError that names the file; returns other errors unchanged. */
export function toStorageError(error: unknown, file: string): unknown {
  const found = describe(error, file);
  return found ? new StorageError(found.code, found.message, { cause: error }) : error;
}

function describe(
  error: unknown,
  file: string,
): { readonly code: StorageError['code']; readonly message: string } | undefined {
  if (isSystemError(error, 'ENOSPC', 'EDQUOT')) {
    return { code: 'disk-full', message: `No space left on the device: ${file}` };
  }
  if (isSystemError(error, 'ENAMETOOLONG')) {
    return {
      code: 'name-too-long',
      message: `The file name is too long for the file system: ${file}`,
    };
  }
  if (isSystemError(error, 'EISDIR', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) {
    return { code: 'name-taken', message: `Another file or folder is in the way: ${file}` };
  }
  if (isSystemError(error, 'EACCES', 'EPERM', 'EROFS', 'EMFILE', 'ENFILE', 'EIO')) {
    return { code: 'not-writable', message: `Cannot write (${error.code ?? ''}): ${file}` };
  }
  if (!isFileError(error)) return undefined;
  const { message, syscall = '', code = '' } = error;
  const reason = message.replace(/^.*?: /, '').replace(/, \w+( '.*)?$/s, '');
  return {
    code: 'storage-failed',
    message: `File system error, ${reason} (${syscall}: ${code}): ${file}`,
  };
}
