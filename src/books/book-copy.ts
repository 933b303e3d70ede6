/**
 * A book from which its chapters cannot be read back: with pages that were made for a device, or in several files. Its
 * manifest says so.
 */
import { basename, dirname, join } from 'node:path';
import { fitSegment } from '../core/path-segment.js';
import type { BookFile } from '../library/file.js';
import type { PageProfile } from './page-profile.js';

export type BookCopy = NonNullable<BookFile['copy']>;
export type BookPart = BookCopy['part'];

/** `Lighthouse Vol.01 part 2.epub` for part 2 of `Lighthouse Vol.01.epub`. */
export function partFile(file: string, { number, total }: BookPart, extension: string): string {
  if (total === 1) return file;
  const name = basename(file).slice(0, -extension.length);
  return join(dirname(file), fitSegment(name, ` part ${number}${extension}`));
}

/** `Lighthouse, Vol. 1 (2 of 3)`. */
export function titleOfPart(title: string, part: BookPart | undefined): string {
  return part && part.total > 1 ? `${title} (${part.number} of ${part.total})` : title;
}

/** What the manifest of a copy says; undefined for a book with the pages of its chapters in one file. */
export function copyProfile({
  profile,
  maxBytes,
}: {
  readonly profile?: PageProfile | undefined;
  readonly maxBytes?: number | undefined;
}): string | undefined {
  const size = maxBytes === undefined ? [] : [`max-size=${maxBytes}`];
  return profile || maxBytes !== undefined
    ? [...(profile ? [profile.text] : []), ...size].join(' ')
    : undefined;
}
