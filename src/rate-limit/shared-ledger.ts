/**
 * The rate ledger shared by all processes. Requests of this process wait in groups, and each group has at most one
 * ticket in the shared queue, so that processes take turns however many requests each has. One loop does all the work:
 * it settles permits, takes those that are free, and sleeps until the next may be.
 */
import type { Clock } from '../core/clock.js';
import { interruption, ServiceError } from '../core/errors.js';
import { applyResponse, type Settlement } from './apply-response.js';
import { activeBan, activeRateLimit } from './backoff.js';
import {
  allowedRequests,
  expiriesOf,
  forecast,
  grant,
  LAST_BYTES_MS,
  nextFreeMs,
  prune,
  reap,
  reapAbandoned,
  type Granted,
  type LedgerState,
  type PermitRecord,
  type Ticket,
} from './ledger-state.js';
import type { LedgerStore, LockWait, ProcessRegistry } from './ledger-store.js';
import { groupOf, PendingQueue, PendingRequest, waitFor } from './pending-requests.js';
import type { Quota } from './quotas.js';
import type {
  ObservedResponse,
  Permit,
  RateLedger,
  RequestInfo,
  ReserveOptions,
} from './rate-ledger.js';

export interface SharedLedgerDeps {
  readonly store: LedgerStore;
  readonly processes: ProcessRegistry;
  readonly clock: Clock;
  /** The quotas of a request, the general limit first. None: only a backoff delays it. */
  readonly quotasFor: (request: RequestInfo) => readonly Quota[];
}

const MAX_WAIT_MS = 15 * 60_000;
/** Shortly before its turn a process checks often, since another may die; otherwise for changed backoffs and quotas. */
const SOON_MS = 2_000;
const SOON_POLL_MS = 200;
const POLL_MS = 1_000;

interface Grant extends Granted {
  readonly request: PendingRequest;
}

export class SharedLedger implements RateLedger {
  readonly #pending = new PendingQueue();
  #settlements: { readonly settlement: Settlement; readonly done: () => void }[] = [];
  /** Granted in the transaction under way, and not stored yet. */
  #grants: Grant[] = [];
  /** Handed out, and not settled. */
  readonly #outstanding = new Map<string, PermitRecord>();
  #hasEntered = false;
  #isClosed = false;
  /** Whether the shared queue holds tickets of this process, to be withdrawn when no request waits any more. */
  #hasTickets = false;
  #running: Promise<void> | undefined;
  #wake = new AbortController();
  #ticketCount = 0;

  constructor(private readonly deps: SharedLedgerDeps) {}

