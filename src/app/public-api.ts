/** The functions for programs that import tankobon. They share settings, login, ledger and spool with the command line. */
import { EventEmitter, on } from 'node:events';
import { systemClock } from '../core/clock.js';
import { parseDuration } from '../core/duration.js';
import { interruptedError } from '../core/errors.js';
import { Redactor } from '../core/redactor.js';
import type { DownloadMessage } from '../download/events.js';
import type { BindEvent, BookPageEvent } from '../formats/bind-events.js';
import { openLedger } from '../rate-limit/open-ledger.js';
import type { RateLedger } from '../rate-limit/rate-ledger.js';
import { readAddresses } from '../rate-limit/service-addresses.js';
import { parseTarget } from '../selection/target.js';
import type { AppContext } from './context.js';
import { downloadRequest, type DownloadOptions } from './download-request.js';
import { download } from './run-download.js';
import { ledgerLocation } from './ledger-location.js';
import { pathsFrom } from './paths.js';
import { loadSettings } from './settings.js';

export interface ApiOptions {
  /** The environment to read `TANKOBON_…` from; default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface DownloadChaptersOptions extends DownloadOptions, ApiOptions {
  /** The same as `languages`, by the name of the setting. */
  readonly language?: readonly string[];
  /** The same as `groups`, by the name of the setting. */
  readonly group?: readonly string[];
  /** Stops the download; finished pages are kept for the next one. */
  readonly signal?: AbortSignal;
}

/** What `downloadChapters` yields. */
export type ChapterMessage = DownloadMessage | BindEvent | BookPageEvent;

/**
 * Downloads chapters and saves each as a CBZ.
 *
 * Targets are UUIDs or web addresses of chapters, titles (`title:UUID`) and lists (`list:UUID`). A chapter that cannot
 * be saved is an event (`chapter-failed` with an error code) and does not stop the others. With `bind`, the events of the
 * books follow. The last event is the `summary`. Leaving the loop early stops the download.
 *
 * Throws TankobonError: UsageError (`bad-target`, `bad-option`, `bad-setting`, …) before anything is sent; ServiceError
 * (`banned`, `wait-too-long`, `unreachable`, …) if the chapters cannot be resolved; RunError (`interrupted`) if aborted.
 */
export async function* downloadChapters(
  targets: readonly string[],
  options: DownloadChaptersOptions = {},
): AsyncGenerator<ChapterMessage, void, undefined> {
  const emitter = new EventEmitter();
  const messages = on(emitter, 'message', { close: ['end'] });
  const stop = new AbortController();
  const interrupt = (): void => {
    stop.abort(interruptedError());
  };
  options.signal?.addEventListener('abort', interrupt);
  if (options.signal?.aborted) interrupt();
  const downloading = run(targets, options, stop.signal, (message) => {
    emitter.emit('message', message);
  }).finally(() => emitter.emit('end'));
  // Awaited below; until then a rejection is not unhandled.
  downloading.catch(() => undefined);
  try {
    for await (const [message] of messages) yield message as ChapterMessage;
    await downloading;
  } finally {
    options.signal?.removeEventListener('abort', interrupt);
    interrupt();
    await downloading.catch(() => undefined);
  }
}

async function run(
  targets: readonly string[],
  options: DownloadChaptersOptions,
  signal: AbortSignal,
  observe: (message: ChapterMessage) => void,
): Promise<void> {
  const context = await openContext(options);
  const { hostname } = readAddresses(context.settings).apiUrl;
  const request = downloadRequest(
    targets.map((target) => parseTarget(target, [hostname])),
    { languages: options.language ?? [], groups: options.group ?? [], ...options },
    context.settings,
  );
  const result = await download(context, request, { observe, observeBind: observe }, signal);
  signal.throwIfAborted();
  if (!result.isPlanned && result.stoppedBy) throw result.stoppedBy;
}

/**
 * The rate ledger that all tankobon processes of this machine share: reserve a permit before each request to the
 * service, and settle it when the response's headers arrive (spec 8.2, 8.3). Close it when done. Throws UsageError
 * (`bad-setting`).
 */
export async function openRateLedger(
  options: ApiOptions & { readonly warn?: (message: string) => void } = {},
): Promise<RateLedger> {
  const context = await openContext(options);
  const { settings, clock } = context;
  return openLedger({
    location: await ledgerLocation(context),
    addresses: readAddresses(settings),
    clock,
    warn: options.warn ?? (() => undefined),
    maxOutageMs: parseDuration(settings.maxOutage) ?? 0,
  });
}

async function openContext({ env = process.env }: ApiOptions): Promise<AppContext> {
  const paths = pathsFrom(env);
  const settings = await loadSettings(env, paths.config);
  return { env, paths, settings, clock: systemClock, redactor: new Redactor() };
}
