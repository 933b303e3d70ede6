/** One run of `tankobon download`: what was asked for, and all the parts that both its halves work with. */
import type { MetadataAhead } from '../../delivery/at-home.js';
import type { PlanWish } from '../../download/plan.js';
import type { TankobonError } from '../../kernel/errors.js';
import type { ServiceClient } from '../../service/client.js';
import type { Service } from '../compose.js';
import type { Observer } from '../output/observer.js';
import type { Run } from '../run.js';
import type { DownloadOptions } from './download-wish.js';

export interface DownloadSession {
  readonly wish: PlanWish;
  readonly options: DownloadOptions;
  readonly observer: Observer;
  /** What each chapter is called, once it is known. */
  readonly names: Map<string, string>;
  readonly warn: (message: string) => void;
  readonly run: Run;
  readonly service: Service;
  readonly client: ServiceClient;
  /** Aborted when the user wants to stop, and when the run is over: nothing is asked for after it. */
  readonly signal: AbortSignal;
  readonly ahead: MetadataAhead;
}

/** What has become of the run so far; it is told at the end, however that comes. */
export interface Tally {
  saved: number;
  skipped: number;
  readonly failures: Failure[];
  /** Chapters and targets that the run did not come to. */
  notStarted: number;
  /** What stopped the run before its end. */
  stoppedBy: TankobonError | undefined;
  /** What stopped the run as a whole after its chapters were there. */
  readonly stopped: TankobonError[];
  reports: { readonly sent: number; readonly waiting: number };
}

/** A chapter that could not be had. */
export interface Failure {
  readonly id: string;
  readonly error: TankobonError;
}

/** Whether this run makes health reports. */
export function isReporting(options: DownloadOptions, run: Run): boolean {
  return (options.reports ?? true) && run.settings.reports;
}
