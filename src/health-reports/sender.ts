/**
 * Sends health reports beside the downloads, at most eight at a time. Each is written to the spool first; a host
 * that is slow or down holds nobody up, and what it did not accept is sent by a later run. A kill loses no report
 * that was recorded, and repeats those that were being sent at most.
 */
import { waitAtMost, type Clock } from '../core/clock.js';
import { retryDelayMs } from '../core/retry-delay.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { classifyError, classifyStatus, type DeliveryResult } from './delivery-result.js';
import { validReport, type HealthReport, type Reports, type SendReport } from './health-report.js';
import { Spool, spoolFolder, type HeldReport } from './spool.js';
import { StatisticsLog } from './statistics-log.js';

/** Requests under way at the same time: more than pages usually are, so that reports keep up with them. */
export const MAX_IN_FLIGHT = 8;
/** Reports held for sending, each with its file open; more wait in the spool alone. */
const MAX_QUEUED = 64;
/** Stored reports after which the spool is brought back within its bounds. */
const PRUNE_EVERY = 500;

/** After temporary failures in a row. */
const RETRY_DELAYS = { firstMs: 250, maxMs: 4_000 };
/** What an exit, and a failed load, wait at most. */
const MAX_WAIT_MS = 2_000;
/** From the first request on, for a host that has not responded to any: an exit waits no longer. */
const MAX_SILENCE_MS = 1_000;
/** What an exit waits for the probe of a host that is down, and for aborted requests to end. */
const MAX_PROBE_WAIT_MS = 300;
const POLL_MS = 20;

export interface ReportSenderDeps {
  /** The folder of this report host; see reportsFolder. Made where it is missing. */
  readonly folder: string;
  readonly clock: Clock;
  readonly send: SendReport;
  /** Called once where a report cannot be stored, so that it is sent from memory. */
  readonly onStorageError?: (error: unknown) => void;
}

interface QueuedReport extends HeldReport {
  /** Called when its delivery was attempted, or is not going to be for now. */
  readonly onAttempted?: () => void;
}

export class ReportSender implements Reports {
  readonly #spool: Spool;
  readonly #breaker: CircuitBreaker;
  readonly #statistics: StatisticsLog;
  /** What is sent next. */
  readonly #queue: QueuedReport[] = [];
  /** Files of the spool that are sent after the queue, from the end; absent until the spool is listed (again). */
  #files: string[] | undefined;
  readonly #workers = new Set<Promise<void>>();
  #stopping = new AbortController();
  #firstRequestMs: number | undefined;
  #hasResponded = false;
  #failuresInRow = 0;
  #resumeAtMs = 0;
  #stored = 0;
  #counts = { ownSent: 0, ownWaiting: 0, sent: 0, givenUp: 0 };
  #hasStorageError = false;

  /** Begins to send what earlier runs left behind. */
  constructor(private readonly deps: ReportSenderDeps) {
    this.#spool = new Spool(spoolFolder(deps.folder));
    this.#breaker = new CircuitBreaker(deps.folder, deps.clock);
    this.#statistics = new StatisticsLog(deps.folder);
    this.#startWorkers();
  }

  async record(report: HealthReport): Promise<void> {
    this.#queue.push(await this.#store(report));
    this.#startWorkers();
  }

