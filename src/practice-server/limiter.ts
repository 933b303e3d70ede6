/**
 * The limits of the service's hosts (spec 7 and 8). A client over a limit gets 429 from every host; if it goes on, the
 * generic 403, and then no response.
 */
import { errorResponse, htmlResponse, type EndpointResponse } from './endpoint.js';
import { limitRowOf } from './limit-table.js';
import type { Finding, Role } from './request-log.js';

export interface LimiterOptions {
  /** Any stretch of one period (`sliding`, the default) or periods that begin at multiples of their length (`fixed`). */
  readonly counting?: 'sliding' | 'fixed';
  /** Multiplies the periods of table 8.3. */
  readonly periodScale?: number;
  /** The general limit of the API host; 5 requests in 1,000 ms by default. */
  readonly general?: { readonly requests: number; readonly periodMs: number };
  /** Replaces the requests of a row of table 8.3, such as `GET /at-home/server/{id}`. */
  readonly requests?: Readonly<Record<string, number>>;
  /** Whether to send the three X-RateLimit headers; true by default. */
  readonly rateHeaders?: boolean;
  /** The number of requests during 429 that starts the ban; 10 by default. */
  readonly banAfter?: number;
  /** The number of 403 responses during the ban, before silence; 5 by default. */
  readonly silenceAfter?: number;
  /** The time without requests that ends the ban; 10 minutes by default. */
  readonly banMs?: number;
}

export type LimiterState = 'open' | 'limited' | 'banned' | 'silent';

export interface LimiterDecision {
  /** Replaces the host's response. */
  readonly refusal?: EndpointResponse;
  readonly finding?: Finding;
  /** Added to the host's response. */
  readonly headers?: Readonly<Record<string, string>>;
}

const MINUTE_MS = 60_000;

const DEFAULT_OPTIONS: Required<LimiterOptions> = {
  counting: 'sliding',
  periodScale: 1,
  general: { requests: 5, periodMs: 1_000 },
  requests: {},
  rateHeaders: true,
  banAfter: 10,
  silenceAfter: 5,
  banMs: 10 * MINUTE_MS,
};

const FORBIDDEN = htmlResponse(403, 'Forbidden');

/** Counts the requests of one limit. The times passed in must not decrease. */
class RateWindow {
  /** The most requests within any stretch of one period, for either way of counting. */
  peak = 0;
  readonly #times: number[] = [];

  constructor(
    readonly limit: number,
    private readonly periodMs: number,
    private readonly fixed: boolean,
  ) {}

  add(nowMs: number): void {
    this.#removeExpired(nowMs);
    this.#times.push(nowMs);
    this.peak = Math.max(this.peak, this.#times.length);
  }

  count(nowMs: number): number {
    this.#removeExpired(nowMs);
    if (!this.fixed) return this.#times.length;
    return this.#times.filter((time) => time >= this.#fixedStart(nowMs)).length;
  }

  isOver(nowMs: number): boolean {
    return this.count(nowMs) > this.limit;
  }

  /** The end of the fixed period, or the time at which a sliding one allows another request. */
  endsAtMs(nowMs: number): number {
    this.#removeExpired(nowMs);
    if (this.fixed) return this.#fixedStart(nowMs) + this.periodMs;
    const oldest = this.#times[Math.max(0, this.#times.length - this.limit)];
    return (oldest ?? nowMs) + this.periodMs;
  }

  #fixedStart(nowMs: number): number {
    return Math.floor(nowMs / this.periodMs) * this.periodMs;
  }

  #removeExpired(nowMs: number): void {
    while ((this.#times[0] ?? Infinity) <= nowMs - this.periodMs) this.#times.shift();
  }
}

export class Limiter {
  readonly #windows = new Map<string, RateWindow>();
  readonly #general: RateWindow;
  readonly #options: Required<LimiterOptions>;
  #requestsWhileLimited = 0;
  #requestsWhileBanned = 0;
  #bannedUntilMs = 0;

  /** `dateSkewMs` is the error of the service's time stamps. */
  constructor(
    options: LimiterOptions,
    private readonly dateSkewMs: number,
  ) {
    this.#options = { ...DEFAULT_OPTIONS, ...options };
    const { requests, periodMs } = this.#options.general;
    this.#general = this.#window('general', requests, periodMs);
  }

