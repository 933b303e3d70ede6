/** What one transaction does for its process: it records what has ended, and grants what is free. Pure. */
import type { LedgerDocument, Ticket } from './ledger-document.js';
import {
  fullUntilMs,
  nextFreeMs,
  SOON_POLL_MS,
  TICKET_LIFETIME_MS,
  windowMs,
  type LedgerRules,
} from './ledger-rules.js';
import { activePause, DAY_MS, forgetOldBan, recordUnansweredProbe, type Pause } from './pause.js';
import { MAX_PERIOD_MS, type Quota } from '../quotas.js';
import { settle, type Settlement } from './settlement.js';
import { minOf } from '../../core/extremes.js';

/** Before that, a process looks for changed pauses and quotas. */
const SOON_MS = 2_000;
const POLL_MS = 1_000;

/** Requests of one process that draw on the same quotas. */
export interface Demand {
  /** The keys of the quotas. */
  readonly quotas: readonly string[];
  readonly count: number;
}

/** What one process asks of the ledger in one transaction. */
interface Turn {
  readonly processId: string;
  readonly nowMs: number;
  readonly settlements: readonly Settlement[];
  /** By the name of the group. */
  readonly demands: ReadonlyMap<string, Demand>;
  /** When other processes looked last, where that is not in the document. */
  readonly seenMs?: ReadonlyMap<string, number> | undefined;
  readonly nextId: () => string;
}

interface Grant {
  readonly id: string;
  readonly group: string;
}

/** When the next request of a group may go, and the quota that decides it; absent where a pause or probe does. */
export interface Forecast {
  readonly atMs: number;
  readonly limitedBy?: Quota;
}

export interface TurnResult {
  readonly grants: readonly Grant[];
  /** The groups that still wait have a ticket each. */
  readonly forecasts: ReadonlyMap<string, Forecast>;
  /** When to look again. Infinity: nothing waits. */
  readonly wakeMs: number;
}

/** Records what has ended, and grants what is free to this process. Changes the document. */
export function takeTurn(document: LedgerDocument, turn: Turn, rules: LedgerRules): TurnResult {
  const { nowMs } = turn;
  for (const settlement of turn.settlements) settle(document, settlement, nowMs, rules);
  prune(document, nowMs, rules);
  if (document.pause?.probe && document.pause.probe.untilMs <= nowMs) {
    recordUnansweredProbe(document, nowMs, rules.maxRequestMs);
  }
  renewTickets(document, turn);
  return new Granting(document, turn, rules).run();
}

/** Drops what has expired, and cuts times that no process can have meant: clocks step. */
function prune(document: LedgerDocument, nowMs: number, rules: LedgerRules): void {
  const { maxRequestMs, quotaOf } = rules;
  document.uses = document.uses.filter(({ untilMs }) => untilMs > nowMs);
  for (const use of document.uses) {
    const maxMs = nowMs + maxRequestMs + windowMs(quotaOf(use.key));
    use.untilMs = Math.min(use.untilMs, maxMs);
  }
  document.caps = document.caps.filter(
    ({ key, untilMs }) => untilMs > nowMs && untilMs <= nowMs + quotaOf(key).periodMs,
  );
  if (document.unknownMs !== undefined) {
    document.unknownMs = Math.min(document.unknownMs, nowMs + maxRequestMs);
    if (nowMs - document.unknownMs > 2 * MAX_PERIOD_MS) delete document.unknownMs;
  }
  if (document.pause) {
    document.pause.untilMs = Math.min(document.pause.untilMs, nowMs + DAY_MS);
  }
  forgetOldBan(document, nowMs);
}

/** Leaves one ticket of this process for each group that waits, and those of others that were renewed. */
function renewTickets(document: LedgerDocument, turn: Turn): void {
  const { processId, nowMs, demands, seenMs } = turn;
  const missing = new Set([...demands].filter(([, { count }]) => count > 0).map(([name]) => name));
  document.tickets = document.tickets.filter((ticket) => {
    if (ticket.processId !== processId) {
      const lastMs = seenMs?.get(ticket.processId) ?? ticket.seenMs;
      return nowMs - lastMs < TICKET_LIFETIME_MS;
    }
    return missing.delete(groupOf(ticket));
  });
  for (const group of missing) document.tickets.push(ticketFor(group, turn));
  for (const ticket of document.tickets) {
    if (ticket.processId === processId) ticket.seenMs = nowMs;
  }
}

/** The name of the group of requests with these quotas. */
export function groupOf({ quotas }: Pick<Ticket, 'quotas'>): string {
  return quotas.join('\n');
}

function ticketFor(group: string, { processId, nowMs, demands }: Turn): Ticket {
  return { processId, quotas: demands.get(group)?.quotas ?? [], seenMs: nowMs };
}

