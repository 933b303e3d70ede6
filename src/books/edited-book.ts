/** The warning about a book that its owner edited, and that therefore stays as it is. Pure. */
import { OPTIONS } from '../config/options.js';
import { shellQuoted } from '../core/shell-quoted.js';
import type { BindWarning } from '../events/bind-events.js';
import type { ExistingBook } from './existing-book.js';
import type { BindPlan, BindRequest } from './plan-books.js';
import { sourceKey, type BookChapter } from './source-chapter.js';

type BoundBook = Pick<Extract<ExistingBook, { readonly kind: 'bound' }>, 'keys' | 'chapters'>;

export interface EditedBook {
  readonly file: string;
  readonly existing: BoundBook;
  /** What the book would have. */
  readonly chapters: readonly BookChapter[];
}

/** Which chapters it lacks, and which have moved from it, with the command that binds it again. */
export function editedWarning(
  { file, existing, chapters }: EditedBook,
  { bookOf }: Pick<BindPlan, 'bookOf'>,
  { by, format, output }: Pick<BindRequest, 'by' | 'format' | 'output'>,
): BindWarning {
  const ids = new Set(chapters.map(({ chapterId }) => chapterId));
  const missing = chapters.filter((chapter) => !existing.keys.includes(sourceKey(chapter)));
  const moved = existing.chapters.filter(
    ({ chapterId }) => chapterId !== undefined && !ids.has(chapterId),
  );
  const differences = [
    ...(missing.length > 0 ? [`it lacks ${chapterList(missing)}`] : []),
    ...(moved.length > 0 ? [`it still has ${chapterList(moved)}`] : []),
  ];
  const stays = differences.join(' and ') || 'the files of its chapters stay too';
  const otherBooks = moved.flatMap(({ chapterId = '' }) => bookOf.get(chapterId) ?? []);
  const files = [file, ...[...missing, ...otherBooks].map((other) => other.file)];
  const options = [
    '--force',
    ...(by === 'volume' ? [] : [`--by ${by}`]),
    ...(format === OPTIONS.format.default ? [] : [`--format ${format}`]),
    `-o ${shellQuoted(output)}`,
  ];
  const inputs = [...new Set(files)].map(shellQuoted);
  return {
    type: 'warning',
    message: `Kept as it is, since another program changed it after it was bound: ${file}; ${stays}`,
    hint: `To replace it without these changes, run: tankobon bind ${[...options, ...inputs].join(' ')}`,
  };
}

/** Such as `chapter 2` or `chapters 2, 3`. */
function chapterList(chapters: readonly BookChapter[]): string {
  const names = chapters.map(({ metadata: { number, title } }) => number ?? title ?? 'no number');
  return `${names.length === 1 ? 'chapter' : 'chapters'} ${names.join(', ')}`;
}
