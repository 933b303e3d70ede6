/** The requests of this process that wait for permits, in the order in which they were made. */
import type { Moment } from '../../core/clock.js';
import { formatDuration, formatLocalTime } from '../../core/human-format.js';
import { ServiceError } from '../../core/errors.js';
import { groupOf, type Demand, type Forecast } from './ledger-turn.js';
import { activePause, type PauseState } from './pause.js';
import {
  MAX_WAIT_MS,
  MIN_REPORTED_WAIT_MS,
  type Permit,
  type ReserveOptions,
  type Wait,
} from './rate-ledger.js';

/** An end that moves by less is not reported again. */
const MIN_REPORTED_CHANGE_MS = 1_000;

/** Requests that draw on the same quotas form a group. */
export class PendingRequest {
  readonly granted: Promise<Permit>;
  readonly group: string;
  resolve!: (permit: Permit) => void;
  reject!: (reason: unknown) => void;
  #reported: Wait | undefined;

  constructor(
    /** The keys of the quotas. */
    readonly quotas: readonly string[],
    private readonly options: ReserveOptions,
    private readonly sinceMs: number,
  ) {
    this.group = groupOf(this);
    this.granted = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** Reports a long wait, unless it was reported already. */
  report(wait: Wait, startMs: number): void {
    const { minReportedWaitMs = MIN_REPORTED_WAIT_MS } = this.options;
    if (startMs - this.sinceMs <= minReportedWaitMs) return;
    const before = this.#reported;
    const isKnown =
      before?.for === wait.for &&
      before.why === wait.why &&
      Math.abs(before.untilMs - wait.untilMs) <= MIN_REPORTED_CHANGE_MS;
    if (isKnown) return;
    this.#reported = wait;
    this.options.onWait?.(wait);
  }
}

export class PendingQueue {
  #requests: PendingRequest[] = [];

  get isEmpty(): boolean {
    return this.#requests.length === 0;
  }

  get demands(): Map<string, Demand> {
    const demands = new Map<string, Demand>();
    for (const { group, quotas } of this.#requests) {
      demands.set(group, { quotas, count: (demands.get(group)?.count ?? 0) + 1 });
    }
    return demands;
  }

  add(request: PendingRequest): void {
    this.#requests.push(request);
  }

  remove(request: PendingRequest): void {
    this.#requests = this.#requests.filter((other) => other !== request);
  }

  /** Removes the first request of a group. */
  takeFirst(group: string): PendingRequest | undefined {
    const first = this.#requests.find((request) => request.group === group);
    if (first) this.remove(first);
    return first;
  }

  /** Reports a wait to one group, or to all requests. */
  report(wait: Wait, startMs: number, group?: string): void {
    for (const request of this.#requests) {
      if (group === undefined || request.group === group) request.report(wait, startMs);
    }
  }

  /** Rejects one group, or all requests. */
  reject(reason: unknown, group?: string): void {
    for (const request of [...this.#requests]) {
      if (group !== undefined && request.group !== group) continue;
      this.remove(request);
      request.reject(reason);
    }
  }
}

/** Why no request at all may wait for the end of the pause; undefined if they may. */
export function pauseError(state: PauseState, moment: Moment): ServiceError | undefined {
  const pause = activePause(state, moment.nowMs);
  if (pause?.kind === 'banned') {
    return errorUntil('banned', 'The service has banned this address', pause.untilMs, moment);
  }
  const isTooLong = pause && pause.untilMs - moment.nowMs > MAX_WAIT_MS;
  return isTooLong
    ? errorUntil('wait-too-long', 'The service asked for a pause', pause.untilMs, moment)
    : undefined;
}

/** Why a request does not wait for its quota: some have periods of an hour (spec 8.3). */
export function quotaError(
  { atMs, limitedBy }: Forecast,
  moment: Moment,
): ServiceError | undefined {
  if (!limitedBy || atMs - moment.nowMs <= MAX_WAIT_MS) return undefined;
  return errorUntil('wait-too-long', `The quota is used up: ${limitedBy.key}`, atMs, moment);
}

function errorUntil(
  code: 'banned' | 'wait-too-long',
  message: string,
  untilMs: number,
  { nowMs, wallMs }: Moment,
): ServiceError {
  const until = formatLocalTime(wallMs + untilMs - nowMs, wallMs);
  return new ServiceError(code, `${message}, until ${until}.`);
}

/** What a group waits for, in words. */
export function waitFor(state: PauseState, forecast: Forecast, moment: Moment): Wait {
  const { atMs, limitedBy: quota } = forecast;
  const untilMs = moment.wallMs + Math.max(0, atMs - moment.nowMs);
  if (activePause(state, moment.nowMs)) {
    return { for: 'cooldown', untilMs, why: 'the service asked for a pause (429)' };
  }
  if (!quota) {
    return { for: 'cooldown', untilMs, why: 'a single request tests whether the service responds' };
  }
  const [host = '', ...words] = quota.key.split(' ');
  const { requests, periodMs } = quota;
  if (words.length === 0) {
    const why = `${host} allows ${requests} requests per second`;
    return { for: 'rate', untilMs, why, limit: { requests, periodMs } };
  }
  const endpoint = words.join(' ');
  const why = `${endpoint} allows ${requests} requests in ${formatDuration(periodMs)}`;
  return { for: 'quota', untilMs, why, limit: { endpoint, requests, periodMs } };
}
