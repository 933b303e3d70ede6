/** The events of `tankobon sync`: those of its downloads, and one for each series. Fields are only added. */
import type { Observe } from '../download/events.js';

export type SyncEvent =
  | {
      /** A series with news is done. */
      readonly type: 'series-synced';
      readonly title: string;
      readonly name: string;
      readonly new: number;
      readonly replaced: number;
      readonly skipped: number;
      readonly failed: number;
      readonly waiting: number;
    }
  | {
      /** A chapter waits for its preferred group. */
      readonly type: 'chapter-waiting';
      readonly title: string;
      readonly chapter: string;
      readonly until: string;
    }
  | {
      /** With `--dry-run`: a chapter that would be downloaded. */
      readonly type: 'planned';
      readonly title: string;
      readonly chapter: string;
      readonly why: string;
      /** The release that it would replace. */
      readonly replaces?: string;
    }
  | {
      /** A hook or media server could not be notified; the chapters are saved. */
      readonly type: 'hook-failed';
      readonly hook: string;
      readonly message: string;
    };

export type ObserveSync = (event: Parameters<Observe>[0] | SyncEvent) => void;

const SYNC_EVENTS: readonly string[] = [
  'series-synced',
  'chapter-waiting',
  'planned',
  'hook-failed',
] satisfies SyncEvent['type'][];

/** Whether it is an event of the sync, and not of one of its downloads. */
export function isSyncEvent(event: { readonly type: string }): event is SyncEvent {
  return SYNC_EVENTS.includes(event.type);
}

/** One line of the report. */
export interface SeriesReport {
  readonly titleId: string;
  readonly name: string;
  readonly new: number;
  readonly replaced: number;
  readonly skipped: number;
  readonly failed: number;
  readonly waiting: readonly { readonly number: string | undefined; readonly untilMs: number }[];
}