  /** Counts the request. `nowMs` is the service's time. */
  check(request: { role: Role; method: string; path: string }, nowMs: number): LimiterDecision {
    const { role, method, path } = request;
    if (nowMs < this.#bannedUntilMs) return this.#checkBanned(nowMs);
    const wasOver = this.#isOverAny(nowMs);
    const quota = role === 'api' ? this.#quotaWindow(method, path) : undefined;
    if (role === 'api') this.#general.add(nowMs);
    quota?.add(nowMs);
    if (this.#isOverAny(nowMs)) return this.#refuse(quota, wasOver, nowMs);
    return { headers: this.#rateHeaders(quota, nowMs) };
  }

  state(nowMs: number): LimiterState {
    if (nowMs < this.#bannedUntilMs) {
      return this.#requestsWhileBanned >= this.#options.silenceAfter ? 'silent' : 'banned';
    }
    return this.#isOverAny(nowMs) ? 'limited' : 'open';
  }

  ban(nowMs: number): void {
    this.#bannedUntilMs = nowMs + this.#options.banMs;
    this.#requestsWhileBanned = 0;
  }

  liftBan(): void {
    this.#bannedUntilMs = 0;
  }

  /** By limit: `general`, or a quota that was used, such as `GET /at-home/server/{id}`. */
  peaks(): ReadonlyMap<string, { readonly limit: number; readonly peak: number }> {
    return new Map([...this.#windows].map(([name, { limit, peak }]) => [name, { limit, peak }]));
  }

  #window(name: string, requests: number, periodMs: number): RateWindow {
    const fixed = this.#options.counting === 'fixed';
    const window = this.#windows.get(name) ?? new RateWindow(requests, periodMs, fixed);
    this.#windows.set(name, window);
    return window;
  }

  #quotaWindow(method: string, path: string): RateWindow | undefined {
    const row = limitRowOf(method, path);
    if (!row) return undefined;
    const requests = this.#options.requests[`${row.method} ${row.path}`] ?? row.requests;
    const periodMs = row.periodMinutes * MINUTE_MS * this.#options.periodScale;
    return this.#window(row.quota, requests, periodMs);
  }

  #isOverAny(nowMs: number): boolean {
    return [...this.#windows.values()].some((window) => window.isOver(nowMs));
  }

  #rateHeaders(quota: RateWindow | undefined, nowMs: number): Record<string, string> {
    if (!quota || !this.#options.rateHeaders) return {};
    const endsAtMs = quota.endsAtMs(nowMs) + this.dateSkewMs;
    return {
      'X-RateLimit-Limit': String(quota.limit),
      'X-RateLimit-Remaining': String(Math.max(0, quota.limit - quota.count(nowMs))),
      'X-RateLimit-Retry-After': String(Math.ceil(endsAtMs / 1_000)),
    };
  }

  /** Every request extends the ban (spec 7). */
  #checkBanned(nowMs: number): LimiterDecision {
    this.#bannedUntilMs = nowMs + this.#options.banMs;
    this.#requestsWhileBanned += 1;
    const silent = this.#requestsWhileBanned > this.#options.silenceAfter;
    return {
      refusal: silent ? { ...FORBIDDEN, delivery: { how: 'silence' } } : FORBIDDEN,
      finding: 'request-while-banned',
    };
  }

  #refuse(quota: RateWindow | undefined, wasOver: boolean, nowMs: number): LimiterDecision {
    this.#requestsWhileLimited = wasOver ? this.#requestsWhileLimited + 1 : 0;
    if (this.#requestsWhileLimited >= this.#options.banAfter) {
      this.ban(nowMs);
      return { refusal: FORBIDDEN, finding: 'request-while-limited' };
    }
    const exceeded = quota?.isOver(nowMs) === true ? quota : undefined;
    const first = exceeded ? 'quota-exceeded' : 'general-rate';
    const finding = wasOver ? 'request-while-limited' : first;
    return { refusal: this.#tooManyRequests(exceeded, nowMs), finding };
  }

  /** From the API with the quota's headers, or from the load balancer without them. */
  #tooManyRequests(quota: RateWindow | undefined, nowMs: number): EndpointResponse {
    if (quota === undefined) return htmlResponse(429, 'Too Many Requests');
    const error = { title: 'too_many_requests', detail: 'The quota of this endpoint is used up' };
    return errorResponse(429, error, this.#rateHeaders(quota, nowMs));
  }
}
