/** Where the events of a command go: to a program, a terminal or a log. */
import type { GivenOptions } from '../../config/options.js';
import type { SyncEvent } from '../../sync/sync-events.js';
import type { DownloadMessage } from '../../download/events.js';
import type { PlanActivity } from '../../download/download-session.js';
import type { PlannedChapter } from '../../download/plan-jobs.js';
import type { BindEvent, BookPageEvent } from '../../books/bind-events.js';

export type AppEvent = DownloadMessage | BindEvent | BookPageEvent | SyncEvent;
export type Activity = PlanActivity | 'reading';
export type ExpectedChapter = Pick<PlannedChapter, 'job' | 'chapter' | 'seriesName'>;

export interface Observer {
  readonly observe: (event: AppEvent) => void;
  /** What is being done before the first chapter is downloaded. */
  readonly onActivity: (activity: Activity) => void;
  /** Called with the chapters to download before the first one starts: the progress bars name them. */
  readonly expect: (chapters: readonly ExpectedChapter[]) => void;
  /** Runs a prompt, which has the terminal to itself meanwhile. */
  readonly whilePrompting: <T>(ask: () => Promise<T>) => Promise<T>;
  /** A message for people, which JSON output leaves out. */
  readonly note: (message: string) => void;
  /** Restores the terminal. Call it before anything else is printed. */
  readonly close: () => void;
}

/** Formats the results on standard output, in place of paths. */
export interface ResultFormat {
  /** Called with every event, before `lineFor`. */
  readonly observe: (event: AppEvent) => void;
  readonly lineFor: (event: AppEvent) => string;
}

export interface ObserverOptions extends Pick<
  GivenOptions,
  'json' | 'quiet' | 'verbose' | 'dryRun'
> {
  /** Whether the chapters are not results, since books replace them. */
  readonly booksOnly?: boolean;
  readonly results?: ResultFormat | undefined;
}
