/**
 * The requests of this process that wait for their places, in lines: those that draw on the same quotas wait behind
 * each other, in the order in which they came. And what each is told meanwhile.
 */
import { activeRateLimit, type Moment } from './backoff.js';
import type { LedgerState, PermitRecord, Start } from './ledger-state.js';
import type { Quota } from './quotas.js';
import type { ReserveOptions, Wait } from './rate-ledger.js';

/** Shorter waits are nobody's business. */
const MIN_SHOWN_WAIT_MS = 2_000;
/** An end that moves by less is the same end. */
const SAME_END_MS = 1_000;

export class PendingRequest {
  readonly granted: Promise<PermitRecord>;
  /** Waiters with the same quotas stand in one line. */
  readonly line: string;
  resolve!: (place: PermitRecord) => void;
  reject!: (reason: unknown) => void;
  /** Whether its request was called off. */
  hasLeft = false;
  #shown: Wait | undefined;

  constructor(
    readonly quotas: readonly Quota[],
    private readonly options: ReserveOptions,
    private readonly sinceMs: number,
  ) {
    this.line = quotaGroup(quotas);
    this.granted = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  leave(reason: unknown): void {
    this.hasLeft = true;
    this.reject(reason);
  }

  /** Shows the wait if it is a long one, and if that is news. */
  show(wait: Wait, startMs: number): void {
    if (startMs - this.sinceMs <= MIN_SHOWN_WAIT_MS) return;
    const shown = this.#shown;
    const isNews =
      shown?.for !== wait.for ||
      shown.why !== wait.why ||
      Math.abs(shown.untilMs - wait.untilMs) > SAME_END_MS;
    if (!isNews) return;
    this.#shown = wait;
    this.options.onWait?.(wait);
  }
}

/** What a ticket waits for, in words. */
export function waitFor(state: LedgerState, start: Start, { nowMs, wallMs }: Moment): Wait {
  const untilMs = wallMs + Math.max(0, start.atMs - nowMs);
  if (activeRateLimit(state.cooldown, nowMs)) {
    return { for: 'cooldown', untilMs, why: 'the service asked for a pause (429)' };
  }
  const quota = start.waitsFor;
  if (!quota) {
    return { for: 'cooldown', untilMs, why: 'one request tries whether the service answers again' };
  }
  const [host, ...endpoint] = quota.key.split(' ');
  const why =
    endpoint.length === 0
      ? `${quota.requests} requests a second are allowed to ${host ?? quota.key}`
      : `${quota.requests} requests in ${inWords(quota.periodMs)} are allowed to ${endpoint.join(' ')}`;
  return { for: endpoint.length === 0 ? 'rate' : 'quota', untilMs, why };
}

function inWords(ms: number): string {
  return ms < 60_000 ? `${ms / 1_000} s` : `${ms / 60_000} min`;
}

export function quotaGroup(quotas: readonly Quota[]): string {
  return quotas.map(({ key }) => key).join('\n');
}

export class PendingQueue {
  #waiters: PendingRequest[] = [];

  get isEmpty(): boolean {
    return this.#waiters.length === 0;
  }

  /** What each line draws on. */
  get quotas(): ReadonlyMap<string, readonly Quota[]> {
    return new Map(this.#waiters.map((waiter) => [waiter.line, waiter.quotas]));
  }

  join(waiter: PendingRequest): void {
    this.#waiters.push(waiter);
  }

  leave(waiter: PendingRequest, reason: unknown): void {
    this.#waiters = this.#waiters.filter((other) => other !== waiter);
    waiter.leave(reason);
  }

  /** The first of a line, who then waits no more. */
  takeFirst(line: string): PendingRequest | undefined {
    const first = this.#waiters.find((waiter) => waiter.line === line);
    this.#waiters = this.#waiters.filter((other) => other !== first);
    return first;
  }

  show(line: string, wait: Wait, startMs: number): void {
    for (const waiter of this.#waiters) {
      if (waiter.line === line) waiter.show(wait, startMs);
    }
  }

  /** For a wait that is long already. */
  showAll(wait: Wait): void {
    for (const waiter of this.#waiters) waiter.show(wait, Infinity);
  }

  /** Turns away all of one line, or all there are. */
  turnAway(reason: unknown, line?: string): void {
    const goes = (waiter: PendingRequest): boolean => line === undefined || waiter.line === line;
    const going = this.#waiters.filter(goes);
    this.#waiters = this.#waiters.filter((waiter) => !goes(waiter));
    for (const waiter of going) waiter.reject(reason);
  }
}
