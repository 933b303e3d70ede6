/**
 * What the ledger records, and when the next request may go: pure, so that every rule can be tested in virtual time.
 * Times are monotonic milliseconds of this boot.
 *
 * A request arrives at some time between its grant and its response. So a permit counts from its grant until one
 * period after it was settled, and with a quota of N, a permit is granted no earlier than the Nth before it expires.
 * Then no period holds N + 1 arrivals, however late each of them is, and whether the service's windows slide or not.
 */
import { activeRateLimit, isOnProbation, pruneBackoff, type BackoffState } from './backoff.js';
import { MAX_PERIOD_MS, type Quota } from './quotas.js';

export interface PermitRecord {
  readonly id: string;
  readonly processId: string;
  readonly quotas: readonly Quota[];
  readonly grantedMs: number;
  /** Absent while the request may still arrive. */
  settledMs?: number;
  /** How many requests of its endpoint's quota were in use at the grant, this one included. */
  readonly usedAtGrant?: number;
}

export interface GrantResult {
  readonly permit: PermitRecord;
  /** A permit that draws on no quota is recorded only while it probes whether a backoff has ended. */
  readonly isRecorded: boolean;
}

/** A waiting process: one ticket for each group of quotas that its requests draw on, so that processes take turns. */
export interface Ticket {
  readonly id: string;
  readonly processId: string;
  readonly quotas: readonly Quota[];
  readonly queuedMs: number;
  /** Since when its process could have taken a permit. */
  readyMs?: number;
}

/** Requests of other programs on the same address, as inferred from response headers. */
export interface ExternalUse {
  readonly key: string;
  readonly count: number;
  readonly observedMs: number;
  readonly untilMs: number;
}

/** A limit named by the service that is lower than the published one. */
export interface AnnouncedLimit {
  readonly key: string;
  readonly requests: number;
  readonly observedMs: number;
}

/** Earlier use is unknown: every quota counts as used up at this time. */
export interface UnknownUse {
  readonly atMs: number;
}

export interface LedgerState {
  permits: PermitRecord[];
  /** In the order in which permits are granted. */
  queue: Ticket[];
  externalUses: ExternalUse[];
  limits: AnnouncedLimit[];
  unknownUse?: UnknownUse;
  backoff: BackoffState;
}

/** For timers that fire early, and for the service's clock running faster than ours. */
const MARGIN_MS = 5;
const MARGIN_OF_PERIOD = 0.000_5;
/** A ticket that is ready for longer does not hold up the others until its process takes it. */
const MAX_READY_MS = 250;
/** How soon other requests check again while a probe is under way. */
const PROBE_POLL_MS = 100;
const ANNOUNCED_LIMIT_LIFETIME_MS = 60 * 60_000;
/** How long the kernel may still be sending a request after its process has died. */
export const MAX_KERNEL_SEND_MS = 250;
/** The time limit of a request to the API, with some to spare. */
export const MAX_REQUEST_MS = 40_000;
/** A live process settles a permit within half a minute, and replaces a ticket that is gone. */
const MAX_UNKNOWN_AGE_MS = 2 * 60_000;

/** How long a permit counts after it was settled. */
function windowMs({ periodMs }: Quota): number {
  return periodMs * (1 + MARGIN_OF_PERIOD) + MARGIN_MS;
}

/** When the uses of a quota expire, in order; an unsettled permit counts as settled now. */
export function expiriesOf(state: LedgerState, quota: Quota, nowMs: number): number[] {
  const lengthMs = windowMs(quota);
  const expiries = state.permits
    .filter((permit) => permit.quotas.some(({ key }) => key === quota.key))
    .map((permit) => (permit.settledMs ?? nowMs) + lengthMs);
  for (const { key, count, untilMs } of state.externalUses) {
    if (key === quota.key) expiries.push(...Array<number>(count).fill(untilMs));
  }
  if (state.unknownUse) {
    const expiryMs = state.unknownUse.atMs + lengthMs;
    expiries.push(...Array<number>(quota.requests).fill(expiryMs));
  }
  return expiries.filter((ms) => ms > nowMs).sort((a, b) => a - b);
}

/** The quota's requests per period, or fewer where the service announced that. */
export function allowedRequests({ limits }: LedgerState, quota: Quota): number {
  const announced = limits.find(({ key }) => key === quota.key)?.requests;
  return Math.min(quota.requests, announced ?? quota.requests);
}

/** When a quota has its next request free. */
export function nextFreeMs(expiries: readonly number[], allowed: number, nowMs: number): number {
  return expiries.length < allowed ? nowMs : (expiries[expiries.length - allowed] ?? nowMs);
}

export interface GrantForecast {
  /** The earliest time at which the ticket may become a permit. */
  readonly atMs: number;
  /** The quota that decides that time; absent where none does. */
  readonly limitedBy?: Quota;
}

/**
 * When each ticket, by its id, may become a permit, if all are granted in order. A ticket takes one request of each of
 * its quotas or none, so one that waits for its endpoint's quota does not hold up those that need only the general one.
 */