  async reserve(request: RequestInfo, options: ReserveOptions = {}): Promise<Permit> {
    const { signal } = options;
    signal?.throwIfAborted();
    if (this.#isClosed) throw interruption();
    const { quotasFor, clock } = this.deps;
    const pending = new PendingRequest(quotasFor(request), options, clock.monotonicMs());
    const onAbort = (): void => {
      this.#pending.remove(pending);
      pending.reject(signal?.reason);
      this.#run();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      this.#pending.add(pending);
      this.#run();
      return this.#permitFor(await pending.granted);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.deps.store.shortenLockWait?.();
    this.#pending.rejectAll(interruption());
    for (const permit of this.#outstanding.values()) void this.#settle(permit, undefined);
    while (this.#running) await this.#running;
    this.deps.processes.leave();
    this.#hasEntered = false;
  }

  #permitFor(record: PermitRecord): Permit {
    let settled: Promise<void> | undefined;
    return { settle: (response) => (settled ??= this.#settle(record, response)) };
  }

  #settle(permit: PermitRecord, response: ObservedResponse | 'timeout' | undefined): Promise<void> {
    const { clock } = this.deps;
    const isRecorded = this.#outstanding.delete(permit.id);
    const is429 = typeof response === 'object' && response.status === 429;
    if (!isRecorded && !is429) return Promise.resolve();
    const moment = { nowMs: clock.monotonicMs(), wallMs: clock.wallMs() };
    return new Promise((done) => {
      this.#settlements.push({ settlement: { permit, response, moment }, done });
      this.#run();
    });
  }

  /** Starts the loop, or wakes it. */
  #run(): void {
    this.#wake.abort();
    this.#running ??= this.#loop();
  }

  async #loop(): Promise<void> {
    // Requests and settlements of the same tick share one transaction.
    await Promise.resolve();
    while (!this.#pending.isEmpty || this.#settlements.length > 0 || this.#hasTickets) {
      this.#wake = new AbortController();
      const wakeMs = await this.#transaction();
      if (wakeMs === undefined) continue;
      const ms = Math.max(1, wakeMs - this.deps.clock.monotonicMs());
      await this.deps.clock.sleep(ms, this.#wake.signal).catch(() => undefined);
    }
    this.#running = undefined;
  }

  /** Returns when to check again, if a request still waits. */
  async #transaction(): Promise<number | undefined> {
    const settlements = this.#settlements.splice(0);
    try {
      const wakeMs = await this.deps.store.transaction(
        (state) => this.#update(state, settlements),
        (wait) => {
          this.#reportLockWait(wait);
        },
      );
      for (const granted of this.#grants) this.#handOut(granted);
      return this.#pending.isEmpty ? undefined : wakeMs;
    } catch (error) {
      // Without the ledger nothing may be sent. Permits that could not be settled stay in use.
      this.#hasTickets = false;
      this.#pending.rejectAll(error);
      for (const { request } of this.#grants) request.reject(error);
      return undefined;
    } finally {
      this.#grants = [];
      for (const { done } of settlements) done();
    }
  }

  #handOut({ request, permit, isRecorded }: Grant): void {
    if (isRecorded) this.#outstanding.set(permit.id, permit);
    request.resolve(permit);
    // Aborted during the transaction: it will not be sent.
    if (request.isAborted) void this.#settle(permit, undefined);
  }

  async #update(
    state: LedgerState,
    settlements: readonly { readonly settlement: Settlement }[],
  ): Promise<number> {
    const { clock, processes } = this.deps;
    await processes.enter();
    if (!this.#hasEntered) await processes.sweep();
    this.#hasEntered = true;
    this.#restoreOutstanding(state);
    for (const { settlement } of settlements) applyResponse(state, settlement);
    prune(state, clock.monotonicMs());
    this.#take(state);
    if (!this.#pending.isEmpty && (await this.#reapDead(state))) this.#take(state);
    const wakeMs = this.#planWaits(state);
    this.#queueTickets(state);
    this.#hasTickets = state.queue.some(({ processId }) => processId === processes.ownId);
    return wakeMs;
  }

  /** Requests under way count, even if the ledger was lost or another process took this one for dead. */
  #restoreOutstanding({ permits }: LedgerState): void {
    if (this.#outstanding.size === 0) return;
    const recorded = new Set(permits.map(({ id }) => id));
    for (const permit of this.#outstanding.values()) {
      if (!recorded.has(permit.id)) permits.push({ ...permit });
    }
  }

  #reportLockWait({ holder, leftMs }: LockWait): void {
    const untilMs = this.deps.clock.wallMs() + leftMs;
    const why = `${holder} holds the lock of the rate ledger`;
    this.#pending.report({ for: 'lock', untilMs, why, holder }, Infinity);
  }

  /** Grants as many permits as are free, in the order of the shared queue. */
  #take(state: LedgerState): void {
    const nowMs = this.deps.clock.monotonicMs();
    const ban = activeBan(state.backoff, nowMs);
    if (ban) this.#rejectUntil(ban.untilMs, 'banned', 'The service has banned this address');
    for (;;) {
      this.#queueTickets(state);
      const starts = forecast(state, nowMs);
      const ticket = state.queue.find(
        ({ id, processId }) =>
          processId === this.deps.processes.ownId && (starts.get(id)?.atMs ?? Infinity) <= nowMs,
      );
      const request = ticket && this.#pending.takeFirst(groupOf(ticket.quotas));
      if (!ticket || !request) return;
      this.#grants.push({ request, ...grant(state, ticket, nowMs) });
    }
  }

  /** Leaves exactly one ticket for each group of waiting requests. */
  #queueTickets(state: LedgerState): void {
    const { ownId } = this.deps.processes;
    const { groups } = this.#pending;
    // A ticket in the file may name other quotas than ours.
    const isNeeded = ({ quotas }: Ticket): boolean =>
      JSON.stringify(quotas) === JSON.stringify(groups.get(groupOf(quotas)));
    state.queue = state.queue.filter((ticket) => ticket.processId !== ownId || isNeeded(ticket));
    const own = state.queue.filter(({ processId }) => processId === ownId);
    const queued = new Set(own.map(({ quotas }) => groupOf(quotas)));
    for (const [group, quotas] of groups) {
      if (queued.has(group)) continue;
      const id = `${ownId}-${(this.#ticketCount += 1)}`;
      const queuedMs = this.deps.clock.monotonicMs();
      state.queue.push({ id, processId: ownId, quotas, queuedMs });
    }
  }

  async #reapDead(state: LedgerState): Promise<boolean> {
    const { processes, clock } = this.deps;
    const unsettled = state.permits.filter(({ settledMs }) => settledMs === undefined);
    const ids = new Set([...state.queue, ...unsettled].map(({ processId }) => processId));
    ids.delete(processes.ownId);
    let hasChanged = false;
    for (const id of ids) {
      const liveness = await processes.livenessOf(id);
      if (liveness === 'dead') {
        reap(state, id, clock.monotonicMs() + LAST_BYTES_MS);
        hasChanged = true;
      } else if (liveness === 'unknown') {
        hasChanged = reapAbandoned(state, id, clock.monotonicMs()) || hasChanged;
      }
    }
    return hasChanged;
  }

