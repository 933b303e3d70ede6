/**
 * The rate ledger that all processes of the machine share. Requests of this process wait in lines of their own;
 * each line has at most one ticket in the shared queue, so that the processes take turns however many requests
 * each has. One loop does all the work: settle what is over, take what can be taken, sleep until the next may.
 */
import type { Clock } from '../core/clock.js';
import { interruption, ServiceError } from '../core/errors.js';
import { activeBan, activeRateLimit } from './backoff.js';
import { applyResponse, type Settlement } from './apply-response.js';
import type { Liveness } from './process-registry.js';
import type { LedgerStore, LockWait } from './file-store.js';
import {
  allowedRequests,
  reap,
  buryOld,
  forecast,
  freeAtMs,
  grant,
  LAST_BYTES_MS,
  lapsesOf,
  prune,
  type Granted,
  type LedgerState,
  type PermitRecord,
  type Ticket,
} from './ledger-state.js';
import type { Quota } from './quotas.js';
import type {
  ObservedResponse,
  RequestInfo,
  Permit,
  RateLedger,
  ReserveOptions,
} from './rate-ledger.js';
import { quotaGroup, PendingRequest, waitFor, PendingQueue } from './pending-requests.js';

/** Who else uses the ledger; see holders.ts. */
export interface Processes {
  readonly own: string;
  enter(): Promise<void>;
  livenessOf(holder: string): Promise<Liveness>;
  sweep(): Promise<void>;
  leave(): void;
}

export interface SharedLedgerDeps {
  readonly store: LedgerStore;
  readonly company: Processes;
  readonly clock: Clock;
  /** What a request uses, the general limit first and its endpoint's quota second; nothing: only halts concern it. */
  readonly quotasFor: (line: RequestInfo) => readonly Quota[];
}

const LONGEST_WAIT_MS = 15 * 60_000;
/** Near its turn a process looks often, since another that dies makes room; far from it, for a reset or a halt. */
const NEAR_MS = 2_000;
const LOOK_AGAIN_NEAR_MS = 200;
const LOOK_AGAIN_FAR_MS = 1_000;

interface Grant {
  readonly waiter: PendingRequest;
  readonly granted: Granted;
}

export class SharedLedger implements RateLedger {
  readonly #lines = new PendingQueue();
  #settlements: { readonly settlement: Settlement; readonly done: () => void }[] = [];
  /** Taken in the exchange that is under way, and not yet written down. */
  #grants: Grant[] = [];
  /** Told to their requests, and not settled. */
  readonly #outstanding = new Map<string, PermitRecord>();
  #entered = false;
  #isClosed = false;
  /** Whether the shared queue holds a ticket of this process, which must be withdrawn when nobody waits any more. */
  #isQueued = false;
  #running: Promise<void> | undefined;
  #nudge = new AbortController();
  #ids = 0;

  constructor(private readonly parts: SharedLedgerDeps) {}

