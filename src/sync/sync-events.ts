/** The events of `tankobon sync`: those of its downloads, and one for each series. Fields are only added. */
import type { DownloadMessage } from '../download/events.js';
import type { ChapterFields } from '../selection/chapter-fields.js';

export type SyncEvent =
  | {
      /** A series with new chapters is done. */
      readonly type: 'series-synced';
      readonly title: string;
      readonly name: string;
      readonly new: number;
      readonly replaced: number;
      readonly skipped: number;
      readonly failed: number;
      readonly waiting: number;
    }
  | (ChapterFields & {
      /** A chapter waits for its preferred group. */
      readonly type: 'chapter-waiting';
      readonly title: string;
      readonly chapter: string;
      readonly until: string;
    })
  | (ChapterFields & {
      /** With `--dry-run`: a chapter that would be downloaded. */
      readonly type: 'planned';
      readonly title: string;
      readonly chapter: string;
      /** The path that its file would get. */
      readonly file?: string;
      readonly why: string;
      /** The release that it would replace. */
      readonly replaces?: string;
    })
  | (ChapterFields & {
      /** A chapter that was downloaded changed on the service, and its file stays. */
      readonly type: 'chapter-changed';
      readonly title: string;
      readonly chapter: string;
      /** `pages`, or the names of the metadata, such as `volume`. */
      readonly changed: readonly string[];
    })
  | (ChapterFields & {
      /** The service has a downloaded chapter again that was reported as taken down. */
      readonly type: 'chapter-restored';
      readonly title: string;
      readonly chapter: string;
    })
  | {
      /** A hook or media server could not be notified; the chapters are saved. */
      readonly type: 'hook-failed';
      readonly hook: string;
      readonly message: string;
    };

export type ObserveSync = (event: DownloadMessage | SyncEvent) => void;

export const SERIES_COUNTS = ['new', 'replaced', 'skipped', 'failed'] as const;
/** Chapters. */
export type SeriesCounts = Record<(typeof SERIES_COUNTS)[number], number>;

/** One line of the report. */
export interface SeriesReport extends Readonly<SeriesCounts> {
  readonly titleId: string;
  readonly name: string;
  readonly waiting: readonly { readonly number: string | undefined; readonly untilMs: number }[];
}