  /** Reports waits, and rejects requests that would wait too long. Returns when to check again. */
  #planWaits(state: LedgerState): number {
    const { clock, processes } = this.deps;
    const nowMs = clock.monotonicMs();
    const starts = forecast(state, nowMs);
    let wakeMs = Infinity;
    for (const ticket of state.queue) {
      const start = starts.get(ticket.id) ?? { atMs: nowMs };
      if (start.atMs > nowMs) delete ticket.readyMs;
      else ticket.readyMs ??= nowMs;
      if (ticket.processId !== processes.ownId) continue;
      wakeMs = Math.min(wakeMs, start.atMs);
      this.#rejectLongWaits(state, ticket, nowMs);
      const wait = waitFor(state, start, { nowMs, wallMs: clock.wallMs() });
      this.#pending.report(wait, start.atMs, groupOf(ticket.quotas));
    }
    return Math.min(wakeMs, nowMs + (wakeMs - nowMs > SOON_MS ? POLL_MS : SOON_POLL_MS));
  }

  /** Some quotas have periods of an hour (spec 8.3), and a 429 may name any time. */
  #rejectLongWaits(state: LedgerState, { quotas }: Ticket, nowMs: number): void {
    const pause = activeRateLimit(state.backoff, nowMs);
    if (pause && pause.untilMs - nowMs > MAX_WAIT_MS) {
      this.#rejectUntil(pause.untilMs, 'wait-too-long', 'The service asked for a pause');
    }
    for (const quota of quotas) {
      const expiries = expiriesOf(state, quota, nowMs);
      const freeMs = nextFreeMs(expiries, allowedRequests(state, quota), nowMs);
      if (freeMs - nowMs <= MAX_WAIT_MS) continue;
      const message = `The quota is used up: ${quota.key}`;
      this.#rejectUntil(freeMs, 'wait-too-long', message, groupOf(quotas));
    }
  }

  #rejectUntil(
    untilMs: number,
    code: 'banned' | 'wait-too-long',
    message: string,
    group?: string,
  ): void {
    const { clock } = this.deps;
    const until = new Date(clock.wallMs() + untilMs - clock.monotonicMs()).toISOString();
    this.#pending.rejectAll(new ServiceError(code, `${message}, until ${until}.`), group);
  }
}