  async reserve(line: RequestInfo, options: ReserveOptions = {}): Promise<Permit> {
    options.signal?.throwIfAborted();
    if (this.#isClosed) throw interruption();
    const waiter = new PendingRequest(
      this.parts.quotasFor(line),
      options,
      this.parts.clock.monotonicMs(),
    );
    const leave = (): void => {
      this.#lines.leave(waiter, options.signal?.reason);
      this.#run();
    };
    options.signal?.addEventListener('abort', leave, { once: true });
    try {
      this.#lines.join(waiter);
      this.#run();
      return this.#place(await waiter.granted);
    } finally {
      options.signal?.removeEventListener('abort', leave);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.parts.store.hurry?.();
    this.#lines.turnAway(interruption());
    for (const place of this.#outstanding.values()) void this.#settle(place, undefined);
    while (this.#running) await this.#running;
    this.parts.company.leave();
    this.#entered = false;
  }

  #place(record: PermitRecord): Permit {
    let settled: Promise<void> | undefined;
    return { settle: (answer) => (settled ??= this.#settle(record, answer)) };
  }

  #settle(place: PermitRecord, answer: ObservedResponse | 'silence' | undefined): Promise<void> {
    const { clock } = this.parts;
    const isRecorded = this.#outstanding.delete(place.id);
    const says429 = typeof answer === 'object' && answer.status === 429;
    if (!isRecorded && !says429) return Promise.resolve();
    const moment = { nowMs: clock.monotonicMs(), wallMs: clock.wallMs() };
    return new Promise((done) => {
      this.#settlements.push({ settlement: { place, answer, moment }, done });
      this.#run();
    });
  }

  /** Starts the loop, or wakes it. */
  #run(): void {
    this.#nudge.abort();
    this.#running ??= this.#loop();
  }

  async #loop(): Promise<void> {
    // Requests that are made in one go, and settlings that come together, cost one exchange.
    await Promise.resolve();
    while (!this.#lines.isEmpty || this.#settlements.length > 0 || this.#isQueued) {
      this.#nudge = new AbortController();
      const wakeMs = await this.#exchange();
      if (wakeMs === undefined) continue;
      const ms = Math.max(1, wakeMs - this.parts.clock.monotonicMs());
      await this.parts.clock.sleep(ms, this.#nudge.signal).catch(() => undefined);
    }
    this.#running = undefined;
  }

  /** One exchange with the store. Returns when to look again, if anybody still waits. */
  async #exchange(): Promise<number | undefined> {
    const settling = this.#settlements.splice(0);
    try {
      const wakeMs = await this.parts.store.exchange(
        (state) => this.#turn(state, settling),
        (wait) => {
          this.#showLockWait(wait);
        },
      );
      for (const grant of this.#grants) this.#tell(grant);
      return this.#lines.isEmpty ? undefined : wakeMs;
    } catch (error) {
      this.#isQueued = false;
      // Without the ledger nothing may be sent. What could not be settled counts as not settled.
      this.#lines.turnAway(error);
      for (const { waiter } of this.#grants) waiter.reject(error);
      return undefined;
    } finally {
      this.#grants = [];
      for (const { done } of settling) done();
    }
  }

  #tell({ waiter, granted: { place, isRecorded } }: Grant): void {
    if (isRecorded) this.#outstanding.set(place.id, place);
    waiter.resolve(place);
    // Whoever left in the very moment of the grant will not send.
    if (waiter.hasLeft) void this.#settle(place, undefined);
  }

  async #turn(
    state: LedgerState,
    settling: readonly { settlement: Settlement }[],
  ): Promise<number> {
    const { clock, company } = this.parts;
    await company.enter();
    if (!this.#entered) await company.sweep();
    this.#entered = true;
    this.#recordOutstanding(state);
    for (const { settlement } of settling) applyResponse(state, settlement);
    prune(state, clock.monotonicMs());
    this.#take(state);
    if (!this.#lines.isEmpty && (await this.#buryTheDead(state))) this.#take(state);
    const wakeMs = this.#lookAhead(state);
    this.#queueUp(state);
    this.#isQueued = state.queue.some(({ holder }) => holder === company.own);
    return wakeMs;
  }

  /** What is under way counts, also where the ledger was lost, or another process took this one for dead. */
  #recordOutstanding({ places }: LedgerState): void {
    if (this.#outstanding.size === 0) return;
    const recorded = new Set(places.map(({ id }) => id));
    for (const place of this.#outstanding.values()) {
      if (!recorded.has(place.id)) places.push({ ...place });
    }
  }

  #showLockWait({ holder, leftMs }: LockWait): void {
    const untilMs = this.parts.clock.wallMs() + leftMs;
    const why = `${holder} holds the lock of the rate ledger`;
    this.#lines.showAll({ for: 'lock', untilMs, why, holder });
  }

  /** Turns as many waiters into places as there is room for, in the order of the shared queue. */
  #take(state: LedgerState): void {
    const nowMs = this.parts.clock.monotonicMs();
    const ban = activeBan(state.cooldown, nowMs);
    if (ban) this.#turnAwayUntil('banned', 'The service has banned this address', ban.untilMs);
    for (;;) {
      this.#queueUp(state);
      const starts = forecast(state, nowMs);
      const ticket = state.queue.find(
        ({ id, holder }) =>
          holder === this.parts.company.own && (starts.get(id)?.atMs ?? Infinity) <= nowMs,
      );
      const waiter = ticket && this.#lines.takeFirst(quotaGroup(ticket.quotas));
      if (!ticket || !waiter) return;
      this.#grants.push({ waiter, granted: grant(state, ticket, nowMs) });
    }
  }

  /** One ticket for each line in which somebody waits, and none for others. */
  #queueUp(state: LedgerState): void {
    const { own } = this.parts.company;
    const lines = this.#lines.quotas;
    // By our own quotas, not by what the file says of them.
    const isNeeded = ({ quotas }: Ticket): boolean =>
      JSON.stringify(quotas) === JSON.stringify(lines.get(quotaGroup(quotas)));
    state.queue = state.queue.filter((ticket) => ticket.holder !== own || isNeeded(ticket));
    const queued = new Set(
      state.queue.filter(({ holder }) => holder === own).map(({ quotas }) => quotaGroup(quotas)),
    );
    for (const [line, quotas] of lines) {
      if (!queued.has(line)) {
        const id = `${own}-${(this.#ids += 1)}`;
        state.queue.push({ id, holder: own, quotas, queuedMs: this.parts.clock.monotonicMs() });
      }
    }
  }

  async #buryTheDead(state: LedgerState): Promise<boolean> {
    const { company, clock } = this.parts;
    const others = new Set(
      [...state.queue, ...state.places.filter(({ settledMs }) => settledMs === undefined)]
        .map(({ holder }) => holder)
        .filter((holder) => holder !== company.own),
    );
    let died = false;
    for (const holder of others) {
      const liveness = await company.livenessOf(holder);
      if (liveness === 'dead') {
        reap(state, holder, clock.monotonicMs() + LAST_BYTES_MS);
        died = true;
      } else if (liveness === 'unknown') {
        died = buryOld(state, holder, clock.monotonicMs()) || died;
      }
    }
    return died;
  }

