/**
 * Sends health reports beside the downloads. Each is written to the spool first, so that a slow host delays nothing, and
 * a later run sends what was not accepted. A kill loses no recorded report, and repeats at most those in flight.
 */
import { sharedSignal } from '../core/abort.js';
import { waitAtMost } from '../core/clock.js';
import { retryDelayMs } from '../core/retry-delay.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { classifyError, classifyStatus, type DeliveryResult } from './delivery-result.js';
import { MAX_PROBE_WAIT_MS, remainingWaitMs } from './exit-wait.js';
import { validReport, type HealthReport, type SendReport } from './health-report.js';
import { ReportStore, type ReportStoreOptions } from './report-store.js';
import type { LockedReport } from './spool.js';
import { StatisticsLog } from './statistics-log.js';

/** More than concurrent pages usually are, so that reports keep up with them. */
export const MAX_IN_FLIGHT = 8;
/** Reports in memory, each with its file open; the others are in the spool only. */
const MAX_QUEUED = 64;
const RETRY_DELAYS = { firstMs: 250, maxMs: 4_000 };
/** Of an exit, and of a failed load. */
const MAX_WAIT_MS = 2_000;
const POLL_MS = 20;

export interface ReportSenderDeps extends Omit<ReportStoreOptions, 'onDropped'> {
  readonly send: SendReport;
}

interface QueuedReport extends LockedReport {
  /** Called when delivery was attempted, or was postponed. */
  readonly onAttempted?: () => void;
}

export class ReportSender {
  readonly #store: ReportStore;
  readonly #breaker: CircuitBreaker;
  readonly #statistics: StatisticsLog;
  readonly #queue: QueuedReport[] = [];
  readonly #workers = new Set<Promise<void>>();
  #stopping = new AbortController();
  readonly #contact: { firstRequestMs?: number; hasResponded: boolean } = { hasResponded: false };
  #failuresInRow = 0;
  #resumeAtMs = 0;
  readonly #counts = { ownSent: 0, ownWaiting: 0, sent: 0, givenUp: 0 };

  /** Starts to send the reports of earlier runs. */
  constructor(private readonly deps: ReportSenderDeps) {
    const onDropped = (reason: string, isOwn: boolean): void => {
      this.#statistics.add({ dropped: 1, reasons: { [reason]: 1 } });
      if (isOwn) this.#counts.ownWaiting -= 1;
    };
    this.#store = new ReportStore({ ...deps, onDropped });
    this.#breaker = new CircuitBreaker(deps.folder, deps.clock);
    this.#statistics = new StatisticsLog(deps.folder);
    this.#startWorkers();
  }

  /** Resolves once the report is stored; it is sent in the background. Throws for an invalid report. */
  async record(report: HealthReport): Promise<void> {
    this.#queue.push(await this.#add(report));
    this.#startWorkers();
  }

