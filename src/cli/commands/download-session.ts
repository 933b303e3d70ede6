/** One run of `tankobon download`: what was asked for, and all the parts that both its halves work with. */
import type { MetadataPrefetcher } from '../../image/at-home.js';
import type { PlanOptions } from '../../download/plan.js';
import type { TankobonError } from '../../core/errors.js';
import type { ServiceClient } from '../../api/client.js';
import type { Service } from '../../app/service.js';
import type { Observer } from '../output/observer.js';
import type { CommandContext } from '../command-context.js';
import type { DownloadOptions } from './download-wish.js';

export interface DownloadContext {
  readonly wish: PlanOptions;
  readonly options: DownloadOptions;
  readonly observer: Observer;
  /** What each chapter is called, once it is known. */
  readonly names: Map<string, string>;
  readonly warn: (message: string) => void;
  readonly run: CommandContext;
  readonly service: Service;
  readonly client: ServiceClient;
  /** Aborted when the user wants to stop, and when the run is over: nothing is asked for after it. */
  readonly signal: AbortSignal;
  readonly ahead: MetadataPrefetcher;
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
export function isReporting(options: DownloadOptions, run: CommandContext): boolean {
  return (options.reports ?? true) && run.settings.reports;
}
