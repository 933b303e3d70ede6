/** What the parts of one or several downloads share: the open service with its login, the listeners, the request. */
import type { Chapter } from '../service/chapters.js';
import type { ServiceClient } from '../service/client.js';
import { type Session, loggedInClient, type SolveCaptcha } from '../service/login.js';
import { sharedSignal } from '../core/abort.js';
import { interruptedError } from '../core/errors.js';
import { formatDuration } from '../core/human-format.js';
import { waitingEvent, type Observe } from '../events/download-events.js';
import type { ObserveBind } from '../events/bind-events.js';
import type { DownloadArchive } from './download-archive.js';
import type { AppContext } from '../config/context.js';
import type { Options, Settings } from '../config/options.js';
import type { DownloadRequest } from './download-request.js';
import { withService, type Service, type ServiceOptions } from '../service/service.js';

/** A chapter that is a target itself, and of which a file has another release. */
export interface OtherRelease {
  readonly chapter: Chapter;
  readonly saved: Chapter;
  readonly file: string;
  /** Whether the file may make way for the chapter. */
  readonly mayBeReplaced: boolean;
}

export interface DownloadListeners {
  readonly observe: Observe;
  /** The events of binding, after the chapters are saved. */
  readonly observeBind?: ObserveBind;
  /** Called with what is done before the plan is complete. */
  readonly onActivity?: (activity: 'resolving' | 'scanning') => void;
  /** Called if titles have chapters in several languages and none was chosen; returns the chosen ones, or none for all. */
  readonly chooseLanguages?: (counts: ReadonlyMap<string, number>) => Promise<readonly string[]>;
  /** Returns what becomes of the chapters of which files have other releases; without it, both are kept. */
  readonly onOtherReleases?: (
    found: readonly OtherRelease[],
  ) => Promise<'both' | 'replace' | 'nothing'>;
  /** Called with a message for people that is not an event. */
  readonly note?: (sentence: string) => void;
  /** Shorter waits are not reported; 2 s by default. */
  readonly minReportedWaitMs?: number;
  readonly solveCaptcha?: SolveCaptcha;
}

/** A connection to the service with its login, for one or several downloads. */
export interface ServiceSession {
  readonly context: AppContext;
  readonly listeners: DownloadListeners;
  readonly service: Service;
  readonly login: Session;
  readonly client: ServiceClient;
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
  /** Throws before a chapter or a cover is saved if the output folder is not to be written to. */
  readonly checkOutput?: () => Promise<void>;
  /** With `--share`: called for each chapter that another machine has claimed, instead of waiting for it. */
  readonly onClaimedElsewhere?: ((chapterId: string) => void) | undefined;
}

/** The largest chunk of a body that is read at once. */
const MAX_CHUNK_BYTES = 64 * 1024;

/** Opens the service with these settings for one or several downloads, and closes it when `action` is done. */
export async function withSession<T>(
  app: AppContext,
  settings: Options,
  listeners: DownloadListeners,
  userSignal: AbortSignal,
  action: (session: ServiceSession) => Promise<T>,
): Promise<T> {
  const closed = new AbortController();
  const signal = sharedSignal(AbortSignal.any([userSignal, closed.signal]));
  const warn = (message: string, hint?: string): void => {
    listeners.observe({ type: 'warning', message, ...(hint !== undefined && { hint }) });
  };
  const { env, paths, clock, redactor, openKeychain } = app;
  const context: AppContext = { env, paths, clock, redactor, settings, openKeychain };
  const options: ServiceOptions = {
    warn,
    onWait: (wait) => {
      listeners.observe(waitingEvent(wait));
    },
    preload: preloadOnce(signal),
    onRetry: ({ request: failed, reason, delayMs }) => {
      const message = `${failed}: ${reason} Next attempt in ${formatDuration(delayMs)}.`;
      listeners.observe({ type: 'detail', message });
    },
    minReportedWaitMs: listeners.minReportedWaitMs,
  };
  return withService({ ...context, settings: withLongerLimits(settings) }, options, (service) => {
    const { solveCaptcha } = listeners;
    const { login, client } = loggedInClient(context, service, warn, solveCaptcha);
    const session = { context, listeners, service, login, client, userSignal, signal, warn };
    return action(session).finally(() => {
      closed.abort(interruptedError());
    });
  });
}

/** Loads what comes next from disk while the first answer is on its way. */
function preloadOnce(signal: AbortSignal): () => void {
  let loading: Promise<void> | undefined;
  return () => {
    loading ??= import('../library/cbz-writer.js').then(({ preloadPacking }) =>
      preloadPacking(signal),
    );
    // If it fails, the import that needs the module fails too.
    loading.catch(() => undefined);
  };
}

/** The time limits of pages are longer if their rate is limited: our own pauses are not failures of a node. */
function withLongerLimits(settings: Settings): Settings {
  const { limitRate, concurrency, idleTimeoutMs, pageTimeoutMs, maxPageBytes } = settings;
  /** The pages in flight take turns. */
  const msFor = (bytes: number) => Math.ceil((concurrency * bytes * 1_000) / limitRate);
  return {
    ...settings,
    idleTimeoutMs: idleTimeoutMs + msFor(MAX_CHUNK_BYTES),
    pageTimeoutMs: pageTimeoutMs + msFor(maxPageBytes),
  };
}