export function forecastGrants(
  state: LedgerState,
  nowMs: number,
): ReadonlyMap<string, GrantForecast> {
  const inUse = new Map<string, number[]>();
  const starts = new Map<string, GrantForecast>();
  const pausedUntilMs = activeRateLimit(state.backoff, nowMs)?.untilMs;
  let earliestMs = pausedUntilMs ?? (isProbing(state) ? nowMs + PROBE_POLL_MS : nowMs);
  for (const ticket of state.queue) {
    let start: GrantForecast = { atMs: earliestMs };
    for (const quota of ticket.quotas) {
      const expiries = inUse.get(quota.key) ?? expiriesOf(state, quota, nowMs);
      inUse.set(quota.key, expiries);
      const atMs = nextFreeMs(expiries, allowedRequests(state, quota), nowMs);
      if (atMs > start.atMs) start = { atMs, limitedBy: quota };
    }
    starts.set(ticket.id, start);
    if (ticket.readyMs !== undefined && nowMs - ticket.readyMs > MAX_READY_MS) continue;
    if (start.atMs <= nowMs && isOnProbation(state.backoff)) earliestMs = nowMs + PROBE_POLL_MS;
    for (const quota of ticket.quotas) {
      insertSorted(inUse.get(quota.key) ?? [], start.atMs + windowMs(quota));
    }
  }
  return starts;
}

function isProbing({ backoff, permits }: LedgerState): boolean {
  return permits.some(({ id, settledMs }) => id === backoff.probeId && settledMs === undefined);
}

/** Turns the ticket into a permit; the ticket leaves the queue. */
export function grant(state: LedgerState, ticket: Ticket, nowMs: number): GrantResult {
  const { id, processId, quotas } = ticket;
  const endpoint = quotas[1];
  const usedAtGrant = endpoint && expiriesOf(state, endpoint, nowMs).length + 1;
  const permit: PermitRecord = { id, processId, quotas, grantedMs: nowMs, usedAtGrant };
  state.queue = state.queue.filter((other) => other.id !== id);
  const isProbe = isOnProbation(state.backoff);
  if (isProbe) state.backoff = { ...state.backoff, probeId: id };
  const isRecorded = isProbe || quotas.length > 0;
  if (isRecorded) state.permits.push(permit);
  return { permit, isRecorded };
}

/** Removes the tickets of a process, and settles its permits at `arrivedMs`, or `requestMs` after their grant if later. */
export function reap(
  state: LedgerState,
  processId: string,
  arrivedMs: number,
  requestMs: number,
): void {
  state.queue = state.queue.filter((ticket) => ticket.processId !== processId);
  for (const permit of state.permits) {
    if (permit.processId !== processId) continue;
    permit.settledMs ??= Math.max(arrivedMs, permit.grantedMs + requestMs);
  }
}

/**
 * The same for a process that may be alive, since the locks of other kernels may not be visible here: only entries
 * older than a live process keeps them. Returns whether there were any.
 */
export function reapAbandoned(state: LedgerState, processId: string, nowMs: number): boolean {
  const isAbandoned = (entry: Ticket | PermitRecord, sinceMs: number): boolean =>
    entry.processId === processId && nowMs - sinceMs > MAX_UNKNOWN_AGE_MS;
  const queue = state.queue.filter((ticket) => !isAbandoned(ticket, ticket.queuedMs));
  const permits = state.permits.filter(
    (permit) => permit.settledMs === undefined && isAbandoned(permit, permit.grantedMs),
  );
  for (const permit of permits) permit.settledMs = nowMs;
  const hasChanged = queue.length < state.queue.length || permits.length > 0;
  state.queue = queue;
  return hasChanged;
}

/** Removes everything but the requests under way and the processes that wait. */
export function clearState(state: LedgerState): void {
  state.permits = state.permits.filter(({ settledMs }) => settledMs === undefined);
  state.externalUses = [];
  state.limits = [];
  state.unknownUse = undefined;
  state.backoff = {};
}

/** Removes what has expired. */
export function prune(state: LedgerState, nowMs: number): void {
  state.permits = state.permits.filter(
    ({ settledMs, quotas }) =>
      settledMs === undefined || quotas.some((quota) => settledMs + windowMs(quota) > nowMs),
  );
  state.externalUses = state.externalUses.filter(({ untilMs }) => untilMs > nowMs);
  state.limits = state.limits.filter(
    ({ observedMs }) => nowMs - observedMs < ANNOUNCED_LIMIT_LIFETIME_MS,
  );
  state.backoff = pruneBackoff(state.backoff, nowMs);
  if (state.unknownUse && nowMs - state.unknownUse.atMs > 2 * MAX_PERIOD_MS) {
    delete state.unknownUse;
  }
}

function insertSorted(sorted: number[], value: number): void {
  let at = sorted.length;
  while (at > 0 && (sorted[at - 1] ?? value) > value) at -= 1;
  sorted.splice(at, 0, value);
}
