/** What the parts of one download share, and its result. */
import type { ServiceClient } from '../api/client.js';
import type { Session } from '../auth/session.js';
import type { SolveCaptcha } from '../api/captcha.js';
import type { LibraryIndex } from '../cbz/library-index.js';
import type { TankobonError } from '../core/errors.js';
import type { Observe } from './events.js';
import type { Plan, PlanDeps } from './plan.js';
import type { MetadataPrefetcher } from './prefetch.js';
import type { ObserveBind } from '../formats/bind-events.js';
import type { InvalidTarget } from '../selection/target-list.js';
import type { DownloadArchive } from './download-archive.js';
import type { AppContext } from '../config/context.js';
import type { DownloadRequest } from './download-request.js';
import type { Service } from './service.js';

export interface DownloadListeners extends Pick<PlanDeps, 'onActivity' | 'chooseLanguages'> {
  readonly observe: Observe;
  /** The events of binding, after the chapters are saved. */
  readonly observeBind?: ObserveBind;
  /** Called before the first chapter starts. */
  readonly onPlan?: (plan: Plan) => void;
  /** Called with a message for people that is not an event. */
  readonly note?: (sentence: string) => void;
  /** Shorter waits are not reported; 2 s by default. */
  readonly minReportedWaitMs?: number;
  readonly solveCaptcha?: SolveCaptcha;
  /** Called before the first chapter starts; false ends the run without an error. */
  readonly confirm?: (plan: Plan) => Promise<boolean>;
}

/** A chapter that could not be saved. */
export interface FailedChapter {
  readonly id: string;
  readonly error: TankobonError;
}

export interface DownloadResult {
  saved: number;
  skipped: number;
  readonly failed: FailedChapter[];
  readonly invalidTargets: readonly InvalidTarget[];
  /** Chapters and targets that were not reached. */
  notStarted: number;
  /** What stopped the run before its end. */
  stoppedBy: TankobonError | undefined;
  /** Whether the plan was completed. */
  isPlanned: boolean;
  /** Whether the user cancelled a prompt before the first chapter started. */
  isCancelled: boolean;
  /** Errors that concern the whole run, from after the chapters were saved. */
  readonly errorsAfterSaving: TankobonError[];
  reports: { readonly sent: number; readonly waiting: number };
}

/** A connection to the service with its login, for one or several downloads. */
export interface ServiceSession extends Pick<PlanDeps, 'describeWrongClock'> {
  readonly context: AppContext;
  readonly listeners: DownloadListeners;
  readonly service: Service;
  readonly login: Session;
  readonly client: ServiceClient;
  readonly prefetcher: MetadataPrefetcher;
  /** Aborted when the user stops the run. */
  readonly userSignal: AbortSignal;
  /** Aborted then, and when the run is over: requests still in flight end with it. */
  readonly signal: AbortSignal;
  readonly warn: (message: string, hint?: string) => void;
}

export interface DownloadSession extends ServiceSession {
  readonly request: DownloadRequest;
  /** Chapters in it are not downloaded again; those that are saved, or exist, are added. */
  readonly history?: DownloadArchive;
  /** The existing archives; without it, the output folder is scanned. */
  readonly library?: LibraryIndex;
}
