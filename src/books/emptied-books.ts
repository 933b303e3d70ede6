/** Books whose chapters all moved to other volumes. Pure. */
import { join, resolve, sep } from 'node:path';
import { groupBy } from '../core/group-by.js';
import { pathCollisionKey } from '../core/path-segment.js';
import type { BindBy } from '../config/bind-choices.js';
import type { PlannedBook } from './book-names.js';
import { normalizedNumber, volumeOf } from './group-volumes.js';
import type { BookChapter } from './source-chapter.js';

/** The files of books in the output folder that are among the inputs. `bookOf`: the planned books by the ids of their chapters. */
export function emptiedBooks(
  chapters: readonly BookChapter[],
  bookOf: ReadonlyMap<string, PlannedBook>,
  {
    by,
    output,
    extension,
  }: { readonly by: BindBy; readonly output: string; readonly extension: string },
): readonly string[] {
  // A folder cannot be read back.
  if (by !== 'volume' || extension === '') return [];
  const isMoved = ({ chapterId = '', metadata }: BookChapter) => {
    const book = bookOf.get(chapterId);
    const volume = normalizedNumber(metadata.volume);
    return volume !== '' && book !== undefined && book.group.volume !== volume;
  };
  const planned = new Set([...bookOf.values()].map(({ file }) => pathCollisionKey(file)));
  const books = groupBy(
    chapters.filter(({ isBound }) => isBound),
    ({ file }) => file,
  );
  return [...books].flatMap(([file, own]) =>
    file.toLowerCase().endsWith(extension) &&
    resolve(file).startsWith(join(resolve(output), sep)) &&
    !planned.has(pathCollisionKey(file)) &&
    volumeOf(own) !== undefined &&
    own.every(isMoved)
      ? [file]
      : [],
  );
}
