/**
 * The rate ledger shared by all processes. Requests of this process wait in groups, and each group has at most one
 * ticket in the shared queue, so that processes take turns however many requests each has. One loop does all the work:
 * it settles permits, takes those that are free, and sleeps until the next may be.
 */
import { momentOf, type Clock } from '../core/clock.js';
import { interruptedError } from '../core/errors.js';
import type { Settlement } from './apply-response.js';
import type { LedgerState, PermitRecord } from './ledger-state.js';
import type { LedgerStore, ProcessRegistry, StoreWait } from './ledger-store.js';
import { updateLedger, type UpdateResult } from './ledger-update.js';
import { PendingQueue, PendingRequest } from './pending-requests.js';
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

export class SharedLedger implements RateLedger {
  readonly #pending = new PendingQueue();
  #settlements: { readonly settlement: Settlement; readonly done: () => void }[] = [];
  /** Those of a transaction that failed: recorded with the next one. */
  #unrecorded: Settlement[] = [];
  /** Handed out; their end is not recorded yet. */
  readonly #outstanding = new Map<string, PermitRecord>();
  /** Of these, the ids of those that have ended. */
  readonly #ended = new Set<string>();
  #isClosed = false;
  /** Whether the shared queue holds tickets of this process, to be withdrawn when no request waits any more. */
  #hasTickets = false;
  #running: Promise<void> | undefined;
  #wake = new AbortController();
  #ticketCount = 0;

  constructor(private readonly deps: SharedLedgerDeps) {}

  async reserve(request: RequestInfo, options: ReserveOptions = {}): Promise<Permit> {
    for (;;) {
      const permit = await this.#reserve(request, options);
      if (this.deps.processes.isConfirmed?.() ?? true) return permit;
      // The process was paused for so long that others may have been given its permit.
      await permit.settle();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.deps.store.shortenWaits?.();
    this.#pending.rejectAll(interruptedError());
    for (const permit of this.#outstanding.values()) void this.#settle(permit, undefined);
    while (this.#running) await this.#running;
    if (this.#unrecorded.length > 0) await this.#transaction();
    await this.deps.processes.unregister();
  }

  async #reserve(request: RequestInfo, options: ReserveOptions): Promise<Permit> {
    const { signal } = options;
    signal?.throwIfAborted();
    if (this.#isClosed) throw interruptedError();
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

  #permitFor(record: PermitRecord): Permit {
    let settled: Promise<void> | undefined;
    return { settle: (response) => (settled ??= this.#settle(record, response)) };
  }

  #settle(permit: PermitRecord, response: ObservedResponse | 'timeout' | undefined): Promise<void> {
    const isRecorded = this.#outstanding.has(permit.id);
    const is429 = typeof response === 'object' && response.status === 429;
    if (this.#ended.has(permit.id) || (!isRecorded && !is429)) return Promise.resolve();
    this.#ended.add(permit.id);
    const moment = momentOf(this.deps.clock);
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
    const ending = this.#settlements.splice(0);
    const settlements = [...this.#unrecorded, ...ending.map(({ settlement }) => settlement)];
    try {
      const result = await this.deps.store.transaction(
        (state) => this.#update(state, settlements),
        (wait) => {
          this.#reportStoreWait(wait);
        },
      );
      this.#unrecorded = [];
      for (const { permit } of settlements) {
        this.#outstanding.delete(permit.id);
        this.#ended.delete(permit.id);
      }
      this.#apply(result);
      return this.#pending.isEmpty ? undefined : result.wakeMs;
    } catch (error) {
      // Without the ledger nothing may be sent.
      this.#unrecorded = settlements;
      this.#hasTickets = false;
      this.#pending.rejectAll(error);
      return undefined;
    } finally {
      for (const { done } of ending) done();
    }
  }

  async #update(state: LedgerState, settlements: readonly Settlement[]): Promise<UpdateResult> {
    const { processes, clock } = this.deps;
    await processes.register();
    return updateLedger(state, {
      settlements,
      pending: this.#pending.all,
      outstanding: [...this.#outstanding.values()],
      processes,
      moment: momentOf(clock),
      nextTicketId: () => `${processes.ownId}-${(this.#ticketCount += 1)}`,
    });
  }

  #apply({ grants, rejections, waits, hasTickets }: UpdateResult): void {
    this.#hasTickets = hasTickets;
    for (const { request, error } of rejections) {
      this.#pending.remove(request);
      request.reject(error);
    }
    for (const { request, permit, isRecorded } of grants) {
      this.#pending.remove(request);
      if (isRecorded) this.#outstanding.set(permit.id, permit);
      request.resolve(permit);
      // Aborted during the transaction: it will not be sent.
      if (request.isAborted) void this.#settle(permit, undefined);
    }
    for (const { wait, startMs, group } of waits) this.#pending.report(wait, startMs, group);
  }

  #reportStoreWait({ leftMs, ...wait }: StoreWait): void {
    const untilMs = this.deps.clock.wallMs() + leftMs;
    this.#pending.report({ ...wait, untilMs }, Infinity);
  }
}
