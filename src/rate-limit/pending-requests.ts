/**
 * The requests of this process that wait for permits. Requests that draw on the same quotas form a group and are
 * granted in the order in which they were made.
 */
import type { Moment } from '../core/clock.js';
import { formatDuration } from '../core/human-format.js';
import { activeRateLimit } from './backoff.js';
import type { LedgerState, PermitRecord, GrantForecast } from './ledger-state.js';
import type { Quota } from './quotas.js';
import { MIN_REPORTED_WAIT_MS, type ReserveOptions, type Wait } from './rate-ledger.js';

/** An end that moves by less is not reported again. */
const MIN_REPORTED_CHANGE_MS = 1_000;

export function groupOf(quotas: readonly Quota[]): string {
  return quotas.map(({ key }) => key).join('\n');
}

export class PendingRequest {
  readonly granted: Promise<PermitRecord>;
  readonly group: string;
  resolve!: (permit: PermitRecord) => void;
  reject!: (reason: unknown) => void;
  #reported: Wait | undefined;

  constructor(
    readonly quotas: readonly Quota[],
    private readonly options: ReserveOptions,
    private readonly sinceMs: number,
  ) {
    this.group = groupOf(quotas);
    this.granted = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  get isAborted(): boolean {
    return this.options.signal?.aborted === true;
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

/** What a ticket waits for, in words. */
export function waitFor(state: LedgerState, start: GrantForecast, { nowMs, wallMs }: Moment): Wait {
  const untilMs = wallMs + Math.max(0, start.atMs - nowMs);
  if (activeRateLimit(state.backoff, nowMs)) {
    return { for: 'cooldown', untilMs, why: 'the service asked for a pause (429)' };
  }
  const quota = start.limitedBy;
  if (!quota) {
    return { for: 'cooldown', untilMs, why: 'a single request tests whether the service responds' };
  }
  const [host, ...endpoint] = quota.key.split(' ');
  return endpoint.length === 0
    ? { for: 'rate', untilMs, why: `${host ?? ''} allows ${quota.requests} requests per second` }
    : {
        for: 'quota',
        untilMs,
        why: `${endpoint.join(' ')} allows ${quota.requests} requests in ${formatDuration(quota.periodMs)}`,
      };
}

/** In the order in which they were made. */
export class PendingQueue {
  #requests: PendingRequest[] = [];

  get isEmpty(): boolean {
    return this.#requests.length === 0;
  }

  get all(): readonly PendingRequest[] {
    return [...this.#requests];
  }

  /** The quotas of each group that has requests. */
  get groups(): ReadonlyMap<string, readonly Quota[]> {
    return new Map(this.#requests.map(({ group, quotas }) => [group, quotas]));
  }

  add(request: PendingRequest): void {
    this.#requests.push(request);
  }

  remove(request: PendingRequest): void {
    this.#requests = this.#requests.filter((other) => other !== request);
  }

  /** Removes the first request of a group. */
  takeFirst(group: string): PendingRequest | undefined {
    const first = this.#of(group)[0];
    if (first) this.remove(first);
    return first;
  }

  /** Reports a wait to one group, or to all requests. */
  report(wait: Wait, startMs: number, group?: string): void {
    for (const request of this.#of(group)) request.report(wait, startMs);
  }

  /** Removes and returns one group, or all requests. */
  takeAll(group?: string): readonly PendingRequest[] {
    const taken = this.#of(group);
    for (const request of taken) this.remove(request);
    return taken;
  }

  rejectAll(reason: unknown): void {
    for (const request of this.takeAll()) request.reject(reason);
  }

  #of(group: string | undefined): readonly PendingRequest[] {
    return group === undefined
      ? this.#requests
      : this.#requests.filter((request) => request.group === group);
  }
}
