/** The client of the service: adds the access token where it is needed, and repeats requests that failed temporarily. */
import type { Clock } from '../core/clock.js';
import type { Redactor } from '../core/redactor.js';
import { retryDelayMs } from '../core/retry-delay.js';
import { UUID_PATTERN } from '../core/uuid.js';
import { MIN_REPORTED_WAIT_MS, type RequestInfo } from './permits/rate-ledger.js';
import {
  endpointUrl,
  hostKey,
  tokenUrl,
  type ServiceAddresses,
} from '../config/service-addresses.js';
import {
  classifyResponse,
  isTokenRejected,
  unexpectedResponse,
  type ApiResponse,
} from './requests/classify-response.js';
import { checkCollectionEnd } from './catalogue/collection.js';
import type { IsFirstParty } from './requests/first-party-domain.js';
import type { RequestPermit } from './requests/guarded-request.js';
import type { OutageMonitor } from './requests/outage.js';
import type { Parser } from './catalogue/parse-response.js';
import {
  checkWait,
  MAX_ATTEMPTS,
  RETRY_DELAYS,
  RetryableError,
  type Retry,
} from './requests/retry.js';
import { reserve, sendPermitted, type PermittedDeps } from './requests/send-permitted.js';
import { apiHeaders } from './requests/send-request.js';
import {
  needsToken,
  refusesAnonymous,
  tokenScope,
  tokenUseOf,
  type TokenProvider,
} from './requests/token-use.js';

export { ServiceRefusal } from './requests/api-errors.js';
export { OutageTooLong } from './requests/outage.js';
export { sendRequest } from './requests/send-request.js';

export interface ApiRequest<T> {
  readonly method: 'GET' | 'POST';
  /** Relative to the API's URL, such as `/at-home/server/…`. */
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly json?: unknown;
  /** Called while the request is in flight, so that schemas are loaded meanwhile. */
  readonly parser: () => Parser<T> | Promise<Parser<T>>;
  /** Sent when a request that required a captcha is repeated. */
  readonly captchaResult?: string;
  readonly signal?: AbortSignal;
}

interface TokenFormOptions {
  readonly signal?: AbortSignal;
  /** Cancels the request only before it is sent. */
  readonly waitSignal?: AbortSignal;
}

export interface ServiceClient {
  /** Whether page delivery is asked for nodes on port 443. */
  readonly port443: boolean;
  /** The languages of the names of titles, in order of preference; undefined: the default. */
  readonly titleLanguage: readonly string[] | undefined;
  /**
   * Sends a request to the API. A GET is attempted three times if it fails temporarily; attempts during an outage do
   * not count, and it is sent again when the outage has ended. Throws `unreachable`, `service-failed`, `bad-response`,
   * `rate-limited`, `banned`, `wait-too-long`, CaptchaRequired, and ServiceRefusal for any other 4xx.
   */
  api<T>(request: ApiRequest<T>): Promise<T>;
  /** POST to the token endpoint (spec 4.1), without retries. Returns responses of any status but 429 and a ban. */
  postTokenForm(form: URLSearchParams, options?: TokenFormOptions): Promise<ApiResponse>;
  /** A permit for a request to one of the service's hosts; undefined for others, which need none. */
  reserve(request: RequestInfo, signal?: AbortSignal): Promise<RequestPermit | undefined>;
}

export interface ClientDeps extends PermittedDeps {
  readonly addresses: ServiceAddresses;
  readonly isFirstParty: IsFirstParty;
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** Shared by all clients of a run. If absent, requests do not wait for the end of an outage. */
  readonly outages?: OutageMonitor;
  /** If absent, all requests are anonymous. */
  readonly tokenProvider?: TokenProvider;
  readonly port443?: boolean;
  readonly titleLanguage?: readonly string[] | undefined;
  readonly onRetry?: (retry: Retry) => void;
  /** Loads what comes next: called while a request to the API waits for its response, unless that comes at once. */
  readonly preload?: () => void;
  readonly random?: () => number;
}

export function createServiceClient(deps: ClientDeps): ServiceClient {
  return new Client(deps);
}

/** Loading what a response needs blocks the process: a request beside this one is sent before. */
const PRELOAD_DELAY_MS = 40;

class Client implements ServiceClient {
  readonly port443: boolean;
  readonly titleLanguage: readonly string[] | undefined;
  readonly #hosts: ReadonlySet<string>;
  /** The titles, lists and other requests that the service answers only with a token. */
  readonly #tokenScopes = new Set<string>();

  constructor(private readonly deps: ClientDeps) {
    this.port443 = deps.port443 ?? false;
    this.titleLanguage = deps.titleLanguage;
    const { apiUrl, authUrl, networkUrl } = deps.addresses;
    this.#hosts = new Set([apiUrl, authUrl, networkUrl].map(hostKey));
  }