/** One pass over the tickets in order of arrival. */
class Granting {
  readonly #grants: Grant[] = [];
  readonly #forecasts = new Map<string, Forecast>();
  /** By key: uses; places reserved for tickets that are ready; tickets that wait before. */
  readonly #used = new Map<string, number>();
  readonly #held = new Map<string, number>();
  readonly #ahead = new Map<string, number>();
  readonly #left: Map<string, number>;
  readonly #pause: Pause | undefined;
  #isProbing: boolean;

  constructor(
    private readonly document: LedgerDocument,
    private readonly turn: Turn,
    private readonly rules: LedgerRules,
  ) {
    for (const { key } of document.uses) increment(this.#used, key);
    this.#left = new Map([...turn.demands].map(([name, { count }]) => [name, count]));
    this.#pause = document.pause;
    this.#isProbing = document.pause?.probe !== undefined;
  }

  run(): TurnResult {
    const { document, turn } = this;
    const waiting: Ticket[] = [];
    const queue = [...document.tickets];
    for (let ticket = queue.shift(); ticket; ticket = queue.shift()) {
      const isOwn = ticket.processId === turn.processId;
      const isReady = this.#isReady(ticket);
      if (isReady && isOwn) {
        const next = this.#grant(ticket);
        // A process with several requests queues again for each, so that processes take turns.
        if (next) queue.push(next);
        continue;
      }
      if (isOwn) this.#forecasts.set(groupOf(ticket), this.#forecast(ticket));
      for (const key of ticket.quotas) increment(this.#ahead, key);
      if (isReady) this.#reserve(ticket);
      waiting.push(ticket);
    }
    document.tickets = waiting;
    return { grants: this.#grants, forecasts: this.#forecasts, wakeMs: this.#wakeMs() };
  }

  #isReady({ quotas }: Ticket): boolean {
    const { nowMs } = this.turn;
    if (this.#pause && (nowMs < this.#pause.untilMs || this.#isProbing)) return false;
    return quotas.every((key) => {
      const quota = this.rules.quotaOf(key);
      const held = this.#held.get(key) ?? 0;
      const isFree = (this.#used.get(key) ?? 0) + held < quota.requests;
      return isFree && fullUntilMs(this.document, quota, held) <= nowMs;
    });
  }

  /** Another process takes it when it looks: others do not overtake it. */
  #reserve({ quotas }: Ticket): void {
    for (const key of quotas) increment(this.#held, key);
    if (this.#pause) this.#isProbing = true;
  }

  /** Returns the ticket of the next request of the group. */
  #grant(ticket: Ticket): Ticket | undefined {
    const { document, turn, rules } = this;
    const id = turn.nextId();
    const endMs = turn.nowMs + rules.maxRequestMs;
    for (const key of ticket.quotas) {
      document.uses.push({ id, key, untilMs: endMs + windowMs(rules.quotaOf(key)) });
      increment(this.#used, key);
      const cap = document.caps.find((one) => one.key === key);
      if (cap) cap.remaining = Math.max(0, cap.remaining - 1);
    }
    if (this.#pause) {
      this.#pause.probe = { id, untilMs: endMs };
      this.#isProbing = true;
    }
    const group = groupOf(ticket);
    this.#grants.push({ id, group });
    const left = (this.#left.get(group) ?? 0) - 1;
    this.#left.set(group, left);
    return left > 0 ? ticketFor(group, turn) : undefined;
  }

  #forecast(ticket: Ticket): Forecast {
    const { document, turn, rules } = this;
    const { nowMs } = turn;
    const pausedMs = activePause(document, nowMs)?.untilMs;
    let forecast: Forecast = {
      atMs: pausedMs ?? (this.#pause && this.#isProbing ? nowMs + SOON_POLL_MS : nowMs),
    };
    for (const key of ticket.quotas) {
      const quota = rules.quotaOf(key);
      const ahead = this.#ahead.get(key) ?? 0;
      const atMs = nextFreeMs(document, quota, nowMs, ahead);
      if (atMs > forecast.atMs) forecast = { atMs, limitedBy: this.#inForce(quota) };
    }
    return forecast;
  }

  /** The quota with the limit that the service has announced, if that is lower. */
  #inForce(quota: Quota): Quota {
    const { limit = Infinity } = this.document.caps.find(({ key }) => key === quota.key) ?? {};
    return limit < quota.requests ? { ...quota, requests: limit } : quota;
  }

  #wakeMs(): number {
    const { nowMs } = this.turn;
    const times = [...this.#forecasts.values()].map(({ atMs }) => Math.max(atMs, nowMs + 1));
    const nextMs = minOf(times);
    if (nextMs === Infinity) return Infinity;
    return Math.min(nextMs, nowMs + (nextMs - nowMs > SOON_MS ? POLL_MS : SOON_POLL_MS));
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
