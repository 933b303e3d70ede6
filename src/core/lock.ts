/**
 * Locks between processes on files: the operating system's, which end with their process, or heartbeats where Node.js
 * has no addon for those. Processes exclude each other only if all of them use the same kind.
 */
import { closeSync, constants, fstatSync, lstatSync, readSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { systemClock, type Clock } from './clock.js';
import { hasCode, StorageError } from './errors.js';
import {
  createFileSync,
  isOwnFile,
  isSystemError,
  makeFolders,
  openRegularFileSync,
  readFileIfExistsSync,
  removeFile,
  temporaryName,
} from './files.js';
import type { FileLocks, HeldLock } from './native-lock.js';
import { PRIVATE_FOLDER_MODE } from './own-folder.js';

export type { HeldLock } from './native-lock.js';

interface LockOptions {
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  /** Pause between attempts in milliseconds; each pause is randomly between half of it and the whole. */
  readonly pollMs?: number;
  /** Called once, if the first attempt fails, with the holder of the lock, such as `process 1234`. */
  readonly onWait?: (holder: string) => void;
}

const DEFAULT_POLL_MS = 4;
const LOCK_FILE_MODE = 0o600;
/** The text in a lock file: the process that last took the lock, for the messages of processes that wait. */
const HOLDER = /^(\d{1,10}) ([\w.-]{1,64})\s/;
const HOLDER_BYTES = 96;
const OWN_HOST =
  hostname()
    .replace(/[^\w.-]/g, '_')
    .slice(0, 64) || 'unknown';

/** The addon, loaded at first use. Kept, since resolving an import() again takes as long as taking a lock. */
let locks: Promise<FileLocks> | undefined;

async function loadLocks(): Promise<FileLocks> {
  try {
    return (await import('./native-lock.js')).nativeLocks();
  } catch (error) {
    if (!hasCode(error, 'cannot-lock')) throw error;
    return (await import('./heartbeat-lock.js')).heartbeatLocks();
  }
}

/**
 * Takes the lock of `file`, or resolves with `undefined` if it is held, also by this process. Creates the file with
 * mode 0600 if it is missing. A holder may remove the file before releasing it: the lock of a removed file does not
 * count as held. Throws StorageError: `unsafe-path` for anything but a regular file of this user (see openRegularFile),
 * `cannot-lock` if the file system has no locks; and system errors.
 */
export async function tryLockFile(file: string): Promise<HeldLock | undefined> {
  const descriptor = openLockFile(file) ?? createLockFile(file) ?? createWithFolder(file);
  if (descriptor === undefined) return undefined;
  const lock = await tryLockOpenFile(file, descriptor);
  if (lock) writeLockHolder(descriptor);
  return lock;
}

/**
 * Takes the lock of a file that the caller opened for writing. It is held until it is released, which closes the file,
 * or the process ends, also while the file is renamed within its folder. Closes the file and resolves with `undefined`
 * if another holds it, or if `file` is not the path of the opened file any more. The content can be read and written by
 * others. Throws as tryLockFile does.
 */
export async function tryLockOpenFile(
  file: string,
  descriptor: number,
): Promise<HeldLock | undefined> {
  let lock: HeldLock | undefined;
  let isHeld = false;
  const release = (): void => {
    try {
      lock?.release();
    } finally {
      closeSync(descriptor);
    }
  };
  try {
    lock = (await (locks ??= loadLocks())).tryLock(file, descriptor);
    isHeld = lock !== undefined && isStillAt(file, descriptor);
  } finally {
    if (!isHeld) release();
  }
  return isHeld ? { release: once(release) } : undefined;
}

/** An open file together with its lock. */
export interface LockedFile {
  readonly file: string;
  readonly descriptor: number;
  readonly lock: HeldLock;
}

/** An empty temporary file beside `file`. */
export async function createLockedFile(file: string): Promise<LockedFile> {
  const tmpFile = temporaryName(file);
  const descriptor = createFileSync(tmpFile, LOCK_FILE_MODE);
  const lock = await tryLockOpenFile(tmpFile, descriptor);
  if (lock) return { file: tmpFile, descriptor, lock };
  throw new StorageError('storage-failed', `Another process has locked ${tmpFile}.`);
}

/** Whether a process holds the lock of `file`. Takes a free one for a moment, in which others find it held. */
export async function isLocked(file: string): Promise<boolean> {
  const descriptor = openLockFile(file);
  if (descriptor === undefined) return false;
  const lock = await tryLockOpenFile(file, descriptor);
  lock?.release();
  return !lock;
}

/** Undefined if the file does not exist. */
function openLockFile(file: string): number | undefined {
  try {
    return openRegularFileSync(file, constants.O_RDWR);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Undefined if another process created the file, or removed its folder, in the meantime. */
function createLockFile(file: string): number | undefined {
  try {
    return createFileSync(file, LOCK_FILE_MODE);
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'EEXIST')) return undefined;
    throw error;
  }
}

/** For the first lock in a folder. Undefined as with createLockFile. */
function createWithFolder(file: string): number | undefined {
  makeFolders(dirname(file), PRIVATE_FOLDER_MODE);
  return createLockFile(file);
}

function isStillAt(file: string, descriptor: number): boolean {
  const named = lstatSync(file, { throwIfNoEntry: false });
  const opened = fstatSync(descriptor);
  return named?.ino === opened.ino && named.dev === opened.dev;
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
}

/**
 * Waits for the lock of `file`. Polls, since a wait in the kernel could not be interrupted by Ctrl-C. Rejects with the
 * signal's reason when aborted.
 */
export async function lockFile(
  file: string,
  { clock = systemClock, pollMs = DEFAULT_POLL_MS, onWait, signal }: LockOptions = {},
): Promise<HeldLock> {
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    const lock = await tryLockFile(file);
    if (lock) return lock;
    if (attempt === 1) onWait?.(describeLockHolder(file));
    await clock.sleep(pollMs * (0.5 + Math.random() / 2), signal);
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

/**
 * Removes the file of such a lock that a killed process of this user left. It stays if it is in use, and if its content is
 * not that of a lock. Throws StorageError and system errors.
 */
export async function removeLeftoverLock(file: string): Promise<void> {
  const descriptor = openLockFile(file);
  if (descriptor === undefined) return;
  const isLeftover = isOwnFile(file, fstatSync(descriptor)) && isLockContent(descriptor);
  const lock = await tryLockOpenFile(file, descriptor);
  try {
    if (lock && isLeftover) await removeFile(file);
  } finally {
    lock?.release();
  }
}

/** A kill before the holder is written leaves an empty file. */
function isLockContent(descriptor: number): boolean {
  const content = Buffer.alloc(HOLDER_BYTES + 1);
  const bytes = readSync(descriptor, content, 0, content.length, 0);
  return bytes === 0 || (bytes === HOLDER_BYTES && HOLDER.test(content.toString('latin1')));
}

/** Always of the same length, to overwrite a longer one. */
function writeLockHolder(descriptor: number): void {
  const holder = Buffer.from(`${process.pid} ${OWN_HOST}\n`.padEnd(HOLDER_BYTES), 'latin1');
  try {
    writeSync(descriptor, holder, 0, HOLDER_BYTES, 0);
  } catch {
    // The lock is held without it.
  }
}

/** The process that last took the lock of `file`, in words. */
export function describeLockHolder(file: string): string {
  let text = '';
  try {
    text = readFileIfExistsSync(file, { maxBytes: HOLDER_BYTES })?.toString('latin1') ?? '';
  } catch {
    // Unreadable: the holder is not known.
  }
  const [, pid, host] = HOLDER.exec(text) ?? [];
  if (pid === undefined || host === undefined) return 'another process';
  return host === OWN_HOST ? `process ${pid}` : `process ${pid} on ${host}`;
}