  /** Tells who waits, and turns away who would wait too long. Returns when to look again. */
  #lookAhead(state: LedgerState): number {
    const { clock, company } = this.parts;
    const nowMs = clock.monotonicMs();
    const starts = forecast(state, nowMs);
    let wakeMs = Infinity;
    for (const ticket of state.queue) {
      const start = starts.get(ticket.id) ?? { atMs: nowMs };
      if (start.atMs > nowMs) delete ticket.readyMs;
      else ticket.readyMs ??= nowMs;
      if (ticket.holder !== company.own) continue;
      wakeMs = Math.min(wakeMs, start.atMs);
      this.#turnAway(state, ticket, nowMs);
      const wait = waitFor(state, start, { nowMs, wallMs: clock.wallMs() });
      this.#lines.show(quotaGroup(ticket.quotas), wait, start.atMs);
    }
    const lookMs = wakeMs - nowMs > NEAR_MS ? LOOK_AGAIN_FAR_MS : LOOK_AGAIN_NEAR_MS;
    return Math.min(wakeMs, nowMs + lookMs);
  }

  /** Spec 8.3 has periods of an hour, and a 429 may name any time; nobody is kept waiting for that. */
  #turnAway(state: LedgerState, ticket: Ticket, nowMs: number): void {
    const stop = activeRateLimit(state.cooldown, nowMs);
    if (stop && stop.untilMs - nowMs > LONGEST_WAIT_MS) {
      this.#turnAwayUntil('wait-too-long', 'The service asked for a pause', stop.untilMs);
    }
    for (const quota of ticket.quotas) {
      const freeMs = freeAtMs(lapsesOf(state, quota, nowMs), allowedRequests(state, quota), nowMs);
      if (freeMs - nowMs <= LONGEST_WAIT_MS) continue;
      const line = quotaGroup(ticket.quotas);
      this.#turnAwayUntil('wait-too-long', `The quota of ${quota.key} is used up`, freeMs, line);
    }
  }

  #turnAwayUntil(
    code: 'banned' | 'wait-too-long',
    what: string,
    untilMs: number,
    line?: string,
  ): void {
    const { clock } = this.parts;
    const until = new Date(clock.wallMs() + untilMs - clock.monotonicMs()).toISOString();
    this.#lines.turnAway(new ServiceError(code, `${what}, until ${until}.`), line);
  }
}
