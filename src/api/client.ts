/**
 * The way to the service: one loop that asks the ledger (which knows of any cooldown), sends, and hears the
 * answer, so that no request and no repeat of one escapes the limits. The bearer is put on requests to the API
 * and on nothing else.
 */
import type { Clock } from '../core/clock.js';
import { ServiceError } from '../core/errors.js';
import {
  endpointUrl,
  hostKey,
  tokenUrl,
  type ServiceAddresses,
} from '../rate-limit/service-addresses.js';
import { checkCollectionEnd } from './collection.js';
import type { Connections } from './connections.js';
import {
  sendRequest,
  jsonValue,
  ResponseTimeout,
  type IncomingResponse,
  type OutgoingRequest,
} from './send-request.js';
import {
  isBan,
  isTokenRejected,
  classifyResponse,
  parseBody,
  type ApiResponse,
} from './classify-response.js';
import type { OutageMonitor } from './outage.js';
import type { IsFirstParty } from './first-party-domain.js';
import type { RequestInfo, Permit, RateLedger, Wait } from '../rate-limit/rate-ledger.js';
import { withHeaders } from './request-headers.js';
import { markRetryable, MAX_TRIES, RetryableError, pauseMs, checkWait } from './retry.js';

/** A login in force, as far as the client needs to know it. */
export interface TokenProvider {
  /** A token that is good now; undefined when nobody is logged in. */
  getToken(signal?: AbortSignal): Promise<string | undefined>;
  /** Another one, after the API rejected this. */
  renew(rejectedToken: string, signal?: AbortSignal): Promise<string | undefined>;
  isExpired(token: string): boolean;
}

/** Gives an answer its shape; what it throws becomes `bad-answer`. */
export type Parser<T> = (value: unknown) => T;

export interface ApiRequest<T> {
  readonly method: 'GET' | 'POST';
  /** Below the API's base, such as `/at-home/server/…`. */
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly json?: unknown;
  /** Asked for while the answer is on its way, so that what checks it can be loaded meanwhile. */
  readonly parser: () => Parser<T> | Promise<Parser<T>>;
  /** What solving a captcha gave, for the repeat of the request that asked for it. */
  readonly captchaResult?: string;
  readonly signal?: AbortSignal;
}

export interface TokenFormOptions {
  /** Stops it at any time. */
  readonly signal?: AbortSignal | undefined;
  /** Stops it only while it waits to be sent. */
  readonly waitSignal?: AbortSignal | undefined;
}

export interface ServiceClient {
  /**
   * One call of the API. Failures that pass are tried three times in all where the request is a GET; those of an
   * outage do not count, and the request is sent again when that is over. Throws `unreachable`, `service-failed`,
   * `bad-answer`, `rate-limited`, `banned`, `wait-too-long`, CaptchaRequired, and ServiceRefusal for any other 4xx.
   */
  api<T>(request: ApiRequest<T>): Promise<T>;
  /** POST to the token endpoint (spec 4.1), once. Any status but 429 and a ban is the caller's to judge. */
  postTokenForm(form: URLSearchParams, options?: TokenFormOptions): Promise<ApiResponse>;
  /** A place for a load from one of the service's hosts; undefined for a volunteer's, which needs none. */
  reserve(line: RequestInfo, signal?: AbortSignal): Promise<Permit | undefined>;
}

export interface ClientDeps {
  readonly addresses: ServiceAddresses;
  readonly isFirstParty: IsFirstParty;
  readonly connections: Connections;
  readonly ledger: RateLedger;
  readonly clock: Clock;
  /** Shared by all clients of a run. Absent: no request waits for the end of an outage. */
  readonly outages?: OutageMonitor;
  /** Absent: all requests are anonymous. */
  readonly tokenProvider?: TokenProvider;
  /** Called for waits of over two seconds. */
  readonly onWait?: (wait: Wait) => void;
  /** Told whenever a request to the API has left. */
  readonly onSent?: () => void;
  /** An answer larger than this, unpacked, is refused. */
  readonly maxResponseBytes?: number;
  readonly random?: () => number;
}

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** How often one request is sent again after a 429; each time all requests have waited as the service asked. */
const MOST_THROTTLED = 5;

export function createServiceClient(parts: ClientDeps): ServiceClient {
  return new Client(parts);
}

class Client implements ServiceClient {
  readonly #hosts: ReadonlySet<string>;

  constructor(private readonly parts: ClientDeps) {
    const { apiUrl, authUrl, networkUrl } = parts.addresses;
    this.#hosts = new Set([apiUrl, authUrl, networkUrl].map(hostKey));
  }

  async api<T>(request: ApiRequest<T>): Promise<T> {
    checkCollectionEnd(request.query ?? new URLSearchParams());
    const { outages } = this.parts;
    for (let failed = 0; ;) {
      await outages?.whenOver(request.signal);
      try {
        const value = await this.#apiOnce(request);
        if (request.method === 'GET')
          outages?.recordSuccess(kindOf(request), (signal) => this.#probe(request, signal));
        return value;
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
        // A request that changes something might have been carried out although its answer was lost.
        if (request.method !== 'GET') throw error.failure;
        failed = await this.#afterFailure(failed + 1, error, request);
      }
    }
  }

  /**
   * Waits before a request is sent again, and resolves with how often it failed by itself: failures during an outage
   * say nothing about the request. An error in an answer may concern this request alone, so that is tried three times
   * before it counts as an outage.
   */
  async #afterFailure(
    failed: number,
    failure: RetryableError,
    request: ApiRequest<unknown>,
  ): Promise<number> {
    const { outages } = this.parts;
    const isLast = failed === MAX_TRIES;
    const isOfConnection = failure.failure.code === 'unreachable';
    if (outages?.isReady === true && (isLast || isOfConnection || outages.isActive)) {
      checkWait(failure.retryAfterMs ?? 0, failure, this.parts.clock);
      if (await outages.waitForEnd(kindOf(request), failure, request.signal)) return 0;
      if (isLast) throw failure.failure;
    } else {
      if (isLast) throw failure.failure;
      await this.#pause(failed, failure, request.signal);
    }
    return failed;
  }

