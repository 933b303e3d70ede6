/**
 * Locks between processes, held by the operating system on an open file: when the holder dies, however it
 * dies, the kernel lets go at once, so there is no stale lock to guess about.
 */
import { closeSync, fstatSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemClock, type Clock } from './clock.js';
import { isSystemError } from './files.js';

export interface HeldLock {
  /** Lets go. Doing so twice is harmless. */
  release(): void;
}

export interface LockWait {
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  /** How often to try, in milliseconds; each pause is drawn from half of it to the whole. */
  readonly pollMs?: number;
  /** Called once, when the lock is not to be had at the first try. */
  readonly onWait?: () => void;
  /** After this many milliseconds, resolve with `undefined` instead of trying on. */
  readonly giveUpAfterMs?: number;
}

const DEFAULT_POLL_MS = 4;
/** A lock file may be shared by several users of the machine; it never holds a byte. */
const LOCK_FILE_MODE = 0o666;

/**
 * Takes the lock of `file` if nobody holds it, `undefined` otherwise. Two calls in one process exclude each
 * other too. The file is made where it is missing. Its holder may remove it before letting go: whoever then
 * gets the lock of the removed file notices that another stands in its place, and does not count it as held.
 */
export async function tryLockFile(file: string): Promise<HeldLock | undefined> {
  const { default: locks } = await import('fs-native-extensions');
  mkdirSync(dirname(file), { recursive: true });
  const descriptor = openLockFile(file);
  if (descriptor === undefined) return undefined;
  let held = false;
  try {
    held = locks.tryLock(descriptor) && standsAt(file, descriptor);
  } finally {
    if (!held) closeSync(descriptor);
  }
  if (!held) return undefined;
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

/** `undefined` where the folder was removed in this very moment, by a holder that was done with it. */
function openLockFile(file: string): number | undefined {
  try {
    return openSync(file, 'a+', LOCK_FILE_MODE);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Whether the open file is still the one that `file` names. */
function standsAt(file: string, descriptor: number): boolean {
  const named = statSync(file, { throwIfNoEntry: false });
  return named?.ino === fstatSync(descriptor).ino;
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
    const lock = await tryLockFile(file);
    if (lock) return lock;
    if (tries === 0) wait.onWait?.();
    if (wait.giveUpAfterMs !== undefined && clock.monotonicMs() - startedMs >= wait.giveUpAfterMs)
      return undefined;
    await clock.sleep(pollMs * (0.5 + Math.random() / 2), wait.signal);
  }
}
