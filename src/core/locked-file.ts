/** An open file together with its lock. */
import { closeSync, writeSync } from 'node:fs';
import { StorageError } from './errors.js';
import { createFileSync, temporaryName } from './files.js';
import { tryLockOpenFile, type HeldLock } from './lock.js';

export interface LockedFile {
  readonly file: string;
  readonly descriptor: number;
  readonly lock: HeldLock;
}

/** An empty temporary file beside `file`. */
export async function createLockedFile(file: string): Promise<LockedFile> {
  const tmpFile = temporaryName(file);
  const locked = await lockDescriptor(tmpFile, createFileSync(tmpFile, 0o600));
  if (locked) return locked;
  throw new StorageError('storage-failed', `Another process has locked ${tmpFile}.`);
}

/** Closes the file if its lock is not available. */
export async function lockDescriptor(
  file: string,
  descriptor: number,
): Promise<LockedFile | undefined> {
  let lock: HeldLock | undefined;
  try {
    lock = await tryLockOpenFile(file, descriptor);
    return lock && { file, descriptor, lock };
  } finally {
    if (!lock) closeSync(descriptor);
  }
}

export function release({ lock, descriptor }: LockedFile): void {
  try {
    lock.release();
    closeSync(descriptor);
  } catch {
    // A network file system may report a failed write here; the descriptor is closed all the same.
  }
}

/** The system may write less than requested, as on a disk that becomes full. */
export function writeBytes(descriptor: number, bytes: Buffer, position: number): void {
  for (let written = 0; written < bytes.length;)
    written += writeSync(descriptor, bytes, written, bytes.length - written, position + written);
}
