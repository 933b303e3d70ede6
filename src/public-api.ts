/** The functions for programs that import tankobon. They share settings, login, ledger and spool with the command line. */
import { EventEmitter, on } from 'node:events';
import { systemKeychains } from './service/keychain.js';
import { systemClock } from './core/clock.js';
import { interruptedError } from './core/errors.js';
import { Redactor } from './core/redactor.js';
import { toTankobonError } from './core/system-errors.js';
import type { BindEvent, BookPageEvent, DownloadMessage, Warning } from './library-events.js';
import {
  openLedger,
  type ObservedResponse,
  type Permit,
  type RateLedger,
  type ReserveOptions,
} from './service/ledger.js';
import { withService } from './service/service.js';
import { searchTitles as requestTitles, type Title } from './service/titles.js';
import { readAddresses } from './config/service-addresses.js';
import { parseTarget } from './selection/target.js';
import type { AppContext } from './config/context.js';
import type { GivenOptions } from './config/options.js';
import { downloadRequest } from './download/download-request.js';
import type { LibraryBindOptions } from './library-bind-options.js';
import type { LibraryDownloadOptions } from './library-download-options.js';
import {
  checkBindOptions,
  parseBindOptions,
  parseDownloadOptions,
  parseSearchOptions,
} from './library-options.js';
import { download } from './download/run-download.js';
import { ledgerLocation } from './config/ledger-location.js';
import { pathsFrom } from './config/paths.js';
import { loadSettings } from './config/settings.js';

export interface ApiOptions {
  /** The environment to read `TANKOBON_…` from; default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface DownloadChaptersOptions extends LibraryDownloadOptions, ApiOptions {
  /** Stops the download; finished pages are kept for the next one. */
  readonly signal?: AbortSignal;
}

export interface RateLedgerOptions extends ApiOptions {
  /** Receives a sentence when the ledger was damaged or replaced, and when another machine uses it. */
  readonly warn?: (message: string) => void;
}

/** A request that is about to be sent. A `Request` of `fetch` is one too. */
export interface ApiRequest {
  readonly method: string;
  readonly url: URL | string;
}

/** A response of which the headers have arrived. A `Response` of `fetch` is one too. */
export interface ApiResponse extends Omit<ObservedResponse, 'headers'> {
  readonly headers: ObservedResponse['headers'] | Headers;
}

export interface ApiPermit extends Omit<Permit, 'settle'> {
  /**
   * Reports the end of the request, as soon as the headers of its response have arrived. Without a response the
   * connection failed, or a time limit passed; `unsent`: no byte was written. Never rejects. Later calls have no effect.
   */
  settle(response?: ApiResponse | 'unsent'): Promise<void>;
}

export interface ApiRateLedger extends Pick<RateLedger, 'close'> {
  /**
   * Resolves when the request may be sent. Throws `banned` during the cooldown of a ban, `wait-too-long` where the wait
   * would exceed 15 minutes, and the signal's reason.
   */
  reserve(request: ApiRequest, options?: ReserveOptions): Promise<ApiPermit>;
}

/** What `downloadChapters` yields. */
export type ChapterMessage = DownloadMessage | BindEvent | BookPageEvent;

export interface BindChaptersOptions extends LibraryBindOptions, ApiOptions {
  /** Stops the binding; a book that is not finished is not written. */
  readonly signal?: AbortSignal;
}

/** What `bindChapters` yields. */
export type BookMessage = BindEvent | BookPageEvent | Warning;

export interface SearchTitlesOptions extends ApiOptions {
  /** Only titles with chapters in one of these languages. Default: those of the settings, or all. */
  readonly languages?: readonly string[];
  /** Second name of `languages`. */
  readonly language?: readonly string[];
  /** The maximum number of titles. From 1 to 100. Default: `20`. */
  readonly limit?: number;
  /** Stops the search. */
  readonly signal?: AbortSignal;
  /** Receives a sentence when a part of the response was not usable, or the ledger was damaged. */
  readonly warn?: (message: string) => void;
}

/** A title of MangaDex. All of it but the id is text of MangaDex, and not trusted. */
export interface FoundTitle {
  /** The id of the title: `title:` and the id is a target of `downloadChapters`. */
  readonly id: string;
  /** Its name. */
  readonly title: string;
  /** The year of its first release. */
  readonly year: number | null;
  /** Such as `ongoing`. */
  readonly status: string | null;
  /** The codes of the languages of its chapters. */
  readonly languages: readonly string[];
}

export interface TitleSearchResult {
  /** The best match first. */
  readonly titles: readonly FoundTitle[];
  /** How many titles match. */
  readonly total: number;
}

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
  const given = parseDownloadOptions(options);
  yield* messagesOf<ChapterMessage>(options.signal, (observe, signal) =>
    run(targets, given, options, signal, observe),
  );
}

/**
 * Binds the chapters of CBZ files, and of folders with such files, into books. Works offline.
 *
 * A book that fails is an event (`book-failed` with an error code) and does not stop the others. The last event is the
 * `bind-summary`, but for `dryRun`, which only yields what would be written. Leaving the loop early stops the binding.
 *
 * Throws TankobonError: UsageError before anything is written; RunError (`interrupted`) if aborted.
 */
