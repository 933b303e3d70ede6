/**
 * A book from which its chapters cannot be read back: with pages that were made for a device, or in several files. Its
 * manifest says so.
 */
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { fitSegment } from '../library/path-segment.js';
import { parseJson } from '../core/json.js';
import type { PageProfile } from './page-profile.js';

export interface BookPart {
  /** Counts from 1. */
  readonly number: number;
  readonly total: number;
}

export interface BookCopy {
  /** The options that the pages and the parts depend on. */
  readonly profile: string;
  /** The chapters in all parts; see sourceKey. */
  readonly keys: readonly string[];
  readonly part: BookPart;
}

/** A larger number in a manifest is wrong. */
const MAX_PARTS = 10_000;

const manifest = z.object({
  copy: z.object({
    profile: z.string(),
    keys: z.array(z.string()).min(1),
    part: z.object({ number: z.int().positive(), total: z.int().positive().max(MAX_PARTS) }),
  }),
});

/** Undefined for a book from which its chapters can be read back, and for anything but a manifest. */
export function manifestCopy(json: string): BookCopy | undefined {
  return manifest.safeParse(parseJson(json)).data?.copy;
}

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

/** See BookCopy; undefined for a book with the pages of its chapters in one file. */
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
