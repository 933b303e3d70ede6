/** A book to write: its chapters, its metadata, and the names of its pages. */
import type { ChapterMetadata } from '../library/comic-info.js';
import { paddedNumber } from '../config/names.js';
import type { ZipEntry } from '../core/zip-file.js';
import type { Publish } from '../core/zip-file-writer.js';
import type { ImageDimensions } from '../core/image-dimensions.js';
import type { ImageExtension } from '../core/image-format.js';
import type { BookCopy, BookPart } from './book-copy.js';
import type { PageProfile } from './page-profile.js';
import type { PageKind } from './device/plan-page.js';
import type { ChapterGroup } from './group-volumes.js';
import type { BookFile, ReadChapter } from '../library/file.js';

export interface CoverImage {
  readonly file: string;
  readonly data: Buffer;
  readonly extension: ImageExtension;
}

/** A page that is ready for a device. */
export interface PreparedImage {
  readonly extension: ImageExtension;
  readonly dimensions: ImageDimensions;
  readonly bytes: number;
  readonly kind: PageKind;
  readonly background: 'black' | 'white';
  readonly read: () => Promise<Buffer>;
}

/** The pages of a book for a device, in place of the original ones. */
export interface PreparedPages {
  readonly cover: readonly PreparedImage[];
  /** What became of a page, in reading order. */
  readonly imagesOf: (page: ZipEntry) => readonly PreparedImage[];
}

/** What the program calls a book, and of what it is. */
export type BookName = NonNullable<BookFile['named']>;

/** The chapters of a book, with their pages. */
export type BookGroup = ChapterGroup<ReadChapter>;

export interface Book {
  readonly group: BookGroup;
  readonly metadata: ChapterMetadata;
  /** Shown before the first chapter. */
  readonly cover: CoverImage | undefined;
  /** Undefined for a copy, whose name its options decide. */
  readonly named?: BookName | undefined;
  /** Set for a book in several files. */
  readonly part?: BookPart | undefined;
  /** What made the book a copy of its chapters, which cannot be read back from it. */
  readonly copy?: BookCopy | undefined;
  /** Set for a book for a device. */
  readonly profile?: PageProfile | undefined;
  readonly prepared?: PreparedPages | undefined;
}

/** For formats that require a date, which must not depend on the time of writing. */
export const UNKNOWN_DATE = new Date(Date.UTC(2000, 0, 1));

/** What a writer needs besides the book. */
export interface WriteOptions {
  /** A new file, or for folders a new folder, on the file system of the final path. */
  readonly tmpFile: string;
  /** Called with the finished book, which was read back whole. */
  readonly publish: Publish;
  /** Convert images that the format cannot contain. */
  readonly convert: boolean;
  /** The most rights of the files of the book; see maxModeIn. */
  readonly maxMode?: number;
  readonly onPage: () => void;
  /** Called with a sentence for people about each page that is broken as it was uploaded. */
  readonly onBrokenPage: (message: string) => void;
  readonly signal: AbortSignal;
}

/** What a writer of a format needs. */
export interface FormatOptions extends WriteOptions {
  /** For errors: `EPUB`. */
  readonly format: string;
  /** The images that the format can contain. */
  readonly accepted: readonly ImageExtension[];
  /** The images that the writer decodes: it reports the broken ones itself. */
  readonly decoded: readonly ImageExtension[];
}

/** Resolves with the size of the book in bytes. */
export type WriteBook = (book: Book, options: FormatOptions) => Promise<number>;

/** The chapter's part of its pages' names: `c001-`. `chapter` counts from 0. */
export function chapterPrefix(chapter: number, chapters: number): string {
  return `c${paddedNumber(chapter, chapters)}-`;
}

/** Sorts before the pages of all chapters. Servers and readers look for `cover` in the name. */
export function coverName(extension: ImageExtension): string {
  return `c000-cover.${extension}`;
}
