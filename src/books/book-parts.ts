/** Divides a book into parts that are not larger than a limit. Pure. */
import type { ContainerName } from '../config/containers.js';
import type { BookGroup } from './book.js';
import { chapterLabel, sourceKey } from './source-chapter.js';
import { type ReadChapter } from '../library/file.js';
import { WRITERS } from './write-book.js';

export interface DividedBook {
  readonly groups: readonly BookGroup[];
  /** Chapters that are larger than a part, and were cut between two pages. */
  readonly cutChapters: readonly string[];
}

/**
 * Cuts between chapters; a chapter that is larger than a part is cut between pages. A page that is larger is a part of
 * its own.
 *
 * @param bytesOf the sizes of the pages of a chapter
 * @param baseBytes the cover and the metadata, which each part has
 */
export function divideBook(
  group: BookGroup,
  bytesOf: (chapter: ReadChapter) => readonly number[],
  {
    format,
    maxBytes,
    baseBytes,
  }: { readonly format: ContainerName; readonly maxBytes: number; readonly baseBytes: number },
): DividedBook {
  const overhead = WRITERS[format].overheadBytes;
  const capacity = maxBytes - overhead.book - baseBytes;
  const parts: ReadChapter[][] = [[]];
  const cutChapters: string[] = [];
  let used = 0;
  const startPart = (): void => {
    if (parts.at(-1)?.length !== 0) parts.push([]);
    used = 0;
  };
  for (const chapter of group.chapters) {
    const sizes = bytesOf(chapter).map((bytes) => bytes + overhead.page);
    const fixed = overhead.chapter + 2 * JSON.stringify(chapter.metadata).length;
    const total = fixed + sizes.reduce((sum, bytes) => sum + bytes, 0);
    if (used + total > capacity) startPart();
    if (total <= capacity) {
      parts.at(-1)?.push(chapter);
      used += total;
      continue;
    }
    if (chapter.pages.length > 1) cutChapters.push(chapterLabel(chapter.metadata));
    const key = sourceKey(chapter);
    let start = 0;
    used += fixed;
    for (const [page, bytes] of sizes.entries()) {
      if (page > start && used + bytes > capacity) {
        parts.at(-1)?.push({ ...chapter, key, pages: chapter.pages.slice(start, page) });
        startPart();
        used = fixed;
        start = page;
      }
      used += bytes;
    }
    parts.at(-1)?.push({ ...chapter, key, pages: chapter.pages.slice(start) });
  }
  return { groups: parts.map((chapters) => ({ ...group, chapters })), cutChapters };
}
