/**
 * Sends health reports beside the downloads. Each is written to a journal first, so that a slow host delays nothing, and
 * a later run sends what was not accepted. A kill loses no recorded report, and repeats at most MAX_IN_FLIGHT.
 */
import { sharedSignal } from '../../core/abort.js';
import { waitAtMost } from '../../core/clock.js';
import { retryDelayMs } from '../../core/retry-delay.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { classifyError, classifyStatus } from './delivery-result.js';
import { MAX_PROBE_WAIT_MS, remainingWaitMs } from './exit-wait.js';
import type { HealthReport, SendReport } from './health-report.js';
import type { Outcome } from './report-journal.js';
import {
  openReportStore,
  wholeMs,
  type ReportStore,
  type ReportStoreOptions,
  type StoredReport,
} from './report-store.js';

/** More than concurrent pages usually are, so that reports keep up with them. */
export const MAX_IN_FLIGHT = 8;
/** Reports that may wait; beyond that the oldest are dropped. */
export const MAX_WAITING = 10_000;
const RETRY_DELAYS = { firstMs: 250, maxMs: 4_000 };
/** Limits the wait at exit and after a failed load. */
const MAX_WAIT_MS = 2_000;
const POLL_MS = 20;

export interface ReportSenderOptions extends ReportStoreOptions {
  readonly send: SendReport;
}

export class ReportSender {
  readonly #breaker: CircuitBreaker;
  #store: Promise<ReportStore> | undefined;
  readonly #own: StoredReport[] = [];
  /** Reports of earlier runs, which follow those of this one. */
  #earlier: StoredReport[] = [];
  /** Called when delivery was attempted, or was postponed. */
  readonly #onAttempted = new Map<StoredReport, () => void>();
  readonly #workers = new Set<Promise<void>>();
  #stopping = new AbortController();
  readonly #contact: { firstRequestMs?: number; hasResponded: boolean } = { hasResponded: false };
  #failuresInRow = 0;
  #resumeAtMs = 0;
  readonly #counts = { ownSent: 0, ownWaiting: 0, sent: 0, givenUp: 0 };

  /** Starts to send the reports of earlier runs. */
  constructor(private readonly options: ReportSenderOptions) {
    this.#breaker = new CircuitBreaker(options.folder, options.clock);
    void this.#openStore();
  }

  /** Resolves once the report is stored; it is sent in the background. */
  async record(report: HealthReport): Promise<void> {
    this.#own.push(await this.#add(report));
    this.#startWorkers();
  }

