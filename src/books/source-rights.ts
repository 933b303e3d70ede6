/** The rights of a book: a user who cannot read one of its sources cannot read the book. */
import { dirname } from 'node:path';
import { maxModeIn, statIfExists, type FileRights } from '../core/files.js';
import type { CoverImage } from './book.js';
import type { ExistingBook } from './existing-book.js';
import type { BookChapter } from './source-chapter.js';

interface BookSources {
  readonly chapters: readonly Pick<BookChapter, 'file'>[];
  readonly cover: Pick<CoverImage, 'file'> | undefined;
  readonly existing: ExistingBook;
}

/** The most rights of a new book at `file`, or of one in the place of the existing one. */
export async function maxModeOfBook(
  file: string,
  { chapters, cover, existing }: BookSources,
): Promise<number> {
  const files = new Set(chapters.map((chapter) => chapter.file));
  if (cover) files.add(cover.file);
  const sources: FileRights[] = [];
  for (const source of files) {
    const stats = await statIfExists(source);
    if (stats) sources.push(stats);
  }
  if (existing.kind === 'bound' && existing.state) sources.push(existing.state);
  return maxModeIn(dirname(file), sources);
}
