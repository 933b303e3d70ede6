/**
 * What the ledger knows, and when the next request may go: pure, so that every rule can be tried in virtual time.
 * All times are monotonic milliseconds of this boot.
 *
 * The one rule behind it: a request arrives somewhere between its place being granted and its answer. So a place
 * counts from the grant on, and for one period beyond its *settling*; of N a period, the place after the Nth is
 * granted no earlier than the Nth has lapsed. Then no N+1 arrivals can lie within one period, however late each
 * of them was, and whether the service's windows slide or stand.
 */
import { isOnProbation, pruneBackoff, activeRateLimit, type BackoffState } from './backoff.js';
import type { Quota } from './quotas.js';

export interface Granted {
  readonly place: PermitRecord;
  /** Whether it stands in the ledger. What draws on no quota does so only while it tries if a halt has ended. */
  readonly isRecorded: boolean;
}

export interface PermitRecord {
  readonly id: string;
  /** The process that has it: its name among the holders. */
  readonly holder: string;
  readonly quotas: readonly Quota[];
  readonly grantedMs: number;
  /** Absent while the request may still arrive. */
  settledMs?: number;
  /** How much of its endpoint's quota was in use when it was granted, itself included. */
  readonly usedThen?: number;
}

/** A process that waits; one for each kind of request, so that the processes take turns. */
export interface Ticket {
  readonly id: string;
  readonly holder: string;
  readonly quotas: readonly Quota[];
  readonly queuedMs: number;
  /** Since when it could have been taken, and was not. */
  readyMs?: number;
}

/** Uses of a quota by other programs on the same address, as the service's headers let us conclude. */
export interface ExternalUse {
  readonly key: string;
  readonly count: number;
  readonly heardMs: number;
  readonly untilMs: number;
}

/** A limit that the service names, where it is lower than the published one. */
export interface AnnouncedLimit {
  readonly key: string;
  readonly requests: number;
  readonly heardMs: number;
}

/** A moment at which every quota counts as used up, because what was used is not known. */
export interface FullUse {
  readonly atMs: number;
}

export interface LedgerState {
  full?: FullUse;
  places: PermitRecord[];
  /** In the order in which places are handed out. */
  queue: Ticket[];
  foreign: ExternalUse[];
  limits: AnnouncedLimit[];
  cooldown: BackoffState;
}

/** For timers that fire early, and for clocks that do not run alike: ours and the service's. */
const MARGIN_MS = 5;
const MARGIN_OF_PERIOD = 0.000_5;
/** A ticket that was not taken for so long after it could have been is passed over until its process comes. */
const PASSED_OVER_AFTER_MS = 250;
/** How soon the others look again while one request tries whether a halt has ended. */
const PROBE_POLL_MS = 100;
const HEARD_LIMIT_LIFETIME_MS = 60 * 60_000;
const LONGEST_PERIOD_MS = 60 * 60_000;
/** For how long a request that was handed to the kernel may still be on its way, where nobody waits for its answer. */
export const LAST_BYTES_MS = 250;
/** A request takes half a minute, and a process whose ticket is gone takes another. */
const MAX_UNKNOWN_AGE_MS = 2 * 60_000;

/** For how long after its settling a place counts. */
function holdMs(quota: Quota): number {
  return quota.periodMs * (1 + MARGIN_OF_PERIOD) + MARGIN_MS;
}

/** When each place that counts towards the quota lapses, soonest first; one that is not settled: not before this. */
export function lapsesOf(state: LedgerState, quota: Quota, nowMs: number): number[] {
  const hold = holdMs(quota);
  const lapses = state.places
    .filter((place) => place.quotas.some(({ key }) => key === quota.key))
    .map((place) => (place.settledMs ?? nowMs) + hold);
  for (const { key, count, untilMs } of state.foreign) {
    if (key === quota.key) lapses.push(...Array<number>(count).fill(untilMs));
  }
  if (state.full) {
    lapses.push(...Array<number>(quota.requests).fill(state.full.atMs + hold));
  }
  return lapses.filter((ms) => ms > nowMs).sort((a, b) => a - b);
}

/** The quota's requests in a period, or fewer where the service said so. */
export function allowedRequests(state: LedgerState, quota: Quota): number {
  const heard = state.limits.find(({ key }) => key === quota.key)?.requests;
  return Math.min(quota.requests, heard ?? quota.requests);
}

/** When the next place of a quota is free, given when the places in use lapse. */
export function freeAtMs(lapses: readonly number[], allowed: number, nowMs: number): number {
  return lapses.length < allowed ? nowMs : (lapses[lapses.length - allowed] ?? nowMs);
}

export interface Start {
  /** The earliest moment at which the ticket may become a place. */
  readonly atMs: number;
  /** The quota that it waits for longest; absent where it need not wait. */
  readonly waitsFor?: Quota;
}

