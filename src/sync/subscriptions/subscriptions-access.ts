/** Who can write to the subscriptions file: it says what `sync` downloads, and which commands it runs. */
import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../../core/errors.js';
import { hasModes } from '../../core/own-folder.js';
import { shellQuoted } from '../../core/shell-quoted.js';

const GROUP_WRITE = 0o020;
const WORLD_WRITE = 0o002;

export type Warn = (message: string, hint?: string) => void;

/**
 * Throws UsageError `bad-subscriptions` if others, or a group other than the user's own, can write to the file. Warns
 * instead where the file system has no modes.
 */
export function checkWriters(path: string, stats: Stats, warn: Warn): void {
  if (!isWritableByOthers(stats)) return;
  if (hasModes(dirname(path))) {
    const message = `The subscriptions file is not used: other users can write to it: ${path}`;
    throw new UsageError('bad-subscriptions', message, {
      hint: `Check its content, then type: chmod go-w ${shellQuoted(path)}`,
    });
  }
  warn(
    `The file system has no modes: other users may be able to write to the subscriptions file: ${path}`,
    'Move it to another file system, or mount this one for you alone.',
  );
}

/** Windows has no such modes. */
function isWritableByOthers({ mode, gid }: Stats): boolean {
  const ownGid = process.getegid?.();
  if (ownGid === undefined) return false;
  return (mode & WORLD_WRITE) !== 0 || ((mode & GROUP_WRITE) !== 0 && gid !== ownGid);
}
