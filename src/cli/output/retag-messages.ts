/** What became of the metadata of a file, for people. */
import type { RetaggedChapter } from '../../download/write-retags.js';
import { chapterName, type ChapterFields } from '../../selection/chapter-fields.js';

/** A chapter in a book is named, since the book has others too. */
export function describeRetaggedChapter(event: RetaggedChapter & ChapterFields): string {
  const { book, newFile = '', changed, removedFile } = event;
  if (book === undefined) return describeRetagged(event);
  return [
    `${chapterName(event) ?? event.chapter}: ${changed.join(', ')}`,
    ...removedLines(removedFile),
    `  in a book, which gets it when it is bound again: ${book}`,
    `  until then, in a file of its own: ${newFile}`,
  ].join('\n');
}

/** Such as `a.cbz: title, volume`, with a line for what stays and for a new name. */
export function describeRetagged(
  event: Omit<RetaggedChapter, 'type' | 'chapter' | 'book'>,
): string {
  const { file, newFile, nameTaken, removedFile, changed, kept } = event;
  return [
    `${file}: ${changed.join(', ') || (newFile === undefined ? 'unchanged' : 'name')}`,
    ...keptLines(kept),
    ...removedLines(removedFile),
    ...(newFile === undefined ? [] : [`  renamed to ${newFile}`]),
    ...(nameTaken === undefined ? [] : [`  with its id, since another file is ${nameTaken}`]),
  ].join('\n');
}

/** A file that stays, although MangaDex has other metadata than its owner. */
export function describeKept(file: string, kept: readonly string[]): string {
  return [`${file}: unchanged`, ...keptLines(kept)].join('\n');
}

/** A file that made way for the chapter that got its number. */
export function removedLines(file: string | undefined): readonly string[] {
  return file === undefined ? [] : [`  in place of a chapter that MangaDex deleted: ${file}`];
}

export function keptLines(kept: readonly string[]): readonly string[] {
  return kept.length === 0 ? [] : [`  kept: ${kept.join(', ')}`];
}
