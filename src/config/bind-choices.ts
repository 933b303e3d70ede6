/** What becomes one book. */
export const BIND_BY = ['volume', 'title', 'chapter'] as const;
/** What `--bind` of a download or a subscription makes. */
export const MULTI_CHAPTER_BOOKS = ['volume', 'title'] as const;
/** From right to left, or from left to right. */
export const READING_DIRECTIONS = ['rtl', 'ltr'] as const;
export type ReadingDirection = (typeof READING_DIRECTIONS)[number];
export type BindBy = (typeof BIND_BY)[number];

/** What is added to the name of a book: its language, such as ` [pt-br]`, and the number of a part, ` part 10000`. */
export const BOOK_SUFFIX_BYTES = 24;
