/** What a sync passes on, and what it counts of each title. */
import type { DownloadMessage } from '../events/download-events.js';
import type { SERIES_COUNTS, SyncEvent } from '../events/sync-events.js';

export type ObserveSync = (event: DownloadMessage | SyncEvent) => void;

/** Chapters. */
export type SeriesCounts = Record<(typeof SERIES_COUNTS)[number], number>;

/** One line of the report. */
export interface SeriesReport extends Readonly<SeriesCounts> {
  readonly titleId: string;
  readonly name: string;
  /** Files of chapters that are not kept any more, and that were moved away. */
  readonly retired: number;
  /** The chapters that were saved, such as `Vol. 2 Ch. 7 "Taken Down"`. */
  readonly saved: readonly string[];
  readonly waiting: readonly {
    readonly chapter: string;
    readonly number: string | undefined;
    readonly untilMs: number;
  }[];
}