  async api<T>(request: ApiRequest<T>): Promise<T> {
    checkCollectionEnd(request.query ?? new URLSearchParams());
    const { outages } = this.deps;
    const isRead = request.method === 'GET';
    for (let failures = 0; ;) {
      await outages?.waitWhileActive(request.signal);
      try {
        const value = await this.#attempt(request);
        if (isRead)
          outages?.recordSuccess(endpointOf(request), (signal) => this.#probe(request, signal));
        return value;
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
        // A request that changes something may have been carried out without a response.
        if (!isRead) throw error.failure;
        failures = await this.#waitForRetry(failures + 1, error, request);
      }
    }
  }

  async postTokenForm(form: URLSearchParams, options: TokenFormOptions = {}): Promise<ApiResponse> {
    const { signal, waitSignal = signal } = options;
    const outgoing = { method: 'POST', url: tokenUrl(this.deps.addresses), form, signal } as const;
    return sendPermitted(this.deps, 'auth', outgoing, waitSignal).catch((error: unknown) => {
      throw error instanceof RetryableError ? error.failure : error;
    });
  }

  async reserve(request: RequestInfo, signal?: AbortSignal): Promise<RequestPermit | undefined> {
    const isOfService =
      this.#hosts.has(hostKey(request.url)) || (await this.deps.isFirstParty(request.url));
    return isOfService ? reserve(this.deps, request, signal) : undefined;
  }

  /**
   * Waits before a request is sent again. Resolves with its number of failures, which are forgotten after an outage. An
   * error response may concern this request alone: it counts as an outage only after the last attempt.
   */
  async #waitForRetry(
    failures: number,
    error: RetryableError,
    request: ApiRequest<unknown>,
  ): Promise<number> {
    const { outages } = this.deps;
    const isLast = failures === MAX_ATTEMPTS;
    const isUnreachable = error.failure.code === 'unreachable';
    if (outages?.isReady === true && (isLast || isUnreachable || outages.isActive)) {
      checkWait(error.retryAfterMs ?? 0, error, this.deps.clock);
      if (await outages.waitForEnd(endpointOf(request), error, request.signal)) return 0;
      if (isLast) throw error.failure;
    } else {
      if (isLast) throw error.failure;
      await this.#pause(failures, error, request);
    }
    return failures;
  }

  async #pause(
    failures: number,
    error: RetryableError,
    request: ApiRequest<unknown>,
  ): Promise<void> {
    const { clock, onWait, onRetry, random = Math.random } = this.deps;
    const { minReportedWaitMs = MIN_REPORTED_WAIT_MS } = this.deps;
    const delayMs = retryDelayMs(RETRY_DELAYS, failures, random());
    const ms = Math.max(delayMs, error.retryAfterMs ?? 0);
    checkWait(ms, error, clock);
    const untilMs = clock.wallMs() + ms;
    onRetry?.({
      request: `${request.method} ${endpointOf(request)}`,
      reason: error.failure.message,
      delayMs: ms,
    });
    if (ms > minReportedWaitMs) {
      onWait?.({ for: 'cooldown', untilMs, why: 'the service requested a pause' });
    }
    await clock.sleep(ms, request.signal);
  }

  /** Repeats a request that succeeded before, anonymously. Resolves with the temporary failure, if there is one. */
  async #probe(
    { method, path, query }: ApiRequest<unknown>,
    signal?: AbortSignal,
  ): Promise<RetryableError | undefined> {
    const url = endpointUrl(this.deps.addresses.apiUrl, path, query);
    try {
      const outgoing = { method, url, signal, headers: apiHeaders() };
      const response = await sendPermitted(this.deps, 'api', outgoing);
      this.#classify(`${method} ${path}`, response);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof RetryableError) return error;
    }
    return undefined;
  }

  /** With the token where it is needed; otherwise without, and once with it if that is refused. */
  async #sendAuthorized(request: ApiRequest<unknown>, send: Send): Promise<ApiResponse> {
    const { tokenProvider } = this.deps;
    const scope = tokenScope(request);
    const isTokenNeeded = needsToken(request) || this.#tokenScopes.has(scope);
    const anonymous = isTokenNeeded ? undefined : await send();
    if (anonymous && !refusesAnonymous(anonymous)) return anonymous;
    const use = tokenUseOf(request);
    const token = await tokenProvider?.getToken(request.signal, use);
    if (!tokenProvider || token === undefined) return anonymous ?? send();
    let response = await send(token);
    if (isTokenRejected(response, tokenProvider.isExpired(token))) {
      const renewed = await tokenProvider.renew(token, request.signal, use);
      if (renewed !== undefined && renewed !== token) response = await send(renewed);
      // Page delivery answers without a login too.
      else if (use === 'optional' && needsToken(request)) response = await send();
    }
    if (anonymous && response.status < 400) this.#tokenScopes.add(scope);
    return response;
  }

  async #attempt<T>(request: ApiRequest<T>): Promise<T> {
    const { method, path, query, json, signal, captchaResult } = request;
    const url = endpointUrl(this.deps.addresses.apiUrl, path, query);
    let loading: Promise<Parser<T>> | undefined;
    const loadParser = () => (loading ??= Promise.resolve(request.parser()));
    const preload = (): void => {
      // Awaited below if the request succeeds.
      loadParser().catch(() => undefined);
      this.deps.preload?.();
    };
    let timer: NodeJS.Timeout | undefined;
    const onSent = (): void => {
      clearTimeout(timer);
      timer = setTimeout(preload, PRELOAD_DELAY_MS).unref();
    };
    const send: Send = (token) => {
      const headers = apiHeaders(token, captchaResult);
      return sendPermitted(this.deps, 'api', { method, url, json, signal, onSent, headers });
    };
    const response = await this.#sendAuthorized(request, send).finally(() => {
      clearTimeout(timer);
    });
    const name = `${method} ${path}`;
    const { body } = this.#classify(name, response);
    const parse = await loadParser();
    try {
      return parse(body);
    } catch (cause) {
      throw unexpectedResponse(name, 'it does not match the schema', cause);
    }
  }

  #classify(request: string, response: ApiResponse): ApiResponse {
    const { clock, redactor } = this.deps;
    return classifyResponse(request, response, clock.wallMs(), redactor);
  }
}

type Send = (token?: string) => Promise<ApiResponse>;

const IDS = new RegExp(UUID_PATTERN, 'gi');

/** The path without ids. */
function endpointOf({ path }: ApiRequest<unknown>): string {
  return path.replace(IDS, '{id}');
}
