/**
 * The events of a download. Those of `--json` are a contract with scripts (docs/scripting.md); `page-bytes` is for
 * progress bars only and is never printed. Nor is the field `error`, from which exit code and hints are derived.
 */
import type { ErrorCode } from '../core/error-codes.js';
import type { TankobonError } from '../core/errors.js';
import type { LoadReason } from '../service/load-reason.js';
import type { Wait } from '../service/ledger.js';
import type { ChapterFields } from '../selection/chapter-fields.js';
import type { SkipReason } from '../plan/skip-reasons.js';
import type { RetaggedChapter } from './write-retags.js';

export type DownloadEvent =
  | (ChapterFields & {
      readonly type: 'chapter-started';
      readonly chapter: string;
      readonly pages: number;
      readonly kept: number;
    })
  | (ChapterFields & {
      readonly type: 'page-loaded';
      readonly chapter: string;
      /** Counted from 1. */
      readonly page: number;
      readonly bytes: number;
      readonly ms: number;
      readonly host: string;
      readonly cached: boolean;
      /** The digest in the file name does not match, but two hosts served the same image. */
      readonly warning?: 'bad-digest';
    })
  | (ChapterFields & {
      readonly type: 'page-failed';
      readonly chapter: string;
      readonly page: number;
      readonly reason: LoadReason;
      /** Counted from 1; at most 5. */
      readonly attempt: number;
    })
  | (ChapterFields & {
      readonly type: 'chapter-saved';
      readonly chapter: string;
      readonly file: string;
      /** The path of the CBZ that it replaced, if that had another name. */
      readonly replacedFile?: string;
      /** The CBZ of a chapter that MangaDex deleted, and whose number this one got: it was removed. */
      readonly removedFile?: string;
      readonly pages: number;
      readonly bytes: number;
      /** With `--update`: the metadata that the owner edited, and the elements that tankobon never writes. */
      readonly kept?: readonly string[];
    })
  /** With `--update`: the pages did not change, but the metadata or the name. */
  | (ChapterFields & RetaggedChapter)
  | (ChapterFields & {
      readonly type: 'chapter-skipped';
      readonly chapter: string;
      readonly reason: SkipReason;
      readonly file?: string;
      /** With `--update`: the metadata that the owner edited, and that the service has otherwise. */
      readonly kept?: readonly string[];
    })
  | (ChapterFields & {
      readonly type: 'chapter-failed';
      readonly chapter: string;
      readonly reason: ErrorCode;
      readonly message: string;
      /** The run was stopped while the chapter was in progress; its pages are kept. */
      readonly unfinished?: true;
      readonly error: TankobonError;
    })
  | {
      /** A target that cannot be parsed, or a title, a list, a group or an author that is not available. */
      readonly type: 'target-failed';
      /** The text that was given, or such as `author:UUID`. */
      readonly target: string;
      /** The name of a subscription. */
      readonly name?: string | undefined;
      readonly reason: ErrorCode;
      readonly message: string;
      readonly error: TankobonError;
    }
  | {
      readonly type: 'waiting';
      readonly for: Wait['for'];
      readonly until: string;
      /** With `rate` and `quota`: the limit that is used up. */
      readonly limit?: Wait['limit'];
      /** With `outage`: the last error. `until` is the time of the next try. */
      readonly reason?: ErrorCode;
      /** With `lock`: the process that holds it, such as `process 1234`. */
      readonly holder?: string;
    }
  | Warning
  | {
      readonly type: 'summary';
      readonly saved: number;
      /** Chapters that got other metadata or another name, without their pages. */
      readonly retagged: number;
      readonly skipped: number;
      /** Chapters and targets. */
      readonly failed: number;
      /** Chapters that were not started because the run was stopped. */
      readonly notStarted: number;
      /** The error that stopped the run. */
      readonly stopped?: ErrorCode;
      /** Pages that this run loaded, and their bytes. */
      readonly pages: number;
      readonly bytes: number;
      readonly elapsedMs: number;
      readonly reports: { readonly sent: number; readonly waiting: number };
    };

export type SkippedEvent = Extract<DownloadEvent, { readonly type: 'chapter-skipped' }>;
/** What an update did to a chapter whose pages did not change. */
export type UpdateEvent = Extract<
  DownloadEvent,
  { readonly type: 'chapter-retagged' | 'chapter-skipped' | 'chapter-failed' }
>;
export type WaitingEvent = Extract<DownloadEvent, { readonly type: 'waiting' }>;

export function waitingEvent({ for: what, untilMs, limit, reason, holder }: Wait): WaitingEvent {
  return {
    type: 'waiting',
    for: what,
    until: new Date(untilMs).toISOString(),
    limit,
    reason,
    holder,
  };
}

/** A chunk of a page has arrived. */
export interface PageBytes {
  readonly type: 'page-bytes';
  readonly chapter: string;
  readonly bytes: number;
}

/** A message for the user. */
export interface Warning {
  readonly type: 'warning';
  readonly message: string;
  /** What to do. */
  readonly hint?: string;
  /** Set where the warning makes the run incomplete. */
  readonly error?: TankobonError;
}

/** What `--verbose` adds: a retry, or a base URL. Never printed as JSON. */
export interface Detail extends ChapterFields {
  readonly type: 'detail';
  readonly chapter?: string;
  readonly message: string;
}

/** An event, bytes of a page as they arrive, or a message for people. */
export type DownloadMessage = DownloadEvent | PageBytes | Detail;

export type Observe = (message: DownloadMessage) => void;
