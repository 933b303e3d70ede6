/**
 * Locks between processes on files. Two kinds: the operating system's on an open file, which is released when its
 * process ends; and where Node has no addon for those, a heartbeat. Processes exclude each other only by the same kind.
 */
import { closeSync, constants, fstatSync, linkSync, lstatSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemClock, type Clock } from './clock.js';
import { hasCode, StorageError } from './errors.js';
import type { FileLocks, LockKind } from './file-locks.js';
import {
  createFileSync,
  isSystemError,
  makeFolders,
  openRegularFileSync,
  removeFile,
  temporaryName,
  type OpenOptions,
} from './files.js';
import { describeLockHolder, readLockKind, writeLockHolder } from './lock-holder.js';

export { describeLockHolder } from './lock-holder.js';

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
  readonly timeoutMs?: number;
}

const DEFAULT_POLL_MS = 4;
const PRIVATE_FILE_MODE = 0o600;
const PRIVATE_FOLDER_MODE = 0o700;
/** Errors of file systems without hard links; these have no modes either. */
const NO_LINKS = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

let loading: Promise<FileLocks> | undefined;

/** Loads the addon at first use. Kept, since resolving an import() again takes as long as taking a lock. */
function loadLocks(): Promise<FileLocks> {
  return (loading ??= load('kernel').catch((error: unknown) => {
    if (hasCode(error, 'cannot-lock')) return load('heartbeat');
    throw error;
  }));
}

async function load(kind: LockKind): Promise<FileLocks> {
  return kind === 'kernel'
    ? (await import('./native-lock.js')).nativeLocks()
    : (await import('./heartbeat-lock.js')).heartbeatLocks();
}

/**
 * Takes the lock of `file`, or resolves with `undefined` if it is held, also by this process. Creates the file if
 * missing. A holder may remove the file before releasing it: the lock of a removed file does not count as held.
 * Throws StorageError: `unsafe-path` for anything but a regular file of this user (see openRegularFile), `cannot-lock`
 * if the file system, or this Node, does not have the locks that guard the file; and system errors.
 */
export async function tryLockFile(
  file: string,
  options: LockFileOptions = {},
): Promise<HeldLock | undefined> {
  const { kind } = await loadLocks();
  makeFolders(dirname(file), PRIVATE_FOLDER_MODE);
  const descriptor = openLockFile(file, kind, options);
  if (descriptor === undefined) return undefined;
  let lock: HeldLock | undefined;
  try {
    const recorded = readLockKind(descriptor);
    if (recorded === 'kernel' && kind === 'heartbeat') throw guardedByKernel(file);
    lock = await tryLockDescriptor(file, descriptor, { kind: recorded });
    if (lock) writeLockHolder(descriptor, recorded);
  } finally {
    if (!lock) closeSync(descriptor);
  }
  return lock;
}

/**
 * Takes the lock of an open file; releasing it closes the file. Resolves with `undefined` if another holds it, or if
 * `file` is the path of another file by now, unless the caller creates it. Throws as tryLockFile does.
 */
export async function tryLockDescriptor(
  file: string,
  descriptor: number,
  options: { readonly kind?: LockKind; readonly isCreating?: boolean } = {},
): Promise<HeldLock | undefined> {
  const ownLocks = await loadLocks();
  const { kind = ownLocks.kind, isCreating = false } = options;
  const locks = kind === ownLocks.kind ? ownLocks : await load(kind);
  if (!locks.tryLock(file, descriptor)) return undefined;
  if (!isCreating && !isStillAt(file, descriptor)) {
    locks.unlock(file, descriptor);
    return undefined;
  }
  let isHeld = true;
  return {
    release() {
      if (!isHeld) return;
      isHeld = false;
      try {
        locks.unlock(file, descriptor);
      } finally {
        closeSync(descriptor);
      }
    },
  };
}

function guardedByKernel(file: string): StorageError {
  return new StorageError(
    'cannot-lock',
    `Other processes use locks that Node.js does not have on this platform (${process.platform}-${process.arch}): ${file}`,
    {
      hint: `While no tankobon is running, type: rm '${file}'; or set TANKOBON_HOME, and TANKOBON_LEDGER if it is set, to another folder.`,
    },
  );
}

/** Undefined if another process created or removed the file or its folder in the meantime. */
function openLockFile(
  file: string,
  kind: LockKind,
  { mode = PRIVATE_FILE_MODE, isTrusted }: LockFileOptions,
): number | undefined {
  try {
    return openRegularFileSync(file, { flags: constants.O_RDWR, isTrusted }).descriptor;
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
  try {
    return kind === 'kernel' && mode === PRIVATE_FILE_MODE
      ? createLockFileInPlace(file, kind, mode)
      : createLockFile(file, kind, mode);
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'EEXIST')) return undefined;
    throw error;
  }
}

/**
 * Linked when it is complete: it records the kind from the start, and a file for a group has its mode, without which
 * other members could not open it.
 */
function createLockFile(file: string, kind: LockKind, mode: number): number {
  const temporary = temporaryName(file);
  const descriptor = createFileSync(temporary, mode);
  try {
    writeLockHolder(descriptor, kind);
    linkSync(temporary, file);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    if (!isSystemError(error, ...NO_LINKS)) throw error;
  } finally {
    unlinkSync(temporary);
  }
  return createLockFileInPlace(file, kind, mode);
}

/** A process killed here leaves no second file; an empty one counts as the kernel's. */
function createLockFileInPlace(file: string, kind: LockKind, mode: number): number {
  const descriptor = createFileSync(file, mode);
  writeLockHolder(descriptor, kind);
  return descriptor;
}

function isStillAt(file: string, descriptor: number): boolean {
  const named = lstatSync(file, { throwIfNoEntry: false });
  const opened = fstatSync(descriptor);
  return named?.ino === opened.ino && named.dev === opened.dev;
}

/**
 * Waits for the lock of `file`. Polls, since a wait in the kernel could not be interrupted by Ctrl-C. Rejects with the
 * signal's reason when aborted; resolves with `undefined` only after `timeoutMs`.
 */
export async function lockFile(
  file: string,
  options: LockOptions & { readonly timeoutMs: number },
): Promise<HeldLock | undefined>;
export async function lockFile(file: string, options?: LockOptions): Promise<HeldLock>;
export async function lockFile(
  file: string,
  options: LockOptions = {},
): Promise<HeldLock | undefined> {
  const { clock = systemClock, pollMs = DEFAULT_POLL_MS, timeoutMs = Infinity } = options;
  const startedMs = clock.monotonicMs();
  for (let attempt = 1; ; attempt += 1) {
    options.signal?.throwIfAborted();
    const lock = await tryLockFile(file, options);
    if (lock) return lock;
    if (attempt === 1) options.onWait?.(describeLockHolder(file, options));
    if (clock.monotonicMs() - startedMs >= timeoutMs) return undefined;
    await clock.sleep(pollMs * (0.5 + Math.random() / 2), options.signal);
  }
}

/** Calls `action` while it holds the lock of a file that exists only for that time. */
export async function underTemporaryLock<T>(
  file: string,
  options: Pick<LockOptions, 'signal'>,
  action: () => Promise<T>,
): Promise<T> {
  const lock = await lockFile(file, options);
  try {
    return await action();
  } finally {
    // Removed while held: processes that wait for it notice, and create a new one.
    await removeFile(file).catch(() => undefined);
    lock.release();
  }
}
