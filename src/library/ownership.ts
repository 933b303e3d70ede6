/**
 * Which files are tankobon's own. Only those with its own mark are: the archive comment of a chapter, or the manifest in
 * a bound book. A file that only has MangaDex's address in ComicInfo.xml counts as a chapter that exists, but another
 * program wrote it. Every command that replaces, renames, rewrites or removes a file asks here first, and asks
 * isUnchanged right before it does so.
 */
import { lstat } from 'node:fs/promises';
import { isOwnFile } from '../core/safe-open.js';
import type { Proof } from './mark.js';

/**
 * `own`: a regular file of this user with the mark. `lost-mark`: another program wrote it again without the mark, and a
 * page has a digest of the record. `foreign`: written by another program, or not readable. `link`: has the mark, but
 * behind a symbolic link. `other-user`: has the mark, and belongs to another user.
 */
export type Ownership = 'own' | 'lost-mark' | 'foreign' | 'link' | 'other-user';

/** Whether the file may be renamed and its metadata rewritten. Only an `own` file may be replaced or removed. */
export function mayBeRewritten(ownership: Ownership): ownership is 'own' | 'lost-mark' {
  return ownership === 'own' || ownership === 'lost-mark';
}

/** What a mark, or its absence, means for a file or a link to it. Never rejects. */
export async function toOwnership(
  file: string,
  proof: Proof,
  isRegular: boolean,
): Promise<Ownership> {
  if (proof === 'none') return 'foreign';
  if (!isRegular) return 'link';
  return ownershipOf(file, proof, await lstat(file).catch(() => undefined));
}

/** What may be done with a file that is not a link. `owner`: undefined if the file is gone. */
export function ownershipOf(
  file: string,
  proof: Proof,
  owner: Parameters<typeof isOwnFile>[1] | undefined,
): Ownership {
  if (proof === 'none') return 'foreign';
  if (owner && !isOwnFile(file, owner)) return 'other-user';
  return proof === 'mark' ? 'own' : 'lost-mark';
}

/** For people: why the file is kept. */
export function keptReason(file: string, ownership: Exclude<Ownership, 'own'>): string {
  switch (ownership) {
    case 'lost-mark':
      return `${file} lost the mark of tankobon to another program, and is kept.`;
    case 'link':
      return `${file} is a symbolic link and is kept.`;
    case 'foreign':
      return `${file} was written by another program and is kept.`;
    case 'other-user':
      return `${file} belongs to another user and is kept.`;
  }
}
