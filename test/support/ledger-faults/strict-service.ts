/** A service that counts each request in sliding and fixed windows, and pauses or bans the address. */
import type { Outcome } from '../../../src/service/permits/settlement.js';
import type { Quota } from '../../../src/service/quotas.js';
import type { Dice } from './dice.js';

export type WindowKind = 'sliding' | 'fixed';

export interface ServiceOptions {
  /** Default: both count. */
  readonly window?: WindowKind | undefined;
  /** The limit of the endpoint, lower than the published one. */
  readonly announced?: number | undefined;
  /** A request over a limit is refused with 429. */
  readonly enforce?: boolean | undefined;
  /** How likely any request is refused. */
  readonly spurious429?: number | undefined;
  readonly spuriousBan?: number | undefined;
  readonly banMs?: number | undefined;
}

/** A request as the service and the report see it. */
export interface SentRequest {
  readonly quotas: readonly Quota[];
  /** Absent: of another program. */
  readonly sender?: { readonly id: string; readonly grantedMs: number };
  readonly isProbe?: boolean;
}

export interface Arrival {
  readonly atMs: number;
  readonly request: SentRequest;
}

interface CountedWindow {
  readonly quota: Quota;
  limit: number;
  readonly arrivals: Arrival[];
  from: number;
  readonly phaseMs: number;
  fixedIndex: number;
  fixedCount: number;
}

/** 429 after so many requests in a row during a pause is followed by a ban. */
const MAX_REFUSED = 12;

export class StrictService {
  /** Requests over a limit, with all that were counted in the same window. */
  readonly onViolation: (quota: Quota, counted: readonly Arrival[]) => void;
  readonly windows = new Map<string, CountedWindow>();
  bans = 0;
  pauses = 0;
  /** Requests other than probes in a ban. */
  duringBan = 0;
  #banUntilMs = -1;
  #pauseUntilMs = -1;
  #refused = 0;
  readonly #headers: WindowKind | 'none';

  constructor(
    private readonly dice: Dice,
    private readonly options: ServiceOptions,
    quotas: readonly Quota[],
    onViolation: (quota: Quota, counted: readonly Arrival[]) => void,
  ) {
    this.onViolation = onViolation;
    this.#headers = options.window ?? dice.pick(['fixed', 'sliding', 'none'] as const);
    for (const quota of quotas) {
      this.windows.set(quota.key, {
        quota,
        limit: quota.requests,
        arrivals: [],
        from: 0,
        phaseMs: dice.between(0, quota.periodMs),
        fixedIndex: -1,
        fixedCount: 0,
      });
    }
    const endpoint = this.windows.get(quotas[1]?.key ?? '');
    if (endpoint && options.announced) endpoint.limit = options.announced;
  }

  /** Undefined: it does not answer. */
  serve(request: SentRequest, nowMs: number): Outcome | undefined {
    const { dice, options } = this;
    const { enforce, spurious429 = 0, spuriousBan = 0, banMs = 0 } = options;
    const isOver = this.#count(request, nowMs);
    const limits = this.#headersFor(request, nowMs);
    if (nowMs < this.#banUntilMs) {
      if (request.sender && !request.isProbe) this.duringBan += 1;
      this.#banUntilMs = Math.max(this.#banUntilMs, nowMs + banMs / 2);
      return dice.chance(0.5) ? undefined : { kind: 'banned' };
    }
    const namedMs = dice.chance(0.5) ? Math.ceil(dice.between(1, 20)) * 1_000 : undefined;
    const refusal: Outcome = { kind: 'rate-limited', namedMs, ...limits };
    if (nowMs < this.#pauseUntilMs) {
      this.#refused += 1;
      if (this.#refused > MAX_REFUSED && banMs > 0) this.#ban(nowMs + banMs);
      return refusal;
    }
    const isOurs = request.sender !== undefined;
    if ((enforce && isOver) || (isOurs && dice.chance(spurious429))) {
      this.pauses += 1;
      this.#refused = 0;
      this.#pauseUntilMs = nowMs + (namedMs ?? dice.between(500, 8_000));
      return refusal;
    }
    if (isOurs && dice.chance(spuriousBan)) {
      this.#ban(nowMs + banMs);
      return { kind: 'banned' };
    }
    return { kind: 'ok', ...limits };
  }

  #ban(untilMs: number): void {
    this.bans += 1;
    this.#refused = 0;
    this.#banUntilMs = untilMs;
  }

  #count(request: SentRequest, nowMs: number): boolean {
    let isOver = false;
    for (const { key } of request.quotas) {
      const window = this.windows.get(key);
      if (!window) continue;
      window.arrivals.push({ atMs: nowMs, request });
      const count = countIn(window, nowMs, this.options.window);
      if (count <= window.limit) continue;
      isOver = true;
      if (request.sender) this.onViolation(window.quota, window.arrivals.slice(window.from));
    }
    return isOver;
  }

  #headersFor({ quotas }: SentRequest, nowMs: number): Pick<Outcome, 'remaining' | 'endsInMs'> {
    const window = this.windows.get(quotas[1]?.key ?? '');
    if (!window || this.#headers === 'none') return {};
    const { quota, limit, arrivals, from, phaseMs, fixedCount } = window;
    const isFixed = this.#headers === 'fixed';
    const used = isFixed ? fixedCount : arrivals.length - from;
    const leftMs = isFixed
      ? quota.periodMs - ((nowMs + phaseMs) % quota.periodMs)
      : quota.periodMs - (nowMs - (arrivals[from]?.atMs ?? nowMs));
    return { remaining: Math.max(0, limit - used), endsInMs: Math.ceil(leftMs / 1_000) * 1_000 };
  }
}

function countIn(window: CountedWindow, nowMs: number, kind: WindowKind | undefined): number {
  const { quota, arrivals, phaseMs } = window;
  while ((arrivals[window.from]?.atMs ?? nowMs) <= nowMs - quota.periodMs) window.from += 1;
  const sliding = arrivals.length - window.from;
  const index = Math.floor((nowMs + phaseMs) / quota.periodMs);
  if (index !== window.fixedIndex) {
    window.fixedIndex = index;
    window.fixedCount = 0;
  }
  window.fixedCount += 1;
  if (kind === 'fixed') return window.fixedCount;
  return kind === 'sliding' ? sliding : Math.max(sliding, window.fixedCount);
}