  /**
   * For a failed load: ahead of other reports, and resolves once delivery was attempted, after at most 2 s. Does not wait
   * while the host is known to be down.
   */
  async recordAndSend(report: HealthReport): Promise<void> {
    const stored = await this.#add(report);
    const attempted = new Promise<void>((onAttempted) => {
      this.#queue.unshift({ ...stored, onAttempted });
    });
    this.#startWorkers();
    if (this.#breaker.isOpen()) return;
    await waitAtMost(this.deps.clock, MAX_WAIT_MS, attempted);
  }

  /**
   * Before the exit: waits for the rest for at most `maxWaitMs`, less if the host does not respond. A later run sends what
   * is left. The counts are of the reports recorded here.
   */
  async finish(maxWaitMs = MAX_WAIT_MS): Promise<{ sent: number; waiting: number }> {
    await this.#drain(maxWaitMs);
    this.#stopping.abort();
    await waitAtMost(this.deps.clock, MAX_PROBE_WAIT_MS, Promise.all(this.#workers));
    this.#stopping = new AbortController();
    this.#emptyQueue();
    this.#store.forgetList();
    await this.#statistics.flush();
    const { ownSent: sent, ownWaiting: waiting } = this.#counts;
    Object.assign(this.#counts, { ownSent: 0, ownWaiting: 0 });
    return { sent, waiting };
  }

  /**
   * Sends the waiting reports now, the first as a probe if the host counts as down. Resolves when all are sent or held by
   * other processes, when the host is down, or when the signal is aborted.
   */
  async flush(signal?: AbortSignal): Promise<{ sent: number; givenUp: number }> {
    await this.#breaker.makeProbeDue();
    this.#startWorkers();
    while (this.#workers.size > 0 && signal?.aborted !== true)
      await waitAtMost(this.deps.clock, POLL_MS, Promise.all(this.#workers));
    const { sent, givenUp } = this.#counts;
    return { sent, givenUp };
  }

  async #add(report: HealthReport): Promise<LockedReport> {
    const valid = validReport(report);
    const { url, duration: durationMs, ...rest } = valid;
    const atMs = Math.max(0, Math.round(this.deps.clock.wallMs()));
    this.#statistics.add({ loads: [{ atMs, node: new URL(url).host, durationMs, ...rest }] });
    this.#counts.ownWaiting += 1;
    if (this.#queue.length >= MAX_QUEUED) this.#emptyQueue();
    return this.#store.add(valid, atMs);
  }

  #startWorkers(): void {
    const waiting = this.#queue.length + this.#store.maxWaiting;
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
    for (;;) {
      const pauseMs = this.#resumeAtMs - this.deps.clock.monotonicMs();
      if (pauseMs > 0) await this.deps.clock.sleep(pauseMs, signal).catch(() => undefined);
      const next = await this.#next(signal);
      if (!next) return;
      if (!(await this.#breaker.mayRequest())) {
        this.#queue.push(next);
        this.#emptyQueue();
        return;
      }
      await this.#deliver(next, signal);
    }
  }

  async #next(signal: AbortSignal): Promise<QueuedReport | undefined> {
    while (!signal.aborted) {
      const queued = this.#queue.shift();
      if (queued) return queued;
      if (!this.#store.isListed) {
        // Takes too long while the host is down.
        if (this.#breaker.isBlocked()) return undefined;
        this.#store.list();
        this.#startWorkers();
      }
      const taken = await this.#store.take();
      if (taken !== 'not-available') return taken;
    }
    return undefined;
  }

  async #deliver(next: QueuedReport, signal: AbortSignal): Promise<void> {
    this.#contact.firstRequestMs ??= this.deps.clock.monotonicMs();
    const result = await this.deps.send(next.report, signal).then(classifyStatus, classifyError);
    if (result.kind === 'accepted' || result.kind === 'rejected') {
      await this.#settle(next, result);
    } else {
      if (!signal.aborted) {
        this.#failuresInRow += 1;
        const delayMs = retryDelayMs(RETRY_DELAYS, this.#failuresInRow);
        this.#resumeAtMs = this.deps.clock.monotonicMs() + delayMs;
        await this.#breaker.recordFailure(result.reason, result.kind === 'unavailable');
      }
      this.#queue.unshift(next);
      if (signal.aborted) this.#emptyQueue();
    }
    next.onAttempted?.();
  }

  async #settle(next: QueuedReport, result: DeliveryResult): Promise<void> {
    next.remove();
    if (next.isOwn) this.#counts.ownWaiting -= 1;
    if (result.kind === 'accepted') {
      this.#counts.sent += 1;
      if (next.isOwn) this.#counts.ownSent += 1;
      this.#statistics.add({ sent: 1, lastSentAtMs: Math.round(this.deps.clock.wallMs()) });
    } else {
      this.#counts.givenUp += 1;
      this.#statistics.add({ givenUp: 1, reasons: { [result.reason]: 1 } });
    }
    this.#failuresInRow = 0;
    this.#resumeAtMs = 0;
    this.#contact.hasResponded = true;
    await this.#breaker.recordSuccess();
    // After a successful probe the others follow.
    this.#startWorkers();
  }

  /** Leaves queued reports in the spool, for when the host is back. */
  #emptyQueue(): void {
    for (const queued of this.#queue.splice(0)) {
      queued.release();
      queued.onAttempted?.();
      this.#store.forgetList();
    }
  }

  /** Waits until nothing is being sent, as long as a response is likely. */
  async #drain(maxWaitMs: number): Promise<void> {
    const { clock } = this.deps;
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
