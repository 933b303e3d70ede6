/** The events of `tankobon retag`. Those of `--json` are a contract with scripts. */
import type { ErrorCode } from '../core/error-codes.js';
import type { BindEvent } from '../books/bind-events.js';
import type { RetaggedChapter } from '../download/write-retags.js';
import type { ChapterFields } from '../selection/chapter-fields.js';

export type RetagEvent =
  | (ChapterFields & RetaggedChapter)
  | (ChapterFields & {
      /** The file stays as it is. */
      readonly type: 'chapter-kept';
      readonly chapter: string;
      readonly file: string;
      /** The metadata that its owner edited, some of which the service has otherwise, and elements that tankobon never writes. */
      readonly kept: readonly string[];
    })
  | {
      readonly type: 'chapter-skipped';
      readonly chapter: string;
      readonly file: string;
      /** Another program wrote the file, or it belongs to another user. */
      readonly reason: 'other-program' | 'other-user';
      readonly message: string;
    }
  | (ChapterFields & {
      readonly type: 'chapter-failed';
      /** Undefined if the file cannot be read. */
      readonly chapter?: string;
      readonly file: string;
      readonly reason: ErrorCode;
      readonly message: string;
    })
  /** A book of a title that got another name; in a dry run, one that will get it. */
  | {
      readonly type: 'book-retagged';
      readonly file: string;
      readonly newFile?: string;
      /** The new name of the series. */
      readonly series: string;
      /** `series`, unless the content of the book stays. */
      readonly changed: readonly string[];
      /** `series` for a book that its owner changed, or files in a folder that its owner changed. */
      readonly kept: readonly string[];
    }
  | Extract<BindEvent, { type: 'book-failed' }>
  /** A cover of a title that got another name. */
  | { readonly type: 'file-moved'; readonly file: string; readonly newFile: string }
  | {
      readonly type: 'retag-summary';
      /** Chapters. */
      readonly changed: number;
      readonly unchanged: number;
      /** Changed books. */
      readonly books: number;
      /** Files with metadata that the service has otherwise and that stays, since their owner edited it. */
      readonly edited: number;
      /** How many of the changed ones have a new name that another file has. */
      readonly nameTaken: number;
      /** Chapters that changed since their pages were compared: `download --update` compares them. */
      readonly pagesNotCompared: number;
      /** Chapters that changed, and that only books have: `download --update` puts the changes into the books. */
      readonly changedInBooks: number;
      /** Chapters that the service does not list any more. */
      readonly notListed: number;
      /** Files of other programs. */
      readonly skipped: number;
      /** Symbolic links, which are not followed. */
      readonly links: number;
      readonly failed: number;
    };