export async function* bindChapters(
  files: readonly string[],
  options: BindChaptersOptions = {},
): AsyncGenerator<BookMessage, void, undefined> {
  const given = parseBindOptions(options);
  yield* messagesOf<BookMessage>(options.signal, async (observe, signal) => {
    const { bindFiles } = await import('./books/bind-books.js');
    const warn = (message: string): void => {
      observe({ type: 'warning', message });
    };
    await bindFiles(files, given, await openContext(options), { observe, warn, signal });
  });
}

/**
 * Titles by name, by one request. A name that no title has is an empty list.
 *
 * Throws TankobonError: UsageError (`bad-option`) before anything is sent; ServiceError (`banned`, `unreachable`, …);
 * RunError (`interrupted`) if aborted.
 */
export async function searchTitles(
  words: string,
  options: SearchTitlesOptions = {},
): Promise<TitleSearchResult> {
  const { warn = () => undefined } = options;
  const { signal, end } = interruptible(options.signal);
  try {
    const { language, limit } = parseSearchOptions(options);
    const context = await openContext(options);
    const languages = language ?? context.settings.language ?? [];
    const { titles, total } = await withService(
      context,
      { onWait: () => undefined, warn },
      ({ anonymous }) => requestTitles(anonymous, words, { languages, limit, signal, warn }),
    );
    return { titles: titles.map(toFoundTitle), total };
  } catch (error) {
    throw toTankobonError(error);
  } finally {
    end();
  }
}

function toFoundTitle({ id, name, year, status, languages }: Title): FoundTitle {
  return { id, title: name, year: year ?? null, status: status ?? null, languages };
}

/** A signal of this call, aborted with the error `interrupted` when `given` is. */
function interruptible(given: AbortSignal | undefined) {
  const stop = new AbortController();
  const interrupt = (): void => {
    stop.abort(interruptedError());
  };
  given?.addEventListener('abort', interrupt);
  if (given?.aborted) interrupt();
  return {
    signal: stop.signal,
    interrupt,
    end: () => given?.removeEventListener('abort', interrupt),
  };
}

/** What `work` passes to its listener, until it ends. Leaving the loop early stops it. */
async function* messagesOf<Message>(
  given: AbortSignal | undefined,
  work: (observe: (message: Message) => void, signal: AbortSignal) => Promise<void>,
): AsyncGenerator<Message, void, undefined> {
  const emitter = new EventEmitter();
  const messages = on(emitter, 'message', { close: ['end'] });
  const { signal, interrupt, end } = interruptible(given);
  const working = work((message) => {
    emitter.emit('message', message);
  }, signal).finally(() => emitter.emit('end'));
  // Awaited below; until then a rejection is not unhandled.
  working.catch(() => undefined);
  try {
    for await (const [message] of messages) yield message as Message;
    await working.catch((error: unknown) => {
      throw toTankobonError(error);
    });
  } finally {
    end();
    interrupt();
    await working.catch(() => undefined);
  }
}

async function run(
  targets: readonly string[],
  given: GivenOptions,
  options: ApiOptions,
  signal: AbortSignal,
  observe: (message: ChapterMessage) => void,
): Promise<void> {
  const context = await openContext(options);
  const { hostname } = readAddresses(context.settings).apiUrl;
  checkBindOptions(given, context.settings);
  const request = downloadRequest(
    targets.map((target) => parseTarget(target, [hostname])),
    { language: [], group: [], ...given },
    context.settings,
  );
  const result = await download(context, request, { observe, observeBind: observe }, signal);
  signal.throwIfAborted();
  if (!result.isPlanned && result.stoppedBy) throw result.stoppedBy;
}

/**
 * The rate ledger that all tankobon processes of this machine share: reserve a permit before each request to the
 * service, send that within two seconds, and settle it when the response's headers arrive (spec 8.2, 8.3), in half a
 * minute at most. Close it when done. Throws UsageError (`bad-setting`).
 */
export async function openRateLedger(options: RateLedgerOptions = {}): Promise<ApiRateLedger> {
  const { warn = () => undefined } = options;
  const context = await openContext(options);
  const { settings, clock } = context;
  const ledger = await openLedger({
    location: await ledgerLocation(context),
    addresses: readAddresses(settings),
    clock,
    warn,
    maxOutageMs: settings.maxOutage,
  });
  return {
    reserve: async ({ method, url }, reserveOptions) =>
      apiPermit(
        await ledger.reserve({ method: method.toUpperCase(), url: new URL(url) }, reserveOptions),
      ),
    close: () => ledger.close(),
  };
}

function apiPermit(permit: Permit): ApiPermit {
  return {
    isValid: () => permit.isValid(),
    remainingMs: () => permit.remainingMs(),
    settle: (response) =>
      permit.settle(
        typeof response === 'object'
          ? {
              status: response.status,
              headers: plainHeaders(response.headers),
              ...(response.generic !== undefined && { generic: response.generic }),
            }
          : response,
      ),
  };
}

function plainHeaders(headers: ApiResponse['headers']): ObservedResponse['headers'] {
  return headers instanceof Headers ? Object.fromEntries(headers) : headers;
}

async function openContext({ env = process.env }: ApiOptions): Promise<AppContext> {
  const paths = pathsFrom(env);
  const settings = await loadSettings(env, paths.config);
  const openKeychain = systemKeychains(systemClock);
  return { env, paths, settings, clock: systemClock, redactor: new Redactor(), openKeychain };
}
