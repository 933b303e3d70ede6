/** Whether a planned book has what the existing one has. Pure. */
import { StorageError } from '../core/errors.js';
import { pluralize } from '../core/human-format.js';
import type { ExistingBook } from './existing-book.js';
import type { PlannedBook } from './book-names.js';
import type { BindPlan } from './plan-books.js';
import { replacedKeys, sourceKey, type BookChapter } from './source-chapter.js';

const PUT_BACK = 'Put the files of these chapters back, or move the book away.';

export interface ComparisonOptions {
  /** Set for a copy: see BookCopy. */
  readonly profile?: string | undefined;
  /** The ids of chapters that other books have by now. */
  readonly arrived?: ReadonlySet<string>;
  /** Whether a copy may lose chapters that the files lack. */
  readonly mayLose?: boolean;
}

/**
 * What the existing book is to the planned one. `has-more`: it has all of the planned chapters, and others that cannot be
 * read back from it. Throws StorageError: `name-taken` as assertReplaceable does, `book-incomplete` if the new book would
 * lack chapters of the existing one.
 */
export function compareBook(
  { file, group }: PlannedBook,
  existing: ExistingBook,
  plan: BindPlan,
  { profile, arrived = new Set(), mayLose = false }: ComparisonOptions = {},
): 'missing' | 'different' | 'same' | 'has-more' {
  if (existing.kind === 'none') return 'missing';
  assertReplaceable(file, existing, profile);
  const keys = group.chapters.map(sourceKey);
  const allKeys = [...keys, ...plan.otherReleases.map(sourceKey)];
  const newest = newestVersions(allKeys);
  const isFollowing = mayLose && existing.copy !== undefined;
  const replaced = replacedKeys(existing.keys, group.chapters);
  const missing = existing.keys.filter(
    (key) =>
      !isFollowing &&
      !replaced.has(key) &&
      !arrived.has(withoutVersion(key)) &&
      (newest.get(withoutVersion(key)) ?? -1) < versionOf(key),
  );
  if (missing.length === 0)
    return existing.isDamaged ||
      existing.copy?.profile !== profile ||
      hasOtherSeries(existing, group.series) ||
      group.chapters.some((chapter) => hasFullPages(chapter, existing)) ||
      keys.join('\n') !== existing.keys.join('\n')
      ? 'different'
      : 'same';
  const hasAll = arrived.size === 0 && keys.every((key) => existing.keys.includes(key));
  if (hasAll && !existing.isDamaged && existing.copy?.profile === profile) return 'has-more';
  const what = `${pluralize(missing.length, 'chapter')} that the files lack, or have in an older version`;
  const message = `The existing book has ${what}: ${file}`;
  // Files of other programs cannot be downloaded again.
  const hint = missing.some((key) => withoutVersion(key) === key) ? PUT_BACK : undefined;
  throw new StorageError('book-incomplete', message, { hint });
}

/**
 * Throws StorageError `name-taken` for a file of another program, and for the original pages if the new book, which has
 * a profile, has others.
 */
export function assertReplaceable(
  file: string,
  existing: ExistingBook,
  profile: string | undefined,
): asserts existing is Exclude<ExistingBook, { readonly kind: 'foreign' }> {
  if (existing.kind === 'foreign') {
    const { readError } = existing;
    const problem =
      readError === undefined
        ? 'The file exists and was not made by bind'
        : `The existing book cannot be read (${readError})`;
    const hint = 'Remove it or move it away, then run the same command again.';
    throw new StorageError('name-taken', `${problem}: ${file}`, { hint, path: file });
  }
  if (existing.kind === 'bound' && !existing.copy && profile !== undefined) {
    const hint =
      'Books for a device and with --max-size are copies. Choose another folder: --output DIR';
    throw new StorageError('name-taken', `The existing book has the original pages: ${file}`, {
      path: file,
      hint,
    });
  }
}

/** By the key without its version, also in the form of older books. */
function newestVersions(keys: readonly string[]): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (const key of keys)
    for (const name of [withoutVersion(key), withoutChecksum(key)])
      newest.set(name, Math.max(newest.get(name) ?? 0, versionOf(key)));
  return newest;
}

/** A later update found pages as uploaded that the book has compressed. */
function hasFullPages(
  chapter: BookChapter,
  { compressed }: Extract<ExistingBook, { readonly kind: 'bound' }>,
): boolean {
  const pages = chapter.isBound ? [] : (compressed.get(sourceKey(chapter)) ?? []);
  return pages.some((page) => chapter.record?.dataSaverPages?.includes(page) !== true);
}

/** The title of a PDF was renamed since it was bound. One that its owner edited keeps its name. */
function hasOtherSeries(
  { fixedSeries, isEdited }: Extract<ExistingBook, { readonly kind: 'bound' }>,
  series: string,
): boolean {
  return fixedSeries !== undefined && !isEdited && fixedSeries !== series;
}

function withoutVersion(key: string): string {
  return key.replace(/@\d+$/, '');
}

/** 0 for a chapter without an identity. */
function versionOf(key: string): number {
  return Number(/@(\d+)$/.exec(key)?.[1] ?? 0);
}

/** Older books have the key of a chapter without an identity in this form. */
function withoutChecksum(key: string): string {
  return key.replace(/\|\d+$/, '');
}
