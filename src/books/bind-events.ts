/** The events of `tankobon bind`. Those of `--json` are a contract with scripts; `book-page` is for progress bars only. */
import type { ErrorCode } from '../core/error-codes.js';
import type { BookPart } from './book-copy.js';
import type { ChapterFields } from '../selection/chapter-fields.js';

export type BindEvent =
  | {
      readonly type: 'book-planned';
      readonly file: string;
      readonly series: string;
      readonly language: string;
      readonly volume?: string;
      readonly chapters: number;
      readonly pages: number;
      /** Numbers between the first and the last chapter that are missing, such as `3` or `7-9`. */
      readonly missing: readonly string[];
      /** Chapters whose own metadata do not name the volume. */
      readonly volumeInferred?: readonly string[];
    }
  | {
      readonly type: 'book-saved';
      readonly file: string;
      readonly chapters: number;
      readonly pages: number;
      readonly bytes: number;
      /** Set for each part of a book in several files. */
      readonly part?: BookPart;
      /** The file of the `book-planned` whose part it is. */
      readonly book?: string;
    }
  | {
      readonly type: 'book-skipped';
      readonly file: string;
      /** `edited`: another program changed the book after it was bound, and it lacks something; it and the chapters stay. */
      readonly reason: 'already-there' | 'edited';
    }
  | {
      readonly type: 'book-failed';
      readonly file: string;
      readonly reason: ErrorCode;
      readonly message: string;
    }
  /** A volume that is not bound yet: the service lists chapters of it that are not downloaded. */
  | {
      readonly type: 'volume-incomplete';
      readonly series: string;
      readonly language: string;
      readonly volume?: string;
      readonly missing: readonly string[];
      /** Chapters that the volume lacks and that the service does not have: hosted elsewhere, or taken down. */
      readonly unavailable?: readonly string[];
    }
  /** Chapters that the service lists without pages: hosted elsewhere, or taken down. The volume is bound without them. */
  | {
      readonly type: 'chapters-unavailable';
      readonly series: string;
      readonly language: string;
      readonly volume?: string;
      readonly chapters: readonly string[];
    }
  /** A chapter that is in no book. */
  | (ChapterFields & {
      readonly type: 'chapter-left-out';
      readonly file: string;
      readonly reason: LeftOutReason;
      readonly message?: string;
    })
  /** The file of a chapter that a book replaces. */
  | { readonly type: 'chapter-removed'; readonly file: string; readonly book: string }
  | {
      readonly type: 'bind-summary';
      readonly saved: number;
      readonly skipped: number;
      readonly failed: number;
      readonly leftOut: number;
      /** Chapter files that the books replace. */
      readonly removed: number;
    };

/** Why a chapter is in no book. */
export const LEFT_OUT_REASONS = {
  'no-volume': 'no volume; --by title binds it',
  'other-release': 'another release of the same chapter is in the book',
  'archive-damaged': 'the archive cannot be read',
} as const;
export type LeftOutReason = keyof typeof LEFT_OUT_REASONS;

/** A message for the user; the book is written nevertheless. */
export interface BindWarning {
  readonly type: 'warning';
  readonly message: string;
  /** What to do. */
  readonly hint?: string;
}

/** A page was written. */
export interface BookPageEvent {
  readonly type: 'book-page';
  readonly file: string;
}

export type ObserveBind = (event: BindEvent | BindWarning | BookPageEvent) => void;
