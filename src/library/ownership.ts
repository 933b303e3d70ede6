/**
 * Which files are tankobon's own. Only those with its own mark are: the archive comment of a chapter, or the manifest in
 * a bound book. A file that only has MangaDex's address in ComicInfo.xml counts as a chapter that exists, but another
 * program wrote it. Every command that replaces, renames, rewrites or removes a file asks here first, and asks
 * isUnchanged right before it does so.
 */
import { lstat } from 'node:fs/promises';
import { isOwnFile } from '../core/safe-open.js';

/**
 * `own`: a regular file of this user with the mark. `foreign`: written by another program, or not readable. `link`: has
 * the mark, but behind a symbolic link. `other-user`: has the mark, and belongs to another user.
 */
export type Ownership = 'own' | 'foreign' | 'link' | 'other-user';

/** What a mark, or its absence, means for a file or a link to it. Never rejects. */
export async function toOwnership(
  file: string,
  isMarked: boolean,
  isRegular: boolean,
): Promise<Ownership> {
  if (!isMarked) return 'foreign';
  if (!isRegular) return 'link';
  const stats = await lstat(file).catch(() => undefined);
  return stats && !isOwnFile(file, stats) ? 'other-user' : 'own';
}

/** For people: why the file is kept. */
export function keptReason(file: string, ownership: Exclude<Ownership, 'own'>): string {
  switch (ownership) {
    case 'link':
      return `${file} is a symbolic link and is kept.`;
    case 'foreign':
      return `${file} was written by another program and is kept.`;
    case 'other-user':
      return `${file} belongs to another user and is kept.`;
  }
}
