/** A book to write: its chapters, its metadata, and the names of its pages. */
import type { ChapterMetadata } from '../cbz/comic-info-reader.js';
import { paddedNumber } from '../cbz/page-name.js';
import type { Publish } from '../cbz/zip-file-writer.js';
import { IMAGE_EXTENSIONS, type ImageExtension } from '../image/format.js';
import type { BookFormat } from './bind-choices.js';
import type { ChapterGroup } from './group-volumes.js';

export interface CoverImage {
  readonly file: string;
  readonly data: Buffer;
  readonly extension: ImageExtension;
}

export interface Book {
  readonly group: ChapterGroup;
  readonly metadata: ChapterMetadata;
  /** Shown before the first chapter. */
  readonly cover: CoverImage | undefined;
}

/** The images that each format can contain. */
export const ACCEPTED_IMAGES: Readonly<Record<BookFormat, readonly ImageExtension[]>> = {
  cbz: IMAGE_EXTENSIONS,
  epub: ['jpg', 'png', 'gif', 'webp'],
  pdf: ['jpg', 'png', 'gif'],
  folder: IMAGE_EXTENSIONS,
};

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
  readonly onPage: () => void;
  readonly signal: AbortSignal;
}

/** The chapter's part of its pages' names: `c001-`. `chapter` counts from 0. */
export function chapterPrefix(chapter: number, chapters: number): string {
  return `c${paddedNumber(chapter, chapters)}-`;
}

/** Sorts before the pages of all chapters. */
export function coverName(extension: ImageExtension): string {
  return `c000-000.${extension}`;
}