  /**
   * For a failed load: ahead of other reports, and resolves once delivery was attempted, after at most 2 s. Does not wait
   * while the host is known to be down.
   */
  async recordAndSend(report: HealthReport): Promise<void> {
    const stored = await this.#add(report);
    const attempted = new Promise<void>((resolve) => this.#onAttempted.set(stored, resolve));
    this.#own.unshift(stored);
    this.#startWorkers();
    if (this.#breaker.isOpen()) return;
    await waitAtMost(this.options.clock, MAX_WAIT_MS, attempted);
  }

  /**
   * Before the exit: waits for the rest for at most `maxWaitMs`, less if the host does not respond. A later run sends what
   * is left. The counts are of the reports recorded here.
   */
  async finish(maxWaitMs = MAX_WAIT_MS): Promise<{ sent: number; waiting: number }> {
    const store = await this.#openStore();
    await this.#drain(maxWaitMs);
    this.#stopping.abort();
    await waitAtMost(this.options.clock, MAX_PROBE_WAIT_MS, Promise.all(this.#workers));
    this.#stopping = new AbortController();
    this.#stopWaiting();
    this.#own.length = this.#earlier.length = 0;
    store.close();
    this.#store = undefined;
    const { ownSent: sent, ownWaiting } = this.#counts;
    const waiting = ownWaiting - store.unwritten;
    Object.assign(this.#counts, { ownSent: 0, ownWaiting: 0 });
    return { sent, waiting };
  }

  /**
   * Sends the waiting reports now, the first as a probe if the host counts as down. Resolves when all are sent or held by
   * other processes, when the host is down, or when the signal is aborted.
   */
  async flush(signal?: AbortSignal): Promise<{ sent: number; givenUp: number }> {
    await this.#openStore();
    this.#breaker.makeProbeDue();
    this.#startWorkers();
    while (this.#workers.size > 0 && signal?.aborted !== true)
      await waitAtMost(this.options.clock, POLL_MS, Promise.all(this.#workers));
    const { sent, givenUp } = this.#counts;
    return { sent, givenUp };
  }

  #openStore(): Promise<ReportStore> {
    return (this.#store ??= this.#adopt());
  }

  /** Takes over what ended processes left. */
  async #adopt(): Promise<ReportStore> {
    const store = await openReportStore(this.options);
    this.#earlier = [...store.earlier];
    this.#startWorkers();
    return store;
  }

  async #add(report: HealthReport): Promise<StoredReport> {
    const atMs = wholeMs(this.options.clock);
    const store = await this.#openStore();
    while (this.#own.length + this.#earlier.length >= MAX_WAITING) this.#dropOldest(store);
    this.#counts.ownWaiting += 1;
    return store.add(report, atMs);
  }

  #startWorkers(): void {
    if (this.#breaker.isBlocked()) return;
    const waiting = this.#own.length + this.#earlier.length;
    const missing = Math.min(MAX_IN_FLIGHT - this.#workers.size, waiting);
    for (let started = 0; started < missing; started += 1) {
      // Runs once it is counted, since it may start others itself.
      const worker = Promise.resolve(sharedSignal(this.#stopping.signal))
        .then((signal) => this.#work(signal))
        .finally(() => this.#workers.delete(worker));
      this.#workers.add(worker);
    }
  }

  /** Sends reports one by one while there are any and the circuit breaker permits it. */
  async #work(signal: AbortSignal): Promise<void> {
    const store = await this.#openStore();
    for (;;) {
      const pauseMs = this.#resumeAtMs - this.options.clock.monotonicMs();
      if (pauseMs > 0) await this.options.clock.sleep(pauseMs, signal).catch(() => undefined);
      const next = signal.aborted ? undefined : (this.#own.shift() ?? this.#earlier.shift());
      if (!next) return;
      if (!this.#breaker.mayRequest()) {
        this.#putBack(next);
        this.#stopWaiting();
        return;
      }
      await this.#deliver(next, store, signal);
    }
  }

  async #deliver(next: StoredReport, store: ReportStore, signal: AbortSignal): Promise<void> {
    const { clock, send } = this.options;
    this.#contact.firstRequestMs ??= clock.monotonicMs();
    const result = await send(next.report, signal).then(classifyStatus, classifyError);
    if (result.kind === 'accepted' || result.kind === 'rejected') {
      if (result.kind === 'accepted') this.#settle(next, store, 'sent');
      else this.#settle(next, store, 'givenUp', result.reason);
      this.#failuresInRow = 0;
      this.#resumeAtMs = 0;
      this.#contact.hasResponded = true;
      this.#breaker.recordSuccess();
      // After a successful probe the others follow.
      this.#startWorkers();
      return;
    }
    this.#putBack(next);
    if (!signal.aborted) {
      this.#failuresInRow += 1;
      this.#resumeAtMs = clock.monotonicMs() + retryDelayMs(RETRY_DELAYS, this.#failuresInRow);
      this.#breaker.recordFailure(result.reason, result.kind === 'unavailable');
    }
    this.#stopWaiting(next);
  }

  #putBack(stored: StoredReport): void {
    (stored.isOwn ? this.#own : this.#earlier).unshift(stored);
  }

  #settle(stored: StoredReport, store: ReportStore, outcome: Outcome, reason?: string): void {
    store.settle(stored, outcome, reason);
    if (stored.isOwn) this.#counts.ownWaiting -= 1;
    if (stored.isOwn && outcome === 'sent') this.#counts.ownSent += 1;
    if (outcome !== 'dropped') this.#counts[outcome] += 1;
    this.#stopWaiting(stored);
  }

  #dropOldest(store: ReportStore): void {
    const oldest = this.#earlier.shift() ?? this.#own.shift();
    if (oldest) this.#settle(oldest, store, 'dropped', 'too many');
  }

  /** Lets the failed loads go on that wait for the delivery of these reports; by default, all. */
  #stopWaiting(...reports: readonly StoredReport[]): void {
    for (const stored of reports.length > 0 ? reports : [...this.#onAttempted.keys()]) {
      this.#onAttempted.get(stored)?.();
      this.#onAttempted.delete(stored);
    }
  }

  /** Waits until nothing is being sent, as long as a response is likely. */
  async #drain(maxWaitMs: number): Promise<void> {
    const { clock } = this.options;
    const startedMs = clock.monotonicMs();
    if (maxWaitMs > 0) this.#startWorkers();
    while (this.#workers.size > 0) {
      const leftMs = remainingWaitMs({
        nowMs: clock.monotonicMs(),
        startedMs,
        maxWaitMs,
        ...this.#contact,
        isHostDown: this.#breaker.isOpen(),
      });
      if (leftMs <= 0) return;
      await waitAtMost(clock, Math.min(POLL_MS, leftMs), Promise.all(this.#workers));
    }
  }
}