/**
 * When each ticket may become a place, by its id, if all go in order. Quotas are looked at together: a ticket
 * takes a place of each or of none. One that waits for its endpoint's quota does not hold up those that need
 * the general limit alone.
 */
export function forecast(state: LedgerState, nowMs: number): ReadonlyMap<string, Start> {
  const inUse = new Map<string, number[]>();
  const starts = new Map<string, Start>();
  const haltMs = activeRateLimit(state.cooldown, nowMs)?.untilMs;
  let gateMs = haltMs ?? (isProbeOut(state) ? nowMs + PROBE_POLL_MS : nowMs);
  for (const ticket of state.queue) {
    let start: Start = { atMs: gateMs };
    for (const quota of ticket.quotas) {
      const lapses = inUse.get(quota.key) ?? lapsesOf(state, quota, nowMs);
      inUse.set(quota.key, lapses);
      const atMs = freeAtMs(lapses, allowedRequests(state, quota), nowMs);
      if (atMs > start.atMs) start = { atMs, waitsFor: quota };
    }
    starts.set(ticket.id, start);
    if (isPassedOver(ticket, nowMs)) continue;
    if (start.atMs <= nowMs && isOnProbation(state.cooldown)) gateMs = nowMs + PROBE_POLL_MS;
    for (const quota of ticket.quotas) {
      insertSorted(inUse.get(quota.key) ?? [], start.atMs + holdMs(quota));
    }
  }
  return starts;
}

/** Whether the one request that tries if a halt has ended is still under way. */
function isProbeOut({ cooldown, places }: LedgerState): boolean {
  return places.some(({ id, settledMs }) => id === cooldown.probe && settledMs === undefined);
}

function isPassedOver({ readyMs }: Ticket, nowMs: number): boolean {
  return readyMs !== undefined && nowMs - readyMs > PASSED_OVER_AFTER_MS;
}

/** Makes a place of the ticket, which leaves the queue. */
export function grant(state: LedgerState, ticket: Ticket, nowMs: number): Granted {
  const endpoint = ticket.quotas[1];
  const place: PermitRecord = {
    id: ticket.id,
    holder: ticket.holder,
    quotas: ticket.quotas,
    grantedMs: nowMs,
    ...(endpoint && { usedThen: lapsesOf(state, endpoint, nowMs).length + 1 }),
  };
  state.queue = state.queue.filter(({ id }) => id !== ticket.id);
  const isProbe = isOnProbation(state.cooldown);
  if (isProbe) state.cooldown = { ...state.cooldown, probe: ticket.id };
  const isRecorded = isProbe || ticket.quotas.length > 0;
  if (isRecorded) state.places.push(place);
  return { place, isRecorded };
}

/** A process is dead: its tickets go; what it had not settled may have arrived until now, or a moment later. */
export function reap(state: LedgerState, holder: string, arrivedMs: number): void {
  state.queue = state.queue.filter((ticket) => ticket.holder !== holder);
  for (const place of state.places) {
    if (place.holder === holder) place.settledMs ??= arrivedMs;
  }
}

/**
 * It is not known whether the process still lives, since it ran under another kernel, whose locks may not be visible
 * here. What is older than a living process leaves it counts as left by a dead one. Whether there was any.
 */
export function buryOld(state: LedgerState, holder: string, nowMs: number): boolean {
  const isAbandoned = (of: string, sinceMs: number): boolean =>
    of === holder && nowMs - sinceMs > MAX_UNKNOWN_AGE_MS;
  const queue = state.queue.filter((ticket) => !isAbandoned(ticket.holder, ticket.queuedMs));
  const places = state.places.filter(
    (place) => place.settledMs === undefined && isAbandoned(place.holder, place.grantedMs),
  );
  for (const place of places) place.settledMs = nowMs;
  const hasChanged = queue.length < state.queue.length || places.length > 0;
  state.queue = queue;
  return hasChanged;
}

/** Forgets what has lapsed. */
export function prune(state: LedgerState, nowMs: number): void {
  state.places = state.places.filter(
    ({ settledMs, quotas }) =>
      settledMs === undefined || quotas.some((quota) => settledMs + holdMs(quota) > nowMs),
  );
  state.foreign = state.foreign.filter(({ untilMs }) => untilMs > nowMs);
  state.limits = state.limits.filter(({ heardMs }) => nowMs - heardMs < HEARD_LIMIT_LIFETIME_MS);
  state.cooldown = pruneBackoff(state.cooldown, nowMs);
  if (state.full && nowMs - state.full.atMs > 2 * LONGEST_PERIOD_MS) delete state.full;
}

function insertSorted(sorted: number[], value: number): void {
  let at = sorted.length;
  while (at > 0 && (sorted[at - 1] ?? value) > value) at -= 1;
  sorted.splice(at, 0, value);
}
