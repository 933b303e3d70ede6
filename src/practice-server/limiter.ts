/**
 * The limiter in front of the service's hosts (spec 7 and 8): counts arrivals, and goes from 429 for all hosts to
 * the generic 403, and from there to silence, while a client goes on. The volunteers' nodes do not pass it.
 */
import { errorAnswer, pageAnswer, type Answer } from './endpoint.js';
import { limitRowOf } from './limit-table.js';
import type { Role } from './request-log.js';
import { rateWindow, type Counting, type RateWindow } from './rate-window.js';
import type { Finding } from './rule-checks.js';

export interface LimiterOptions {
  /** How the service counts; `sliding` where absent. */
  readonly counting?: Counting;
  /** The periods of table 8.3 times this; 1 where absent. */
  readonly periodScale?: number;
  /** The API host's general limit; 5 in 1,000 ms where absent. */
  readonly general?: { readonly requests: number; readonly periodMs: number };
  /** Requests of one row of table 8.3, by its line such as `GET /at-home/server/{id}`, instead of the table's number. */
  readonly requests?: Readonly<Record<string, number>>;
  /** The three X-RateLimit headers; sent where absent. */
  readonly rateHeaders?: boolean;
  /** Whether a 429 has a Retry-After in seconds, as some protection layers send it. It has none where absent. */
  readonly retryAfter?: boolean;
  /** So many requests after the first 429, while it is still in force, bring the ban. 10 where absent. */
  readonly banAfter?: number;
  /** So many 403 during the ban, and then silence. 5 where absent. */
  readonly silenceAfter?: number;
  /** How long without a request until the ban ends, in milliseconds. 10 minutes where absent. */
  readonly banMs?: number;
}

export type LimiterState = 'open' | 'limited' | 'banned' | 'silent';

export interface LimiterDecision {
  /** In place of what the host would say. */
  readonly refusal?: Answer;
  readonly finding?: Finding;
  /** To add to whatever is answered. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Limiter {
  /** `nowMs` is the service's own time; `stampSkewMs` is what its time stamps are wrong by. */
  arrive(line: { role: Role; method: string; path: string }, nowMs: number): LimiterDecision;
  state(nowMs: number): LimiterState;
  ban(nowMs: number): void;
  liftBan(): void;
  /** By limit: `general`, or a quota such as `GET /at-home/server/{id}` that was used. */
  peaks(): ReadonlyMap<string, { readonly limit: number; readonly peak: number }>;
}

const GENERAL = 'general';
const MINUTE_MS = 60_000;

export function createLimiter(options: LimiterOptions, stampSkewMs: number): Limiter {
  const { counting = 'sliding', periodScale = 1, banAfter = 10, silenceAfter = 5 } = options;
  const { general = { requests: 5, periodMs: 1_000 }, banMs = 10 * MINUTE_MS } = options;
  const windows = new Map<string, RateWindow>([
    [GENERAL, rateWindow(general.requests, general.periodMs, counting)],
  ]);
  let wentOn = 0;
  let bannedUntilMs = 0;
  let answeredInBan = 0;

  const overLimit = (nowMs: number): boolean =>
    [...windows.values()].some((window) => window.count(nowMs) > window.limit);
  const startBan = (nowMs: number): void => {
    bannedUntilMs = nowMs + banMs;
    answeredInBan = 0;
  };

  /** The windows that a request on the API host counts in. */
  function windowsOf(method: string, path: string): { quota?: string; counted: RateWindow[] } {
    const generalWindow = windows.get(GENERAL);
    const pluralize = generalWindow ? [generalWindow] : [];
    const row = limitRowOf(method, path);
    if (!row) return { counted: pluralize };
    const requests = options.requests?.[`${row.method} ${row.path}`] ?? row.requests;
    const periodMs = row.periodMinutes * MINUTE_MS * periodScale;
    const window = windows.get(row.quota) ?? rateWindow(requests, periodMs, counting);
    windows.set(row.quota, window);
    return { quota: row.quota, counted: [...pluralize, window] };
  }

  function rateHeaders(quota: string | undefined, nowMs: number): Record<string, string> {
    const window = quota === undefined ? undefined : windows.get(quota);
    if (!window || options.rateHeaders === false) return {};
    return {
      'X-RateLimit-Limit': String(window.limit),
      'X-RateLimit-Remaining': String(Math.max(0, window.limit - window.count(nowMs))),
      'X-RateLimit-Retry-After': String(Math.ceil((window.endsAtMs(nowMs) + stampSkewMs) / 1_000)),
    };
  }

  /** The ban is on: a page for a while, then nothing; either way it begins anew (spec 7). */
  function inBan(nowMs: number): LimiterDecision {
    bannedUntilMs = nowMs + banMs;
    answeredInBan += 1;
    const refusal = pageAnswer(403, 'Forbidden');
    return {
      refusal:
        answeredInBan > silenceAfter ? { ...refusal, delivery: { how: 'silence' } } : refusal,
      finding: 'request-while-banned',
      headers: {},
    };
  }

  /** 429 from the API itself, with the headers of the quota, or from the load balancer, which has none of these. */
  function tooMany(quota: string | undefined, nowMs: number): Answer {
    const over = [...windows.values()].filter((window) => window.count(nowMs) > window.limit);
    const endsInMs = Math.max(...over.map((window) => window.endsAtMs(nowMs) - nowMs));
    const retryAfter: Record<string, string> =
      options.retryAfter === true ? { 'Retry-After': String(Math.ceil(endsInMs / 1_000)) } : {};
    if (quota === undefined) {
      const page = pageAnswer(429, 'Too Many Requests');
      return { ...page, headers: { ...page.headers, ...retryAfter } };
    }
    const error = { title: 'too_many_requests', detail: 'The quota of this endpoint is used up' };
    return errorAnswer(429, error, { ...retryAfter, ...rateHeaders(quota, nowMs) });
  }

  /** Over a limit: 429, or the ban when the client has gone on too long. */
  function overIt(quota: string | undefined, wasOver: boolean, nowMs: number): LimiterDecision {
    wentOn = wasOver ? wentOn + 1 : 0;
    const finding = 'request-while-limited';
    if (wentOn >= banAfter) {
      startBan(nowMs);
      return { refusal: pageAnswer(403, 'Forbidden'), finding, headers: {} };
    }
    const window = quota === undefined ? undefined : windows.get(quota);
    const ofQuota = window !== undefined && window.count(nowMs) > window.limit;
    const refusal = tooMany(ofQuota ? quota : undefined, nowMs);
    const first = ofQuota ? 'quota-exceeded' : 'general-rate';
    return { refusal, finding: wasOver ? finding : first, headers: {} };
  }

  return {
    arrive({ role, method, path }, nowMs) {
      if (nowMs < bannedUntilMs) return inBan(nowMs);
      const wasOver = overLimit(nowMs);
      const { quota, counted } =
        role === 'api' ? windowsOf(method, path) : { quota: undefined, counted: [] };
      for (const window of counted) window.add(nowMs);
      if (!overLimit(nowMs)) return { headers: rateHeaders(quota, nowMs) };
      return overIt(quota, wasOver, nowMs);
    },
    state(nowMs) {
      if (nowMs < bannedUntilMs) return answeredInBan >= silenceAfter ? 'silent' : 'banned';
      return overLimit(nowMs) ? 'limited' : 'open';
    },
    ban: startBan,
    liftBan() {
      bannedUntilMs = 0;
    },
    peaks: () =>
      new Map([...windows].map(([name, { limit, peak }]) => [name, { limit, peak }] as const)),
  };
}
