/**
 * Downloads and the rate ledger for a program that imports tankobon, wired as the command line wires them: with the
 * same settings, environment, login, ledger and outbox, so that all of them together keep the service's limits.
 */
import { DEFAULT_NAME_TEMPLATE, compileNameTemplate } from './cbz/file-name.js';
import { parseTarget, type Target } from './selection/target.js';
import { bearerOf } from './app/login.js';
import { imageLoader, openHealthReports, openService, type Service } from './app/service.js';
import { pathsFrom } from './app/paths.js';
import { Redactor } from './core/redactor.js';
import type { AppContext } from './app/context.js';
import { loadSettings } from './app/settings.js';
import type { Quality } from './image/page-url.js';
import { saveChapters } from './download/batch.js';
import {
  waitingEvent,
  type DownloadEvent,
  type PageBytes,
  type Warning,
} from './download/events.js';
import { PageSlots } from './download/page-slots.js';
import { planChapters, type Plan } from './download/plan.js';
import { systemClock } from './core/clock.js';
import { DURATION_EXAMPLES, parseDuration } from './core/duration.js';
import { interruption, UsageError } from './core/errors.js';
import type { Reports } from './health-reports/health-report.js';
import { readAddresses } from './rate-limit/service-addresses.js';
import { openMachineLedger } from './rate-limit/machine-ledger.js';
import type { RateLedger } from './rate-limit/rate-ledger.js';

/** What both entries take from their surroundings. */
export interface ApiOptions {
  /** The environment to read `TANKOBON_…` from; `process.env` where not given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface DownloadChaptersOptions extends ApiOptions {
  /** The folder that the CBZ files go to; the setting `output` where not given. */
  readonly output?: string;
  /** `data` as uploaded, `data-saver` compressed (spec 2.4). */
  readonly quality?: Quality;
  /** Pages in flight, 1 to 16. */
  readonly concurrency?: number;
  /** Load again what is there. */
  readonly force?: boolean;
  /** False: no ComicInfo.xml, and files named by the chapter's id. */
  readonly metadata?: boolean;
  /** False: no health reports to the edge network (spec 4.3). It asks for them. */
  readonly reports?: boolean;
  /** Template of the file names. */
  readonly name?: string;
  /** Languages wanted of titles and lists, in order of preference; empty: all. */
  readonly languages?: readonly string[];
  /** How long to wait for the service during an outage, such as `10m`; `0` fails at once. */
  readonly maxOutage?: string;
  /** Stops the download in order: what is loaded is kept for the next one. */
  readonly signal?: AbortSignal;
}

/** What a download tells: its events, how many bytes of a page came just now, and sentences for a person. */
export type DownloadMessage = DownloadEvent | PageBytes | Warning;

/**
 * Fetches chapters and leaves a CBZ of each.
 *
 * Targets are UUIDs or web addresses of chapters, titles (`title:UUID`) and lists (`list:UUID`). What happens is
 * told as it happens; a chapter that cannot be had is an event (`chapter-failed`, with the code of its error) and
 * stops no other. The last event is the `summary`. Leaving the loop early stops the download in order.
 *
 * Throws TankobonError: UsageError (`bad-target`, `bad-setting`, …) before anything is sent; ServiceError (`banned`,
 * `wait-too-long`, `unreachable`, …) where the catalogue cannot be asked; RunError (`interrupted`) when aborted.
 */
export async function* downloadChapters(
  targets: readonly string[],
  options: DownloadChaptersOptions = {},
): AsyncGenerator<DownloadMessage, void, undefined> {
  const waiting: DownloadMessage[] = [];
  const state: { isOver: boolean; wake: () => void } = { isOver: false, wake: () => undefined };
  const stop = new AbortController();
  const interrupt = (): void => {
    stop.abort(interruption());
  };
  options.signal?.addEventListener('abort', interrupt);
  if (options.signal?.aborted) interrupt();
  const downloading = run(targets, { ...options, signal: stop.signal }, (event) => {
    waiting.push(event);
    state.wake();
  }).finally(() => {
    state.isOver = true;
    state.wake();
  });
  // Awaited below; until then a failure is not an unhandled one.
  downloading.catch(() => undefined);
  try {
    for (;;) {
      for (let next = waiting.shift(); next; next = waiting.shift()) yield next;
      if (state.isOver) break;
      await new Promise<void>((resolve) => {
        state.wake = resolve;
      });
    }
    await downloading;
  } finally {
    options.signal?.removeEventListener('abort', interrupt);
    interrupt();
    await downloading.catch(() => undefined);
  }
}

/**
 * The rate ledger that all tankobons of this machine share: reserve a place before each request to the service, and
 * settle it when the answer's headers are there (spec 8.2, 8.3). Close it when done. Throws UsageError
 * (`bad-setting`) for settings that cannot be read.
 */
