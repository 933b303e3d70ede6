/** Locks between processes, held by the operating system on an open file: when a process ends, its lock is released. */
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { constants as osConstants, hostname } from 'node:os';
import { dirname } from 'node:path';
import { systemClock, type Clock } from './clock.js';
import { StorageError } from './errors.js';
import {
  createFileSync,
  isSystemError,
  openRegularFileSync,
  readFileIfExistsSync,
  temporaryName,
  type OpenOptions,
} from './files.js';
import { makeFolders } from './safe-folders.js';
import type { NativeLocks } from './native-lock.js';

export interface HeldLock {
  /** Releases the lock. May be called twice. */
  release(): void;
}

export interface LockFileOptions extends Pick<OpenOptions, 'isTrusted'> {
  /** The mode of a new lock file, regardless of the umask. Default: 0600. */
  readonly mode?: number;
}

export interface LockOptions extends LockFileOptions {
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  /** Pause between attempts in milliseconds; each pause is randomly between half of it and the whole. */
  readonly pollMs?: number;
  /** Called once, if the first attempt fails, with the holder of the lock, such as `process 1234`. */
  readonly onWait?: (holder: string) => void;
  /** Resolve with `undefined` after this time. */
  readonly giveUpAfterMs?: number;
}

const DEFAULT_POLL_MS = 4;
const PRIVATE_FILE_MODE = 0o600;
const PRIVATE_FOLDER_MODE = 0o700;
const OTHERS_RIGHTS = 0o077;
/** Errors of file systems without hard links; these have no modes either. */
const NO_LINKS = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

let loading: Promise<NativeLocks> | undefined;

/** Loads the addon at first use. Kept, since resolving an import() again takes as long as taking a lock. */
function loadLocks(): Promise<NativeLocks> {
  return (loading ??= import('./native-lock.js').then(({ nativeLocks }) => nativeLocks()));
}

/**
 * Takes the lock of `file`, or resolves with `undefined` if it is held, also by this process. Creates the file if
 * missing. A holder may remove the file before releasing it: the lock of a removed file does not count as held.
 * Throws StorageError: `unsafe-path` for anything but a regular file of this user (see openRegularFile), `cannot-lock`
 * if the file system has no locks; and system errors.
 */
export async function tryLockFile(
  file: string,
  options: LockFileOptions = {},
): Promise<HeldLock | undefined> {
  const locks = await loadLocks();
  makeFolders(dirname(file), PRIVATE_FOLDER_MODE);
  const descriptor = openLockFile(file, options);
  if (descriptor === undefined) return undefined;
  let isHeld = false;
  try {
    isHeld = await tryLockDescriptor(file, descriptor);
  } finally {
    if (!isHeld) closeSync(descriptor);
  }
  if (!isHeld) return undefined;
  writeHolder(descriptor);
  return {
    release() {
      if (!isHeld) return;
      isHeld = false;
      try {
        locks.unlock(descriptor);
      } finally {
        closeSync(descriptor);
      }
    },
  };
}

/**
 * Takes the lock of an open file until it is closed. Resolves with false if another holds it, or if `file` is the path
 * of another file by now. Throws as tryLockFile does.
 */
export async function tryLockDescriptor(file: string, descriptor: number): Promise<boolean> {
  const locks = await loadLocks();
  try {
    return locks.tryLock(descriptor) && isStillAt(file, descriptor);
  } catch (error) {
    throw toLockError(error, file);
  }
}

/** Undefined if another process created or removed the file or its folder in the meantime. */
function openLockFile(file: string, { mode, isTrusted }: LockFileOptions): number | undefined {
  try {
    return openRegularFileSync(file, { flags: constants.O_RDWR, isTrusted }).descriptor;
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
  try {
    return createLockFile(file, mode ?? PRIVATE_FILE_MODE);
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'EEXIST')) return undefined;
    throw error;
  }
}

/** A file for a group is linked with its mode: before the umask is undone, other members could not open it. */
function createLockFile(file: string, mode: number): number {
  if ((mode & OTHERS_RIGHTS) === 0) return createFileSync(file, { mode });
  const temporary = temporaryName(file);
  const descriptor = createFileSync(temporary, { mode });
  try {
    linkSync(temporary, file);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    if (isSystemError(error, ...NO_LINKS)) return createFileSync(file, { mode });
    throw error;
  } finally {
    unlinkSync(temporary);
  }
}

function isStillAt(file: string, descriptor: number): boolean {
  const named = lstatSync(file, { throwIfNoEntry: false });
  const opened = fstatSync(descriptor);
  return named?.ino === opened.ino && named.dev === opened.dev;
}

const HOLDER_BYTES = 80;
/** Named in the messages of processes that wait. Always of the same length, to overwrite a longer one. */
const OWN_HOLDER = Buffer.alloc(HOLDER_BYTES, ' ');
OWN_HOLDER.write(`${process.pid} ${hostname().slice(0, 64)}\n`, 'latin1');

function writeHolder(descriptor: number): void {
  try {
    writeSync(descriptor, OWN_HOLDER, 0, HOLDER_BYTES, 0);
  } catch {
    // The lock is held without it.
  }
}

/** The process that last took the lock of `file`, in words. On Windows a locked file cannot be read. */
export function lockHolder(file: string, { isTrusted }: LockFileOptions = {}): string {
  let text = '';
  try {
    const options = { maxBytes: HOLDER_BYTES, isTrusted };
    text = readFileIfExistsSync(file, options)?.toString('latin1') ?? '';
  } catch {
    // Unreadable: the holder is not known.
  }
  const [, pid, host] = /^(\d{1,10}) ([\w.-]{1,64})\n/.exec(text) ?? [];
  if (pid === undefined || host === undefined) return 'another process';
  return host === hostname() ? `process ${pid}` : `process ${pid} on ${host}`;
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

/**
 * Waits for the lock of `file`. Polls, since a wait in the kernel could not be interrupted by Ctrl-C. Rejects with the
 * signal's reason when aborted; resolves with `undefined` only after `giveUpAfterMs`.
 */
export async function lockFile(
  file: string,
  options: LockOptions & { readonly giveUpAfterMs: number },
): Promise<HeldLock | undefined>;
export async function lockFile(file: string, options?: LockOptions): Promise<HeldLock>;
export async function lockFile(
  file: string,
  options: LockOptions = {},
): Promise<HeldLock | undefined> {
  const { clock = systemClock, pollMs = DEFAULT_POLL_MS, giveUpAfterMs = Infinity } = options;
  const startedMs = clock.monotonicMs();
  for (let attempt = 1; ; attempt += 1) {
    options.signal?.throwIfAborted();
    const lock = await tryLockFile(file, options);
    if (lock) return lock;
    if (attempt === 1) options.onWait?.(lockHolder(file, options));
    if (clock.monotonicMs() - startedMs >= giveUpAfterMs) return undefined;
    await clock.sleep(pollMs * (0.5 + Math.random() / 2), options.signal);
  }
}
