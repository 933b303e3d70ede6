/** Where the events of a command go: to a program, a terminal or a log. */
import type { GivenOptions } from '../../config/options.js';
import { BIND_EVENTS, BIND_PROGRESS } from '../../events/bind-events.js';
import { DOWNLOAD_EVENTS, DOWNLOAD_PROGRESS } from '../../events/download-events.js';
import type { EventsOf } from '../../events/fields.js';
import { SYNC_EVENTS } from '../../events/sync-events.js';
import type { DownloadListeners } from '../../download/download-session.js';
import type { Plan } from '../../download/plan.js';

/** What a download, a binding and a sync pass to their observer; the progress is never printed. */
export const APP_EVENTS = {
  ...DOWNLOAD_EVENTS,
  ...DOWNLOAD_PROGRESS,
  ...BIND_EVENTS,
  ...BIND_PROGRESS,
  ...SYNC_EVENTS,
};
export type AppEvent = EventsOf<typeof APP_EVENTS>;
export type Activity = Parameters<NonNullable<DownloadListeners['onActivity']>>[0] | 'reading';
export type ExpectedChapter = Pick<Plan['chapters'][number], 'job' | 'chapter' | 'seriesName'>;

export interface Observer {
  readonly observe: (event: AppEvent) => void;
  /** What is being done before the first chapter is downloaded. */
  readonly onActivity: (activity: Activity) => void;
  /** Called with the chapters to download before the first one starts: the progress bars name them. */
  readonly expect: (chapters: readonly ExpectedChapter[]) => void;
  /** Runs a prompt, which has the terminal to itself meanwhile. */
  readonly whilePrompting: <T>(ask: () => Promise<T>) => Promise<T>;
  /** A message for people, which JSON output leaves out. It may name files and folders: `paths`. */
  readonly note: (message: string, paths?: readonly string[]) => void;
  /** A note that no later run repeats: `--quiet` prints it too. */
  readonly notice: Observer['note'];
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