export async function openRateLedger(
  options: ApiOptions & { readonly warn?: (message: string) => void } = {},
): Promise<RateLedger> {
  const { settings, clock, paths } = await wiringOf(options);
  return openMachineLedger({
    folder: paths.ledger,
    addresses: readAddresses(settings),
    clock,
    warn: options.warn ?? (() => undefined),
  });
}

async function wiringOf({ env = process.env }: ApiOptions): Promise<AppContext> {
  const paths = pathsFrom(env);
  const { settings } = await loadSettings(env, paths.config);
  return { env, paths, settings, clock: systemClock, redactor: new Redactor() };
}

type Running = DownloadChaptersOptions & { readonly signal: AbortSignal };

async function run(
  targets: readonly string[],
  options: Running,
  observe: (event: DownloadMessage) => void,
): Promise<void> {
  const wiring = await wiringOf(options);
  const { hostname } = readAddresses(wiring.settings).apiUrl;
  const wanted = targets.map((target) => parseTarget(target, [hostname]));
  const maxOutage = options.maxOutage ?? wiring.settings.maxOutage;
  if (parseDuration(maxOutage) === undefined) {
    throw new UsageError(
      'bad-option',
      `maxOutage is "${maxOutage}", but must be such as ${DURATION_EXAMPLES}.`,
    );
  }
  const warn = (message: string): void => {
    observe({ type: 'warning', message });
  };
  const service = await openService(wiring, {
    warn,
    onWait: (wait) => {
      observe(waitingEvent(wait));
    },
    maxOutage,
  });
  const isReporting = options.reports ?? wiring.settings.reports;
  const reports = isReporting ? await openHealthReports(wiring, service, { warn }) : undefined;
  let counts: Counts = { saved: 0, skipped: 0, failed: 0, notStarted: 0 };
  // What is still asked for when the chapters are there ends with them.
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  try {
    counts = await fetchAll(wanted, {
      ...options,
      signal,
      wiring,
      service,
      reports,
      observe,
      warn,
    });
  } finally {
    over.abort(interruption());
    const sent = await reports?.finish(
      options.signal.aborted ? INTERRUPTED_PATIENCE_MS : undefined,
    );
    await service.close();
    observe({ type: 'summary', ...counts, reports: sent ?? { sent: 0, waiting: 0 } });
  }
  options.signal.throwIfAborted();
}

type Counts = Pick<
  Extract<DownloadEvent, { type: 'summary' }>,
  'saved' | 'skipped' | 'failed' | 'notStarted' | 'stopped'
>;

/** How long health reports may keep a download that was stopped. */
const INTERRUPTED_PATIENCE_MS = 300;

type Fetching = Omit<Running, 'reports'> & {
  readonly wiring: AppContext;
  readonly service: Service;
  readonly reports: Reports | undefined;
  readonly observe: (event: DownloadMessage) => void;
  readonly warn: (message: string) => void;
};

async function fetchAll(
  targets: readonly Target[],
  { wiring, service, reports, observe, warn, signal, ...options }: Fetching,
): Promise<Counts> {
  const { settings, clock } = wiring;
  const client = service.as(bearerOf(wiring, service, warn));
  const plan = await planChapters(
    {
      targets,
      output: options.output ?? settings.output,
      quality: options.quality ?? (settings.quality as Quality),
      force: options.force === true,
      update: false,
      metadata: options.metadata ?? settings.metadata,
      nameChapter: compileNameTemplate(options.name ?? (settings.name || DEFAULT_NAME_TEMPLATE)),
      selection: { languages: options.languages ?? [], groups: [] },
    },
    { client, warn, nowMs: clock.wallMs(), signal },
  );
  tellUnplanned(plan, observe);
  const outcome = await saveChapters(
    plan.chapters.map(({ job }) => job),
    {
      client,
      loader: imageLoader(wiring, service, client),
      slots: new PageSlots(options.concurrency ?? settings.concurrency),
      reports,
      isOwn: service.isOwn,
      observe,
      random: Math.random,
      outages: service.outages,
    },
    signal,
  );
  return {
    saved: outcome.saved.size,
    skipped: outcome.skipped + plan.skipped.length,
    failed: outcome.failed.length + plan.lost.length,
    notStarted: outcome.notStarted.length,
    ...(outcome.stoppedBy && { stopped: outcome.stoppedBy.code }),
  };
}

function tellUnplanned(plan: Plan, observe: (event: DownloadMessage) => void): void {
  for (const { id, reason, file } of plan.skipped) {
    observe({ type: 'chapter-skipped', chapter: id, reason, ...(file !== undefined && { file }) });
  }
  for (const { id, error } of plan.lost) {
    observe({ type: 'chapter-failed', chapter: id, reason: error.code, message: error.message });
  }
}
