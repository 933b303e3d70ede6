/** Divides a book into parts that are not larger than a limit. Pure. */
import type { BookFormat } from '../config/bind-choices.js';
import type { BookGroup } from './book.js';
import { chapterLabel, sourceKey } from './source-chapter.js';
import { type ReadChapter } from '../library/file.js';

export interface DividedBook {
  readonly groups: readonly BookGroup[];
  /** Chapters that are larger than a part, and were cut between two pages. */
  readonly cutChapters: readonly string[];
}

/** What a format adds to the bytes of each page, of each chapter and of the book: at most, so that parts fit. */
const OVERHEAD_BYTES: Readonly<
  Record<BookFormat, { readonly page: number; readonly chapter: number; readonly book: number }>
> = {
  cbz: { page: 400, chapter: 200, book: 4_000 },
  epub: { page: 1_700, chapter: 800, book: 8_000 },
  pdf: { page: 1_000, chapter: 400, book: 4_000 },
  folder: { page: 200, chapter: 2_000, book: 0 },
};

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
  }: { readonly format: BookFormat; readonly maxBytes: number; readonly baseBytes: number },
): DividedBook {
  const overhead = OVERHEAD_BYTES[format];
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
