/** What the parts of one run of `tankobon sync` share. */
import type { TankobonError } from '../core/errors.js';
import type { DownloadArchive } from '../download/download-archive.js';
import type { DownloadMessage, SkippedEvent } from '../events/download-events.js';
import type { SERIES_COUNTS, SyncEvent } from '../events/sync-events.js';
import type { GivenOptions, SeriesOptions } from '../config/options.js';
import type { Subscriptions } from './subscriptions/subscriptions-schema.js';
import type { TargetNotice } from './hooks/known-failures.js';
import type { SyncJournal } from './history.js';
import type { RunFailure } from './history/sync-lines.js';
import type { ServiceSession } from '../download/download-session.js';
import type { Title } from '../service/titles.js';
import type { PlanListeners } from '../download/run-download.js';
import type { SyncLibraries } from './sync-libraries.js';

/** The options of one title. */
export interface TitleOptions extends SeriesOptions {
  /** Only releases of the group with this id: the subscription is to the group. */
  readonly onlyGroup?: string;
}

/** A title that is kept up to date. */
export interface SubscribedTitle {
  readonly id: string;
  readonly options: TitleOptions;
  /** A title of `follows`, which the file does not name. */
  readonly isFollowed?: boolean;
}

export interface DueTitle extends SubscribedTitle {
  readonly title: Title;
  /** Its name in messages: that of its folder if another title has the same name. */
  readonly label: string;
  /** The output folder, absolute. */
  readonly output: string;
  /** The ids of the chapters that the account has read, in lower case; undefined without the key `keep-unread`. */
  readonly readIds: ReadonlySet<string> | undefined;
}

export interface SyncOptions extends Pick<
  GivenOptions,
  | 'dryRun'
  | 'fromNow'
  | 'only'
  | 'redownload'
  | 'share'
  | 'cover'
  | 'coverName'
  | 'seriesMetadata'
  | 'maxOutage'
  | 'newFolder'
> {
  /** The subscriptions file: relative paths in it are relative to its folder. */
  readonly file: string;
  /** The state folder of the subscriptions file. */
  readonly folder: string;
}

/** The listeners of a download; `onPlan` is called for each series. */
export interface SyncListeners extends Omit<PlanListeners, 'observe'> {
  readonly observe: (event: DownloadMessage | SyncEvent) => void;
  /** Called for each series with chapters that the service does not have, once for each of them. */
  readonly onSkipped?: (skipped: readonly SkippedEvent[]) => void;
}

export interface SyncSession extends Omit<ServiceSession, 'listeners'> {
  readonly listeners: SyncListeners;
  readonly options: SyncOptions;
  readonly subscriptions: Subscriptions;
  readonly history: DownloadArchive;
  readonly libraries: SyncLibraries;
  /** Output folders that cannot be used in this run, which was reported. */
  readonly foldersAway: Set<string>;
  /** The devices of the output folders when the run began; undefined where that is unknown. */
  readonly devices: Map<string, number | undefined>;
  /** The devices without space for the next chapter, with the error of that. */
  readonly fullDevices: Map<number | undefined, TankobonError>;
  readonly journal: SyncJournal;
  readonly report: SyncReport;
}

/** Chapters. */
type SeriesCounts = Record<(typeof SERIES_COUNTS)[number], number>;

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

/** Up to date while the run goes on. */
export interface SyncReport {
  readonly startedAtMs: number;
  endedAtMs: number;
  /** Series that had new chapters or failed, in the order in which they were done. */
  readonly series: SeriesReport[];
  /** The sums of all series; targets that are not available count as failed. */
  readonly totals: SeriesCounts;
  /** The number of subscribed titles. */
  titles: number;
  /** What failed, by title or list. */
  readonly failures: RunFailure[];
  /** Targets and chapters that failed. */
  readonly errors: TankobonError[];
  /** What hooks hear besides new chapters. */
  readonly notices: TargetNotice[];
  /** The titles of which everything was dealt with, as targets: what failed of them before is over or failed again. */
  readonly finishedTitles: Set<string>;
  notStarted: number;
  stoppedBy: TankobonError | undefined;
  reports: { readonly sent: number; readonly waiting: number };
}
