/** Errors of the operating system. */
import { lstatSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { hasCode, RunError, StorageError, TankobonError, thrownMessage } from './errors.js';
import { Redactor } from './redactor.js';

/** Whether `error` is a system error with one of these codes, such as `ENOENT`. */
export function isSystemError(
  error: unknown,
  ...codes: readonly string[]
): error is NodeJS.ErrnoException {
  // Not `instanceof Error`: system errors may come from another realm than this module.
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return typeof error.code === 'string' && codes.includes(error.code);
}

/** Whether this user may not do it; on Windows, also that another program has the file open. */
export function isForbidden(error: unknown): error is NodeJS.ErrnoException {
  return isSystemError(error, 'EACCES', 'EPERM');
}

const NETWORK_SYSCALLS = /^(connect|accept|bind|listen|shutdown|getaddrinfo|query|spawn)/;
const NETWORK_CODES = ['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE'];

/** Whether a file operation failed. Network errors have other system calls or codes. */
export function isFileError(error: unknown): error is NodeJS.ErrnoException {
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

/** Whether a file could not be opened or read, whatever is in it. */
export function isAccessError(error: unknown): boolean {
  return isFileError(error) || hasCode(error, 'unsafe-path');
}

type FileProblem = readonly [StorageError['code'], string, readonly string[]];

const FILE_PROBLEMS: readonly FileProblem[] = [
  ['disk-full', 'No space left on the device', ['ENOSPC', 'EDQUOT']],
  ['name-too-long', 'The file name is too long for the file system', ['ENAMETOOLONG']],
  [
    'name-taken',
    'Another file or folder is in the way',
    ['EISDIR', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'],
  ],
  ['not-writable', 'Cannot write', ['EACCES', 'EPERM', 'EROFS', 'EMFILE', 'ENFILE', 'EIO']],
];

/** Errors of the disk, which no other folder on it avoids. */
const DISK_HINTS: ReadonlyMap<string, string> = new Map([
  [
    'EIO',
    'The disk, or the connection to it, fails: check it and its messages (dmesg on Linux), then run the same command again.',
  ],
  [
    'EROFS',
    'The disk is mounted read-only: mount it for writing, or choose a folder on another one: --output DIR for chapters, TANKOBON_HOME for settings and login.',
  ],
]);

/**
 * What helps where the cause of an error is not the content of a file, but access to it. Undefined for any other error.
 */
export function accessHint(cause: unknown): string | undefined {
  if (hasCode(cause, 'unsafe-path')) return cause.hint;
  if (isForbidden(cause)) return 'Check its permissions.';
  return isFileError(cause) ? DISK_HINTS.get(cause.code ?? '') : undefined;
}

/** The path that this user may not read or write. Undefined for any other error. */
export function forbiddenPath(error: unknown): string | undefined {
  const cause = error instanceof StorageError ? error.cause : error;
  if (!isForbidden(cause)) return undefined;
  const path = error instanceof StorageError ? error.path : cause.path;
  return path === undefined ? undefined : shownPath(path);
}

const IN_HELD_FOLDER = /^\/proc\/self\/fd\/\d+/;

/** The path for people: a folder that is held open by its descriptor has its own path. */
export function shownPath(path: string): string {
  return path.replace(IN_HELD_FOLDER, (held) => {
    try {
      return readlinkSync(held);
    } catch {
      return held;
    }
  });
}

/** Turns any error of an operation on a file into a StorageError that names the file; returns other errors unchanged. */
export function toStorageError(error: unknown, path: string): unknown {
  const file = shownPath(path);
  for (const [code, problem, systemCodes] of FILE_PROBLEMS) {
    if (!isSystemError(error, ...systemCodes)) continue;
    const detail = code === 'not-writable' ? ` (${error.code ?? ''})` : '';
    const path = PATHS_TO_NAME.get(code)?.(file) ?? file;
    const hint = DISK_HINTS.get(error.code ?? '');
    return new StorageError(code, `${problem}${detail}: ${path}`, {
      cause: error,
      path,
      ...(hint !== undefined && { hint }),
    });
  }
  if (!isFileError(error)) return error;
  const { syscall = '', code = '' } = error;
  return new StorageError(
    'storage-failed',
    `File system error, ${fileErrorReason(error)} (${syscall}: ${code}): ${file}`,
    { cause: error, path: file },
  );
}

/** What a message names in place of the path of the operation. */
const PATHS_TO_NAME: ReadonlyMap<StorageError['code'], (file: string) => string> = new Map([
  ['name-taken', pathInTheWay],
  ['not-writable', existingPath],
]);

/** `file`, or the folder in which it cannot be created. */
function existingPath(file: string): string {
  for (let path = file; path !== dirname(path); path = dirname(path)) {
    try {
      if (lstatSync(path, { throwIfNoEntry: false })) return path;
    } catch {
      // A folder above it may not be searched.
    }
  }
  return file;
}

/** `file`, or the file or broken link that is in the place of a folder above it. */
function pathInTheWay(file: string): string {
  for (let path = file; path !== dirname(path); path = dirname(path)) {
    try {
      return lstatSync(path).isDirectory() ? file : path;
    } catch {
      // The cause is further up.
    }
  }
  return file;
}

/** Why an operation on a file failed, without the system call and the path, such as `permission denied`. */
export function fileErrorReason(error: unknown): string {
  if (hasCode(error, 'unsafe-path') && error.cause instanceof Error) return error.cause.message;
  const message = thrownMessage(error);
  return isFileError(error) ? message.replace(/^.*?: /, '').replace(/, \w+( '.*)?$/s, '') : message;
}

/** For a message that names the file itself: `permission denied (EACCES)`, or the message of another error. */
export function systemReason(error: unknown): string {
  return isFileError(error)
    ? `${fileErrorReason(error)} (${error.code ?? ''})`
    : thrownMessage(error);
}

/** Conditions of the machine also where the error has no path, as that of a write. */
const MACHINE_CODES = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'ESTALE', 'EMFILE', 'ENFILE'];
const OTHER_FOLDER =
  'Check the path and its permissions, or choose another folder: --output DIR for chapters, TANKOBON_HOME for settings and login, TANKOBON_LEDGER for the rate ledger.';

/**
 * Turns a failed file operation into a StorageError, and wraps any other error as a bug in the program. Its text is a
 * library's, which may quote a secret.
 */
export function toTankobonError(thrown: unknown, redactor = new Redactor()): TankobonError {
  if (thrown instanceof TankobonError) return thrown;
  return (
    unnamedFileError(thrown) ??
    new RunError('fault', `Unexpected error: ${redactor.redact(thrownMessage(thrown))}`, {
      cause: thrown,
    })
  );
}

/** For an error that no caller of toStorageError has named: the path is the one that the system reports. */
function unnamedFileError(error: unknown): StorageError | undefined {
  if (!isFileError(error)) return undefined;
  const { code = '', path, syscall } = error;
  if (syscall === 'uv_cwd' && code === 'ENOENT') {
    return new StorageError('storage-failed', 'The current folder no longer exists.', {
      cause: error,
      hint: 'Change to a folder that exists: cd',
    });
  }
  if (path === undefined && !MACHINE_CODES.includes(code)) return undefined;
  const named = toStorageError(error, path ?? '') as StorageError;
  const reason = systemReason(error);
  const message = reason.charAt(0).toUpperCase() + reason.slice(1);
  return new StorageError(named.code, path === undefined ? `${message}.` : `${message}: ${path}`, {
    cause: error,
    ...(path !== undefined && { path }),
    hint: named.code === 'disk-full' || DISK_HINTS.has(code) ? named.hint : OTHER_FOLDER,
  });
}
