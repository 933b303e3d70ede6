/**
 * The rate ledger shared by all processes. Requests of this process wait in groups, and each group has one ticket in the
 * document, so that processes take turns however many requests each has. One loop does all the work: it settles permits,
 * takes those that are free, and sleeps until the next may be.
 */
import { momentOf, type Clock, type Moment } from '../../core/clock.js';
import { interruptedError } from '../../core/errors.js';
import type { LedgerRules } from './ledger-rules.js';
import type { LedgerStore, Transaction } from './ledger-store.js';
import { takeTurn, type TurnResult } from './ledger-turn.js';
import {
  pauseError,
  PendingQueue,
  PendingRequest,
  quotaError,
  waitFor,
} from './pending-requests.js';
import { permitFor, type GrantedRequest } from './permit.js';
import type {
  ObservedResponse,
  Permit,
  RateLedger,
  RequestInfo,
  ReserveOptions,
  Wait,
} from './rate-ledger.js';
import { outcomeOf, type Outcome } from './settlement.js';

/** Without a reason, Node makes an exception with its trace for each abort. */
const AWAKE = new Error('There is news for the ledger.');

interface SharedLedgerDeps {
  readonly store: LedgerStore;
  readonly clock: Clock;
  readonly rules: LedgerRules;
  /** The keys of the quotas of a request. None: only a pause delays it. */
  readonly quotaKeysOf: (request: RequestInfo) => readonly string[];
}

interface EndedRequest extends GrantedRequest {
  readonly outcome: Outcome;
}

interface LedgerChange extends TurnResult {
  readonly transaction: Transaction;
}

/** How often a pause that other processes have set is looked for, for requests that draw on no quota. */
const PAUSE_POLL_MS = 1_000;

export class SharedLedger implements RateLedger {
  readonly #pending = new PendingQueue();
  #ended: { readonly request: EndedRequest; readonly done: () => void }[] = [];
  /** Requests of a transaction that failed, recorded with the next one. */
  #unrecorded: EndedRequest[] = [];
  #isClosed = false;
  /** Whether the document holds tickets of this process, to be withdrawn when no request waits any more. */
  #hasTickets = false;
  #running: Promise<void> | undefined;
  #wake = new AbortController();
  #idCount = 0;
  /** Whether a pause was set when it was looked for last. */
  #isPaused: Promise<boolean> | undefined;
  #pauseReadMs = -Infinity;

  constructor(private readonly deps: SharedLedgerDeps) {}

  async reserve(request: RequestInfo, options: ReserveOptions = {}): Promise<Permit> {
    const { signal } = options;
    const { clock } = this.deps;
    const quotas = this.deps.quotaKeysOf(request);
    this.#throwIfEnded(signal);
    if (quotas.length === 0 && !(await this.#readPause())) {
      return this.#permitFor({ id: '', granted: momentOf(clock) });
    }
    this.#throwIfEnded(signal);
    const pending = new PendingRequest(quotas, options, clock.monotonicMs());
    const onAbort = (): void => {
      this.#pending.remove(pending);
      pending.reject(signal?.reason);
      this.#run();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      this.#pending.add(pending);
      this.#run();
      const permit = await pending.granted;
      if (signal?.aborted) void permit.settle('unsent');
      signal?.throwIfAborted();
      return permit;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.deps.store.shortenWaits();
    this.#pending.reject(interruptedError());
    this.#wake.abort(AWAKE);
    while (this.#running) await this.#running;
    if (this.#unrecorded.length > 0) await this.#transaction();
    this.deps.store.close();
  }

  #throwIfEnded(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    if (this.#isClosed) throw interruptedError();
  }

  /** Whether there may be a pause; read without a lock. */
  #readPause(): Promise<boolean> {
    const nowMs = this.deps.clock.monotonicMs();
    if (this.#isPaused === undefined || nowMs - this.#pauseReadMs >= PAUSE_POLL_MS) {
      this.#pauseReadMs = nowMs;
      this.#isPaused = this.deps.store.peek().then(
        ({ document }) => document.pause !== undefined,
        () => true,
      );
    }
    return this.#isPaused;
  }

  #permitFor(request: GrantedRequest): Permit {
    const { clock, rules, store } = this.deps;
    const { maxRequestMs } = rules;
    const options = { clock, maxRequestMs, isOnServer: store.isOnServer };
    return permitFor(request, options, (response) => this.#settle(request, response));
  }

  #settle(request: GrantedRequest, response: ObservedResponse | 'unsent' | undefined) {
    const outcome = outcomeOf(response, this.deps.clock.wallMs());
    const isNews = request.grantedMs !== undefined || outcome.kind === 'rate-limited';
    const isTooLate = this.#isClosed && !this.#running;
    if (!isNews || isTooLate) return Promise.resolve();
    return new Promise<void>((done) => {
      this.#ended.push({ request: { ...request, outcome }, done });
      this.#run();
    });
  }

