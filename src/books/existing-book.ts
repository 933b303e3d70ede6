/** What exists at the path of a book that is to be written. Only a book with the mark of `bind` is replaced. */
import { isDeepStrictEqual } from 'node:util';
import { readLibraryFile, type BookFile, type ReadChapter } from '../library/file.js';
import { assertOwnFile } from '../core/file-state.js';
import { type BookCopy, type BookPart, partFile } from './book-copy.js';
import { fileErrorReason } from '../core/files.js';
import type { ContainerName } from '../config/containers.js';
import { CONTAINERS } from '../config/containers.js';
import { sourceKey } from './source-chapter.js';

export type ExistingBook =
  | { readonly kind: 'none' }
  /** Without the mark of `bind`. `readError`: it may be a damaged book. */
  | { readonly kind: 'foreign'; readonly readError?: string }
  | (Pick<BookFile, 'isEdited' | 'state' | 'copy' | 'named'> & {
      readonly kind: 'bound';
      /** In order; see sourceKey. At least one. */
      readonly keys: readonly string[];
      /** The chapters that can be read back: none of a PDF or a folder. */
      readonly chapters: readonly ReadChapter[];
      /** The name of the series in a file that `retag` does not change, such as a PDF. */
      readonly fixedSeries: string | undefined;
      /** Truncated, or with files that are gone. */
      readonly isDamaged: boolean;
    });

const FOREIGN: ExistingBook = { kind: 'foreign' };

export async function readExistingBook(path: string, format: ContainerName): Promise<ExistingBook> {
  const file = await readLibraryFile(path);
  if (file.kind === 'missing') return { kind: 'none' };
  if (file.kind === 'unreadable')
    return { kind: 'foreign', readError: fileErrorReason(file.cause) };
  const isFolder = file.state === undefined;
  if (file.kind !== 'book' || isFolder !== (format === 'folder')) return FOREIGN;
  const { isEdited, state, copy, named, damage, container } = file;
  const isDamaged = damage !== undefined;
  if (file.keys.length === 0)
    return isDamaged ? { kind: 'foreign', readError: fileErrorReason(damage) } : FOREIGN;
  const isReadable = !isDamaged && !copy && file.hasReadablePages;
  const chapters = isReadable ? file.chapters : [];
  const keys = isReadable ? chapters.map(sourceKey) : file.keys;
  const fixedSeries = CONTAINERS[container].isRewritable
    ? undefined
    : file.chapters[0]?.written?.series;
  const whole = { isDamaged, isEdited, state, copy, named };
  return { kind: 'bound', keys, chapters, fixedSeries, ...whole };
}

/** The book at this path, or the one in parts that has this path without their numbers. */
export async function readExistingParts(
  file: string,
  format: ContainerName,
  extension: string,
): Promise<ExistingBook> {
  const whole = await readExistingBook(file, format);
  if (whole.kind !== 'none' || format === 'folder') return whole;
  const readPart = (part: BookPart) => readExistingBook(partFile(file, part, extension), format);
  const first = await readPart({ number: 1, total: 2 });
  if (first.kind !== 'bound' || !first.copy) return whole;
  const { copy } = first;
  const { total } = copy.part;
  let { isDamaged, isEdited } = first;
  isDamaged ||= total === 1;
  for (let number = 2; number <= total; number += 1) {
    const part = await readPart({ number, total });
    isDamaged ||= part.kind !== 'bound' || part.isDamaged;
    isDamaged ||= part.kind === 'bound' && !isPartOf(part.copy, copy, number);
    isEdited ||= part.kind === 'bound' && part.isEdited;
  }
  return { ...first, isDamaged, isEdited };
}

/** Throws StorageError `unsafe-path` for a book of another user, which is not replaced. In a folder, each file is checked. */
export function assertOwnBook(file: string, existing: ExistingBook): void {
  if (existing.kind === 'bound' && existing.state) assertOwnFile(file, existing.state);
}

function isPartOf(copy: BookCopy | undefined, first: BookCopy, number: number): boolean {
  const expected = { ...first, part: { number, total: first.part.total } };
  return isDeepStrictEqual(copy, expected);
}
