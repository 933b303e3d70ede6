/**
 * Locks between processes, held by the operating system on an open file: when the holder dies, however it
 * dies, the kernel lets go at once, so there is no stale lock to guess about.
 */
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { constants as osConstants, hostname } from 'node:os';
import { dirname } from 'node:path';
import { systemClock, type Clock } from './clock.js';
import { StorageError } from './errors.js';
import {
  temporaryName,
  createFileSync,
  isSystemError,
  openRegularFileSync,
  readIfThereSync,
  type OpenOptions,
} from './files.js';
import type { NativeLocks } from './native-lock.js';

export interface HeldLock {
  /** Lets go. Doing so twice is harmless. */
  release(): void;
}

/** How a lock file is opened, and made where it is missing. */
export interface LockFileOptions extends Pick<OpenOptions, 'isTrusted'> {
  /** The mode of a file that is made, whatever the umask; 0600 where not given. */
  readonly mode?: number;
}

export interface LockWait extends LockFileOptions {
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  /** How often to try, in milliseconds; each pause is drawn from half of it to the whole. */
  readonly pollMs?: number;
  /** Called once, when the lock is not to be had at the first try, with its holder, such as `process 1234`. */
  readonly onWait?: (holder: string) => void;
  /** After this many milliseconds, resolve with `undefined` instead of trying on. */
  readonly giveUpAfterMs?: number;
}

const DEFAULT_POLL_MS = 4;
const PRIVATE_FILE_MODE = 0o600;
const PRIVATE_FOLDER_MODE = 0o700;
const OTHERS = 0o077;
/** What file systems without hard links answer; those have no modes either. */
const NO_LINKS = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

let loading: Promise<NativeLocks> | undefined;

/** Loads the native module when it is first needed. Import() finds it again each time, which costs as much as a lock. */
function loadLocks(): Promise<NativeLocks> {
  return (loading ??= import('./native-lock.js').then(({ nativeLocks }) => nativeLocks()));
}

/**
 * Takes the lock of `file` if nobody holds it, `undefined` otherwise. Two calls in one process exclude each
 * other too. The file is made where it is missing. Its holder may remove it before letting go: whoever then
 * gets the lock of the removed file notices that another stands in its place, and does not count it as held.
 * Throws StorageError: `unsafe-path` for anything but a regular file of ours (see openRegularFile),
 * `cannot-lock` where the file system has no locks; and the system's own errors.
 */
export async function tryLockFile(
  file: string,
  options: LockFileOptions = {},
): Promise<HeldLock | undefined> {
  const locks = await loadLocks();
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER_MODE });
  const descriptor = openLockFile(file, options);
  if (descriptor === undefined) return undefined;
  let held = false;
  try {
    held = await tryLockDescriptor(file, descriptor);
  } finally {
    if (!held) closeSync(descriptor);
  }
  if (!held) return undefined;
  writeHolder(descriptor);
  return {
    release() {
      if (!held) return;
      held = false;
      try {
        locks.unlock(descriptor);
      } finally {
        closeSync(descriptor);
      }
    },
  };
}

/**
 * Takes the lock of an open file until it is closed: false where another holds it, or where `file` names another
 * file by now. Throws as tryLockFile does.
 */
export async function tryLockDescriptor(file: string, descriptor: number): Promise<boolean> {
  const locks = await loadLocks();
  try {
    return locks.tryLock(descriptor) && isStillAt(file, descriptor);
  } catch (error) {
    throw asLockError(error, file);
  }
}

/** `undefined` where the file or its folder was made or removed by another process in this very moment. */
function openLockFile(file: string, { mode, isTrusted }: LockFileOptions): number | undefined {
  try {
    const options = { flags: constants.O_RDWR, ...(isTrusted && { isTrusted }) };
    return openRegularFileSync(file, options).descriptor;
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

/** A file for a group appears with its mode: until the umask is undone, the others of the group could not open it. */
function createLockFile(file: string, mode: number): number {
  if ((mode & OTHERS) === 0) return createFileSync(file, { mode });
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

/** Whether the open file is still the one that `file` names. */
function isStillAt(file: string, descriptor: number): boolean {
  const named = lstatSync(file, { throwIfNoEntry: false });
  const opened = fstatSync(descriptor);
  return named?.ino === opened.ino && named.dev === opened.dev;
}

const HOLDER_BYTES = 80;
/** For whoever waits. Always of one length, so that nothing is left of a longer one. */
const OWN_NAME = Buffer.alloc(HOLDER_BYTES, ' ');
OWN_NAME.write(`${process.pid} ${hostname().slice(0, 64)}\n`, 'latin1');

function writeHolder(descriptor: number): void {
  try {
    writeSync(descriptor, OWN_NAME, 0, HOLDER_BYTES, 0);
  } catch {
    // The lock holds without it.
  }
}

/** The process that took the lock of `file` last, in words; on Windows nobody can read the file of a held lock. */
export function lockHolder(file: string, options: LockFileOptions = {}): string {
  const [, pid, host] = /^(\d{1,10}) ([\w.-]{1,64})\n/.exec(holderText(file, options)) ?? [];
  if (pid === undefined || host === undefined) return 'another process';
  return host === hostname() ? `process ${pid}` : `process ${pid} on ${host}`;
}

function holderText(file: string, { isTrusted }: LockFileOptions): string {
  try {
    const options = { maxBytes: HOLDER_BYTES, ...(isTrusted && { isTrusted }) };
    return readIfThereSync(file, options)?.toString('latin1') ?? '';
  } catch {
    return '';
  }
}

/** What the native call throws has a code only, and for ENOLCK just "Unknown system error -37". */
function asLockError(error: unknown, file: string): unknown {
  if (!(error instanceof Object) || !('code' in error)) return error;
  const code = String(error.code);
  const number = /^Unknown system error -(\d+)$/.exec(code)?.[1];
  const name = Object.entries(osConstants.errno).find(([, value]) => value === Number(number))?.[0];
  return new StorageError(
    'cannot-lock',
    `The file system of ${file} cannot lock files (${name ?? code}).`,
    { cause: error },
  );
}

/**
 * Waits for the lock of `file`. Polls, since a wait inside the kernel could not be interrupted by Ctrl-C.
 * Rejects with the signal's reason when aborted; resolves with `undefined` only after `giveUpAfterMs`.
 */
export async function lockFile(
  file: string,
  wait: LockWait & { readonly giveUpAfterMs: number },
): Promise<HeldLock | undefined>;
export async function lockFile(file: string, wait?: LockWait): Promise<HeldLock>;
export async function lockFile(file: string, wait: LockWait = {}): Promise<HeldLock | undefined> {
  const clock = wait.clock ?? systemClock;
  const pollMs = wait.pollMs ?? DEFAULT_POLL_MS;
  const startedMs = clock.monotonicMs();
  for (let tries = 0; ; tries += 1) {
    wait.signal?.throwIfAborted();
    const lock = await tryLockFile(file, wait);
    if (lock) return lock;
    if (tries === 0 && wait.onWait) wait.onWait(lockHolder(file, wait));
    if (wait.giveUpAfterMs !== undefined && clock.monotonicMs() - startedMs >= wait.giveUpAfterMs)
      return undefined;
    await clock.sleep(pollMs * (0.5 + Math.random() / 2), wait.signal);
  }
}