  async recordAndSend(report: HealthReport, maxWaitMs = MAX_WAIT_MS): Promise<void> {
    const held = await this.#store(report);
    const attempted = new Promise<void>((onAttempted) => {
      this.#queue.unshift({ ...held, onAttempted });
    });
    this.#startWorkers();
    if (this.#breaker.isOpen()) return;
    await waitAtMost(this.deps.clock, maxWaitMs, attempted);
  }

  async finish(maxWaitMs = MAX_WAIT_MS): Promise<{ sent: number; waiting: number }> {
    await this.#drain(maxWaitMs);
    this.#stopping.abort();
    await waitAtMost(this.deps.clock, MAX_PROBE_WAIT_MS, Promise.all(this.#workers));
    this.#stopping = new AbortController();
    this.#emptyQueue();
    this.#files = undefined;
    this.#spool.close();
    await this.#statistics.flush();
    const { ownSent: sent, ownWaiting: waiting } = this.#counts;
    this.#counts = { ...this.#counts, ownSent: 0, ownWaiting: 0 };
    return { sent, waiting };
  }

  /**
   * Sends what waits now, also where the host counts as down: the first report is the probe. Resolves when all is
   * sent that no other process is sending, when the host turns out to be down, or when the signal is aborted.
   */
  async flush(signal?: AbortSignal): Promise<{ sent: number; givenUp: number }> {
    await this.#breaker.makeProbeDue();
    this.#startWorkers();
    while (this.#workers.size > 0 && signal?.aborted !== true)
      await waitAtMost(this.deps.clock, POLL_MS, Promise.all(this.#workers));
    const { sent, givenUp } = this.#counts;
    return { sent, givenUp };
  }

  /** Writes the report to the spool; where that fails it lives in memory until it is sent. */
  async #store(report: HealthReport): Promise<HeldReport> {
    const valid = validReport(report);
    const { url, success, bytes, duration: durationMs, cached } = valid;
    const atMs = Math.max(0, Math.round(this.deps.clock.wallMs()));
    const node = new URL(url).host;
    this.#statistics.add({ loads: [{ atMs, node, success, bytes, durationMs, cached }] });
    this.#counts.ownWaiting += 1;
    if (this.#queue.length >= MAX_QUEUED) this.#emptyQueue();
    try {
      const held = await this.#spool.add(valid, atMs);
      this.#stored += 1;
      if (this.#stored % PRUNE_EVERY === 0) this.#listSpool();
      return held;
    } catch (error) {
      if (!this.#hasStorageError) this.deps.onStorageError?.(error);
      this.#hasStorageError = true;
      const nothing = () => undefined;
      return { report: valid, isOwn: true, isStored: false, remove: nothing, release: nothing };
    }
  }

  #startWorkers(): void {
    const waiting = this.#queue.length + (this.#files?.length ?? 1);
    const wanted = Math.min(MAX_IN_FLIGHT - this.#workers.size, waiting);
    for (let started = 0; started < wanted; started += 1) {
      // Started when it is counted, since it may start others itself.
      const worker = Promise.resolve(this.#stopping.signal)
        .then((signal) => this.#work(signal))
        .finally(() => this.#workers.delete(worker));
      this.#workers.add(worker);
    }
  }

  /** Sends one report after the other while there are some and the circuit breaker permits it. */
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
      if (!this.#files) {
        // Listing is linear in what waits, so not while the host is down.
        if (this.#breaker.isBlocked()) return undefined;
        const names = this.#listSpool().reverse();
        const isOwn = (name: string) => this.#spool.isOwn(name);
        this.#files = [...names.filter((name) => !isOwn(name)), ...names.filter(isOwn)];
        this.#startWorkers();
      }
      const name = this.#files.pop();
      if (name === undefined) return undefined;
      const held = await this.#spool.claim(name);
      if (held === 'damaged') this.#countDropped('damaged', this.#spool.isOwn(name));
      else if (held) return held;
    }
    return undefined;
  }

  async #deliver(next: QueuedReport, signal: AbortSignal): Promise<void> {
    this.#firstRequestMs ??= this.deps.clock.monotonicMs();
    const result = await this.deps.send(next.report, signal).then(classifyStatus, classifyError);
    if (result.kind === 'accepted' || result.kind === 'rejected') {
      await this.#settle(next, result);
    } else {
      if (!signal.aborted) await this.#pauseAfter(result);
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
    this.#hasResponded = true;
    await this.#breaker.recordSuccess();
    // A probe that succeeded lets the others go.
    this.#startWorkers();
  }

  async #pauseAfter({
    kind,
    reason,
  }: Exclude<DeliveryResult, { kind: 'accepted' }>): Promise<void> {
    this.#failuresInRow += 1;
    this.#resumeAtMs =
      this.deps.clock.monotonicMs() + retryDelayMs(RETRY_DELAYS, this.#failuresInRow);
    await this.#breaker.recordFailure(reason, kind === 'unavailable');
  }

  /** Leaves what is queued to the spool, from where it is sent when the host is back, by this process or another. */
  #emptyQueue(): void {
    for (const queued of this.#queue.splice(0)) {
      if (!queued.isStored) this.#countDropped('not stored', true);
      queued.release();
      queued.onAttempted?.();
      this.#files = undefined;
    }
  }

  /** What waits in the spool, within its bounds. */
  #listSpool(): string[] {
    const { waiting, dropped } = this.#spool.list(this.deps.clock.wallMs());
    for (const { name, reason } of dropped) this.#countDropped(reason, this.#spool.isOwn(name));
    return waiting;
  }

  #countDropped(reason: string, isOwn: boolean): void {
    this.#statistics.add({ dropped: 1, reasons: { [reason]: 1 } });
    if (isOwn) this.#counts.ownWaiting -= 1;
  }

  /** Waits until nothing is being sent, and only while that is to be expected. */
  async #drain(maxWaitMs: number): Promise<void> {
    const { clock } = this.deps;
    const startedMs = clock.monotonicMs();
    if (maxWaitMs > 0) this.#startWorkers();
    while (this.#workers.size > 0) {
      const nowMs = clock.monotonicMs();
      const isSilent =
        !this.#hasResponded && nowMs - (this.#firstRequestMs ?? nowMs) >= MAX_SILENCE_MS;
      const limitMs = this.#breaker.isOpen() ? MAX_PROBE_WAIT_MS : isSilent ? 0 : maxWaitMs;
      const leftMs = Math.min(limitMs, maxWaitMs) - (nowMs - startedMs);
      if (leftMs <= 0) return;
      await waitAtMost(clock, Math.min(POLL_MS, leftMs), Promise.all(this.#workers));
    }
  }
}