  /** Starts the loop, or wakes it. */
  #run(): void {
    this.#wake.abort(AWAKE);
    this.#running ??= this.#loop();
  }

  async #loop(): Promise<void> {
    // Requests and settlements of the same tick share one transaction.
    await Promise.resolve();
    while (!this.#pending.isEmpty || this.#ended.length > 0 || this.#hasTickets) {
      this.#wake = new AbortController();
      const waitMs = await this.#transaction();
      if (waitMs === undefined) continue;
      await this.deps.clock.sleep(Math.max(1, waitMs), this.#wake.signal).catch(() => undefined);
    }
    this.#running = undefined;
  }

  /** Resolves with how long to wait before the next one, if a request still waits. */
  async #transaction(): Promise<number | undefined> {
    const ending = this.#ended.splice(0);
    const ended = [...this.#unrecorded, ...ending.map(({ request }) => request)];
    const reportWait = (wait: Wait): void => {
      this.#pending.report(wait, Infinity);
    };
    for (const { id } of ended) this.deps.store.forget(id);
    try {
      const { result, moment } = await this.deps.store.transaction(
        (transaction) => this.#change(transaction, ended),
        reportWait,
      );
      this.#unrecorded = [];
      this.#apply(result, moment);
      const { nowMs } = result.transaction;
      return this.#pending.isEmpty || result.wakeMs === Infinity
        ? undefined
        : result.wakeMs - nowMs;
    } catch (error) {
      // Without the ledger nothing may be sent.
      this.#unrecorded = ended;
      this.#hasTickets = false;
      this.#pending.reject(error);
      return undefined;
    } finally {
      for (const { done } of ending) done();
    }
  }

  /** May run several times, each with another document. */
  #change(transaction: Transaction, ended: readonly EndedRequest[]): LedgerChange {
    const { store, clock, rules } = this.deps;
    const { document, nowMs, seenMs } = transaction;
    const localMs = clock.monotonicMs();
    const result = takeTurn(
      document,
      {
        processId: store.processId,
        nowMs,
        seenMs,
        demands: pauseError(document, transaction) ? new Map() : this.#pending.demands,
        settlements: ended.map(({ id, outcome, grantedMs, granted }) => ({
          id,
          outcome,
          grantedMs: grantedMs ?? nowMs - (localMs - granted.nowMs),
        })),
        nextId: () => `${store.processId}-${(this.#idCount += 1).toString(36)}`,
      },
      rules,
    );
    return { ...result, transaction };
  }

  #apply(change: LedgerChange, granted: Moment): void {
    const { grants, forecasts, transaction } = change;
    const { document, nowMs } = transaction;
    const moment = { nowMs, wallMs: this.deps.clock.wallMs() };
    this.#hasTickets = forecasts.size > 0;
    this.#isPaused = Promise.resolve(document.pause !== undefined);
    this.#pauseReadMs = this.deps.clock.monotonicMs();
    for (const { id, group } of grants) {
      const pending = this.#pending.takeFirst(group);
      const permit = this.#permitFor({ id, granted, grantedMs: nowMs });
      // Aborted during the transaction: it will not be sent.
      if (pending) pending.resolve(permit);
      else void permit.settle('unsent');
    }
    const error = pauseError(document, moment);
    if (error) this.#pending.reject(error);
    for (const [group, forecast] of forecasts) {
      const tooLong = quotaError(forecast, moment);
      if (tooLong) this.#pending.reject(tooLong, group);
      this.#pending.report(waitFor(document, forecast, moment), forecast.atMs, group);
    }
  }
}
