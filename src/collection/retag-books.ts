/** Books of titles that get another name: they move with the chapters, with the new name in their metadata. */
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import type { Chapter } from '../service/chapters.js';
import type { ExistingArchive } from '../library/scan.js';
import type { BookFile } from '../library/file.js';
import { cleanSegment, MAX_SEGMENT_BYTES } from '../core/path-segment.js';
import { BOOK_SUFFIX_BYTES } from '../config/bind-choices.js';
import type { SeriesRename } from '../books/book-series.js';
import { bookPath, readOwnBook, type BookMove } from '../books/rename-book.js';
import { sharedFolder, type NewFolders } from './renamed-titles.js';

export interface BookOfTitle extends BookFile {
  readonly titleId: string;
  /** The series as tankobon wrote it. */
  readonly writtenSeries: string | undefined;
}

export interface BookRetag extends BookMove {
  readonly book: BookOfTitle;
  readonly names: SeriesRename;
  /** The owner changed the series or the book: its content stays. */
  readonly keepsContent: boolean;
}

export interface ReadBooks {
  readonly books: readonly BookOfTitle[];
  readonly failed: readonly { readonly file: string; readonly error: unknown }[];
}

/** The books among the archives of a library whose title is known. */
export async function readBooks(
  archives: readonly ExistingArchive[],
  chapters: ReadonlyMap<string, Pick<Chapter, 'titleId'>>,
): Promise<ReadBooks> {
  const titleIds = new Map<string, string>();
  for (const { file, chapterId, titleId: written } of archives) {
    const titleId = chapters.get(chapterId)?.titleId ?? written;
    const path = bookPath(file);
    if (titleId !== undefined && !titleIds.has(path)) titleIds.set(path, titleId);
  }
  const books: BookOfTitle[] = [];
  const failed: ReadBooks['failed'][number][] = [];
  for (const [file, titleId] of titleIds)
    try {
      const book = await readOwnBook(file);
      const writtenSeries = book?.chapters[0]?.written?.series;
      if (book) books.push({ ...book, titleId, writtenSeries });
    } catch (error) {
      failed.push({ file, error });
    }
  return { books, failed };
}

/** The name that the title has by this book; undefined if its owner changed it, and its path has another one. */
export function usedName({
  path: file,
  container,
  isEdited,
  writtenSeries,
}: BookOfTitle): string | undefined {
  if (!isEdited || writtenSeries === undefined) return writtenSeries;
  const names = { from: writtenSeries, to: '' };
  const [folder, name] = [basename(dirname(resolve(file))), basename(file)];
  const isInPath =
    renamedFolder(folder, names) !== folder || renamedFile(name, { container }, names) !== name;
  return isInPath ? writtenSeries : undefined;
}

/** Undefined if the book stays as it is. `folder`: the one that was named, whose name may be that of the title. */
export function planBookRetag(
  book: BookOfTitle,
  newName: string,
  { folder, newFolders }: { readonly folder: string; readonly newFolders: NewFolders },
): BookRetag | undefined {
  const { writtenSeries, chapters, isEdited } = book;
  if (writtenSeries === undefined || writtenSeries === newName) return undefined;
  const names = { from: writtenSeries, to: newName };
  const file = resolve(book.path);
  const top = dirname(resolve(folder));
  const newFolder =
    newFolders.of(dirname(file)) ?? join(top, renamedFolder(relative(top, dirname(file)), names));
  const to = join(newFolder, renamedFile(basename(file), book, names));
  const keepsContent = isEdited || chapters[0]?.metadata.series !== writtenSeries;
  if (keepsContent && to === file) return undefined;
  const root = sharedFolder(dirname(file), newFolder);
  const rename = keepsContent ? undefined : names;
  return { book: { ...book, path: file }, to, root, names, rename, keepsContent };
}

/** Folders that have the name of the series. */
function renamedFolder(path: string, { from, to }: SeriesRename): string {
  const old = cleanSegment(from);
  return path
    .split(sep)
    .map((name) => (name === old ? cleanSegment(to) : name))
    .join(sep);
}

/** `Old Vol.01.cbz` becomes `New Vol.01.cbz`; a name that does not begin with that of the series stays. */
function renamedFile(
  name: string,
  { container }: Pick<BookFile, 'container'>,
  { from, to }: SeriesRename,
): string {
  const old = cleanSegment(from);
  const rest = name.startsWith(old) ? name.slice(old.length) : undefined;
  if (rest === undefined || old === '' || /^[\p{L}\p{N}]/u.test(rest)) return name;
  const extension = container === 'folder' ? '' : extname(name);
  const stem = rest.slice(0, rest.length - extension.length);
  const maxBytes = MAX_SEGMENT_BYTES - BOOK_SUFFIX_BYTES - Buffer.byteLength(stem + extension);
  return cleanSegment(cleanSegment(to, maxBytes) + stem) + extension;
}
