/** The text in a lock file: the process that last took the lock, for the messages of processes that wait. */
import { writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { readFileIfExistsSync } from './files.js';

const HOLDER_BYTES = 96;
const OWN_HOST =
  hostname()
    .replace(/[^\w.-]/g, '_')
    .slice(0, 64) || 'unknown';
const HOLDER = /^(\d{1,10}) ([\w.-]{1,64})\s/;

/** Always of the same length, to overwrite a longer one. */
export function writeLockHolder(descriptor: number): void {
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
