/**
 * What a download tells while it runs. The events of `--json` are a contract with scripts (docs/scripting.md);
 * `page-bytes` is for progress bars alone and is never printed.
 */
import type { ErrorCode } from '../core/error-codes.js';
import type { Wait } from '../rate-limit/rate-ledger.js';

/** Why a chapter was passed over without an error. */
export const SKIP_REASONS = {
  'already-there': 'The chapter is on the shelf already.',
  'chapter-external': 'The chapter is hosted elsewhere; the service has no pages of it.',
  'chapter-unavailable': 'The chapter is not available now: taken down, or without pages.',
  'chapter-unpublished': 'The chapter is not published yet.',
  'newer-version': 'The chapter is there in an older version; --update loads the newer one.',
  'not-started': 'The run was stopped before it came to the chapter.',
} as const;

export type SkipReason = keyof typeof SKIP_REASONS;

export type DownloadEvent =
  | {
      readonly type: 'chapter-started';
      readonly chapter: string;
      readonly pages: number;
      readonly kept: number;
    }
  | {
      readonly type: 'page-loaded';
      readonly chapter: string;
      /** Counted from 1. */
      readonly page: number;
      readonly bytes: number;
      readonly ms: number;
      readonly host: string;
      readonly cached: boolean;
      /** The page was kept although its bytes are not those that its name promises: two hosts gave the same image. */
      readonly warning?: 'bad-digest';
    }
  | {
      readonly type: 'page-failed';
      readonly chapter: string;
      readonly page: number;
      readonly reason: ErrorCode;
      /** Counted from 1; at most 5. */
      readonly attempt: number;
    }
  | {
      readonly type: 'chapter-saved';
      readonly chapter: string;
      readonly file: string;
      readonly pages: number;
      readonly bytes: number;
    }
  | {
      readonly type: 'chapter-skipped';
      readonly chapter: string;
      readonly reason: SkipReason;
      readonly file?: string;
    }
  | {
      readonly type: 'chapter-failed';
      readonly chapter: string;
      readonly reason: ErrorCode;
      readonly message: string;
    }
  | {
      readonly type: 'waiting';
      readonly for: Wait['for'];
      readonly until: string;
      /** With `outage`: the last failure. `until` is when the service is tried again. */
      readonly reason?: ErrorCode;
      /** With `lock`: who holds it, such as `process 1234`. */
      readonly holder?: string;
    }
  | {
      readonly type: 'summary';
      readonly saved: number;
      readonly skipped: number;
      readonly failed: number;
      /** Chapters that the run did not come to before it was stopped. */
      readonly notStarted: number;
      /** What stopped the run before its end. */
      readonly stopped?: ErrorCode;
      readonly reports: { readonly sent: number; readonly waiting: number };
    };

export type WaitingEvent = Extract<DownloadEvent, { readonly type: 'waiting' }>;

export function waitingEvent({ for: what, untilMs, reason, holder }: Wait): WaitingEvent {
  return {
    type: 'waiting',
    for: what,
    until: new Date(untilMs).toISOString(),
    ...(reason !== undefined && { reason }),
    ...(holder !== undefined && { holder }),
  };
}

/** Bytes of a page that arrived just now. */
export interface PageBytes {
  readonly type: 'page-bytes';
  readonly chapter: string;
  readonly bytes: number;
}

/** A sentence for the person who reads along. */
export interface Warning {
  readonly type: 'warning';
  readonly message: string;
}

export type Observe = (event: DownloadEvent | PageBytes | Warning) => void;
