/** The text in a lock file: the process that last took the lock, for messages, and the kind of the lock. */
import { readSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import type { LockKind } from './file-locks.js';
import { readFileIfExistsSync, type OpenOptions } from './files.js';

const HOLDER_BYTES = 96;
const OWN_HOST =
  hostname()
    .replace(/[^\w.-]/g, '_')
    .slice(0, 64) || 'unknown';
const HEARTBEAT_MARK = ' heartbeat';
const HOLDER = /^(\d{1,10}) ([\w.-]{1,64})( heartbeat)?\n/;

/** Named in the messages of processes that wait. Always of the same length, to overwrite a longer one. */
export function writeLockHolder(descriptor: number, kind: LockKind): void {
  const holder = Buffer.alloc(HOLDER_BYTES, ' ');
  const mark = kind === 'heartbeat' ? HEARTBEAT_MARK : '';
  holder.write(`${process.pid} ${OWN_HOST}${mark}\n`, 'latin1');
  try {
    writeSync(descriptor, holder, 0, HOLDER_BYTES, 0);
  } catch {
    // The lock is held without it.
  }
}

/** The kind that the first holder took, and so all others. On Windows a file that the kernel locked cannot be read. */
export function readLockKind(descriptor: number): LockKind {
  const holder = Buffer.alloc(HOLDER_BYTES);
  try {
    const bytes = readSync(descriptor, holder, 0, HOLDER_BYTES, 0);
    const [, , , mark] = HOLDER.exec(holder.toString('latin1', 0, bytes)) ?? [];
    return mark === HEARTBEAT_MARK ? 'heartbeat' : 'kernel';
  } catch {
    return 'kernel';
  }
}

/** The process that last took the lock of `file`, in words. On Windows a locked file cannot be read. */
export function describeLockHolder(
  file: string,
  { isTrusted }: Pick<OpenOptions, 'isTrusted'> = {},
): string {
  let text = '';
  try {
    const options = { maxBytes: HOLDER_BYTES, isTrusted };
    text = readFileIfExistsSync(file, options)?.toString('latin1') ?? '';
  } catch {
    // Unreadable: the holder is not known.
  }
  const [, pid, host] = HOLDER.exec(text) ?? [];
  if (pid === undefined || host === undefined) return 'another process';
  return host === OWN_HOST ? `process ${pid}` : `process ${pid} on ${host}`;
}
