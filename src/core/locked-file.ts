/** An open file together with its lock. */
import { writeSync } from 'node:fs';
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
  const descriptor = createFileSync(tmpFile, 0o600);
  const lock = await tryLockOpenFile(tmpFile, descriptor);
  if (lock) return { file: tmpFile, descriptor, lock };
  throw new StorageError('storage-failed', `Another process has locked ${tmpFile}.`);
}

/** The system may write less than requested, as on a disk that becomes full. */
export function writeBytes(descriptor: number, bytes: Buffer, position: number): void {
  for (let written = 0; written < bytes.length;)
    written += writeSync(descriptor, bytes, written, bytes.length - written, position + written);
}