  /** Sends a request that was answered before again, without a login: any answer but a failure that passes will do. */
  async #probe(
    { method, path, query }: ApiRequest<unknown>,
    signal?: AbortSignal,
  ): Promise<RetryableError | undefined> {
    const url = endpointUrl(this.parts.addresses.apiUrl, path, query);
    try {
      const answer = await this.#send('api', withHeaders({ method, url, signal }));
      classifyResponse(`${method} ${path}`, answer, this.parts.clock.wallMs());
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof RetryableError) return error;
    }
    return undefined;
  }

  async postTokenForm(form: URLSearchParams, options: TokenFormOptions = {}): Promise<ApiResponse> {
    const { signal, waitSignal = signal } = options;
    const outgoing = { method: 'POST', url: tokenUrl(this.parts.addresses), form, signal } as const;
    return this.#send('auth', outgoing, waitSignal).catch((error: unknown) => {
      throw error instanceof RetryableError ? error.failure : error;
    });
  }

  async reserve(line: RequestInfo, signal?: AbortSignal): Promise<Permit | undefined> {
    const own = this.#hosts.has(hostKey(line.url)) || (await this.parts.isFirstParty(line.url));
    return own ? this.#reserve(line, signal) : undefined;
  }

  async #apiOnce<T>(request: ApiRequest<T>): Promise<T> {
    const { method, path, query, json, signal } = request;
    const url = endpointUrl(this.parts.addresses.apiUrl, path, query);
    const what = `${method} ${path}`;
    let shape: Promise<Parser<T>> | undefined;
    const theShape = () => (shape ??= Promise.resolve(request.parser()));
    const onSent = (): void => {
      // Awaited below, if the answer is a good one.
      theShape().catch(() => undefined);
      this.parts.onSent?.();
    };
    const outgoing: OutgoingRequest = { method, url, json, signal, onSent };
    const { tokenProvider: bearer } = this.parts;
    const token = await bearer?.getToken(signal);
    let answer = await this.#send('api', withHeaders(outgoing, token, request.captchaResult));
    if (bearer && token !== undefined && isTokenRejected(answer, bearer.isExpired(token))) {
      const fresh = await bearer.renew(token, signal);
      if (fresh !== undefined && fresh !== token) {
        answer = await this.#send('api', withHeaders(outgoing, fresh, request.captchaResult));
      }
    }
    return parseBody(
      what,
      classifyResponse(what, answer, this.parts.clock.wallMs()),
      await theShape(),
    );
  }

  /** Sends until the answer is neither a 429 nor a ban; after a ban it is the ledger that throws. */
  async #send(
    kind: 'api' | 'auth',
    outgoing: OutgoingRequest,
    waitSignal = outgoing.signal,
  ): Promise<ApiResponse> {
    for (let throttled = 0; ; throttled += 1) {
      const place = await this.#reserve(outgoing, waitSignal);
      const answer = await this.#exchange(kind, outgoing, place);
      if (answer.status !== 429 && !isBan(answer)) return answer;
      if (throttled === MOST_THROTTLED) {
        throw new ServiceError(
          'rate-limited',
          `${outgoing.url.host} answered 429 ${throttled + 1} times, although each wait was kept.`,
        );
      }
    }
  }

  async #exchange(
    kind: 'api' | 'auth',
    outgoing: OutgoingRequest,
    place: Permit,
  ): Promise<ApiResponse> {
    const { maxResponseBytes: maxAnswerBytes = MAX_ANSWER_BYTES } = this.parts;
    let incoming: IncomingResponse;
    try {
      incoming = await sendRequest(this.parts.connections[kind], outgoing);
    } catch (error) {
      await place.settle(error instanceof ResponseTimeout ? 'timeout' : undefined);
      throw markRetryable(error);
    }
    const { status, headers } = incoming;
    if (status === 429) {
      incoming.discard();
      await place.settle({ status, headers });
      return { status, headers, body: undefined };
    }
    if (status !== 403) void place.settle({ status, headers });
    try {
      const text = await incoming.text(maxAnswerBytes);
      const answer = { status, headers, body: jsonValue(text) };
      if (status === 403) await place.settle({ status, headers, generic: isBan(answer) });
      return answer;
    } catch (error) {
      // A 403 whose page never came whole is no word of the service's own either.
      if (status === 403) await place.settle({ status, headers, generic: true });
      throw markRetryable(error);
    }
  }

  async #reserve(line: RequestInfo, signal?: AbortSignal): Promise<Permit> {
    const { ledger, onWait } = this.parts;
    return ledger.reserve(line, { ...(signal && { signal }), ...(onWait && { onWait }) });
  }

  async #pause(failed: number, failure: RetryableError, signal?: AbortSignal): Promise<void> {
    const { clock, onWait, random = Math.random } = this.parts;
    const ms = Math.max(pauseMs(failed, random), failure.retryAfterMs ?? 0);
    checkWait(ms, failure, clock);
    const untilMs = clock.wallMs() + ms;
    if (ms > 2_000) onWait?.({ for: 'cooldown', untilMs, why: 'the service asked for a pause' });
    await clock.sleep(ms, signal);
  }
}

/** Requests of one kind differ in their ids alone. */
function kindOf({ path }: ApiRequest<unknown>): string {
  return path.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '{id}');
}
