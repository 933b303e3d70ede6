/**
 * Takes reports from the waiting line to the host: at most eight at once, by the breaker's leave, with a short
 * pause after a failure that passes. Keeps the line within its bounds. Knows nothing of how a report is sent.
 */
import type { Clock } from '../kernel/clock.js';
import { Breaker } from './breaker.js';
import type { HealthReport } from './health-report.js';
import type { Ending } from './journal-line.js';
import {
  FIRST_PAUSE_MS,
  LONGEST_DOUBLING,
  MOST_IN_FLIGHT,
  MOST_WAITING,
  OLDEST_MS,
  POLL_MS,
  PROBE_PATIENCE_MS,
  SILENCE_MS,
} from './limits.js';
import { waitAtMost } from './patience.js';
import { verdictOnFailure, verdictOnStatus, type Verdict } from './verdict.js';
import { WaitingLine, type WaitingReport } from './waiting-line.js';

/** Sends one report and resolves with the answer's status; rejects where there is none. Heeds the signal. */
export type SendReport = (report: HealthReport, signal: AbortSignal) => Promise<number>;

export interface FlushResult {
  readonly sent: number;
  readonly givenUp: number;
  /** Not taken, and still there. */
  readonly waiting: number;
}

export interface SenderParts {
  readonly folder: string;
  readonly clock: Clock;
  readonly send: SendReport;
  readonly random?: () => number;
}

const NOTHING_COUNTED = { ownSent: 0, ownWaiting: 0, sent: 0, givenUp: 0, waiting: 0 };

export class ReportSender {
  readonly #line = new WaitingLine();
  readonly #breaker: Breaker;
  /** When each report under way set out, by the monotonic clock. */
  readonly #inFlight = new Map<WaitingReport, number>();
  readonly #workers = new Set<Promise<void>>();
  #stopping = new AbortController();
  #answered = false;
  #probeNow = false;
  #failuresInRow = 0;
  /** After a failure that passes nothing is sent before this, by the monotonic clock. */
  #resumeAtMs = 0;
  #counts = { ...NOTHING_COUNTED };

  constructor(private readonly parts: SenderParts) {
    this.#breaker = new Breaker(parts.folder, parts.clock);
  }

  /** Begins, with what earlier runs left behind. */
  start(older: readonly WaitingReport[]): void {
    this.#stopping = new AbortController();
    this.#line.joinOlder(older);
    this.#counts = { ...NOTHING_COUNTED, waiting: older.length };
    this.#keepBound();
    this.#pump();
  }

  /** Joins the line. The promise given back resolves when the report was tried, or will not be for now. */
  enqueue(report: WaitingReport, urgent: boolean): Promise<void> {
    const tried = new Promise<void>((resolve) => {
      report.tried = resolve;
    });
    this.#line.join(report, urgent);
    this.#counts.waiting += 1;
    this.#counts.ownWaiting += 1;
    this.#keepBound();
    this.#pump();
    return tried;
  }

  isHostDown(): Promise<boolean> {
    return this.#breaker.isOpen();
  }

  /** This run's own reports: delivered, and not yet settled. */
  ownCount(): { sent: number; waiting: number } {
    return { sent: this.#counts.ownSent, waiting: this.#counts.ownWaiting };
  }

  /** Waits until nothing waits, at most `withinMs`, and only while there is hope. */
  async drain(withinMs: number): Promise<void> {
    const { clock } = this.parts;
    const startedMs = clock.monotonicMs();
    this.#pump();
    while (!this.#isIdle()) {
      const waitedMs = clock.monotonicMs() - startedMs;
      if (waitedMs >= withinMs || (await this.#isHopeless(waitedMs))) return;
      await clock.sleep(Math.min(POLL_MS, withinMs - waitedMs));
    }
  }

  /** Sends all that waits, beginning with one that goes whatever the breaker says. */
  async flush(signal?: AbortSignal): Promise<FlushResult> {
    this.#probeNow = true;
    while (!this.#isIdle() && signal?.aborted !== true) {
      if (await this.#isProbedInVain()) break;
      this.#pump();
      await this.parts.clock.sleep(POLL_MS);
    }
    this.#probeNow = false;
    const { sent, givenUp, waiting } = this.#counts;
    return { sent, givenUp, waiting };
  }

  /** Breaks off what is under way and forgets the line; the journals keep what was not settled. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await waitAtMost(this.parts.clock, PROBE_PATIENCE_MS, Promise.all(this.#workers));
    this.#line.clear();
    this.#answered = false;
  }

  async #isProbedInVain(): Promise<boolean> {
    return !this.#probeNow && this.#workers.size === 0 && (await this.#breaker.isOpen());
  }

  #isIdle(): boolean {
    return this.#counts.waiting === 0;
  }

  async #isHopeless(waitedMs: number): Promise<boolean> {
    if (await this.#breaker.isOpen()) {
      return this.#workers.size === 0 || waitedMs >= PROBE_PATIENCE_MS;
    }
    const earliestMs = Math.min(...this.#inFlight.values());
    return !this.#answered && this.parts.clock.monotonicMs() - earliestMs >= SILENCE_MS;
  }

  #pump(): void {
    const wanted = Math.min(MOST_IN_FLIGHT - this.#workers.size, this.#line.size);
    for (let started = 0; started < wanted; started += 1) {
      const worker = this.#work(this.#stopping.signal).finally(() => {
        this.#workers.delete(worker);
      });
      this.#workers.add(worker);
    }
  }

  /** Sends one report after the other while there are some and the breaker gives leave. */
  async #work(signal: AbortSignal): Promise<void> {
    while (await this.#mayGoOn(signal)) {
      const report = this.#line.next();
      if (!report) return;
      if (this.parts.clock.wallMs() - report.due.atMs > OLDEST_MS) {
        await this.#drop(report, 'too old');
        continue;
      }
      const probeNow = this.#probeNow;
      this.#probeNow = false;
      const leave = await this.#breaker.ask(probeNow);
      if (leave === 'no') {
        this.#line.putBack(report);
        this.#tellAllWillWait();
        return;
      }
      await this.#deliver(report, signal);
    }
  }

  /** Sits out the pause after a failure; false when it is time to stop. */
  async #mayGoOn(signal: AbortSignal): Promise<boolean> {
    const { clock } = this.parts;
    const pauseMs = this.#resumeAtMs - clock.monotonicMs();
    if (pauseMs > 0) await clock.sleep(pauseMs, signal).catch(() => undefined);
    return !signal.aborted;
  }

  async #deliver(report: WaitingReport, signal: AbortSignal): Promise<void> {
    this.#inFlight.set(report, this.parts.clock.monotonicMs());
    try {
      const verdict = await this.#verdict(report, signal);
      if (verdict) await this.#conclude(report, verdict);
      else this.#line.putBack(report);
    } finally {
      this.#inFlight.delete(report);
      report.tried?.();
    }
  }

  /** `undefined` where it was broken off, which says nothing of the host. */
  async #verdict(report: WaitingReport, signal: AbortSignal): Promise<Verdict | undefined> {
    try {
      return verdictOnStatus(await this.parts.send(report.due.report, signal));
    } catch (error) {
      return signal.aborted ? undefined : verdictOnFailure(error);
    }
  }

  async #conclude(report: WaitingReport, verdict: Verdict): Promise<void> {
    if (verdict.kind === 'passing' || verdict.kind === 'down') {
      this.#failuresInRow += 1;
      this.#resumeAtMs = this.parts.clock.monotonicMs() + this.#pauseMs();
      await this.#breaker.hear(verdict);
      this.#line.putBack(report);
      return;
    }
    if (verdict.kind === 'taken') await this.#settle(report, 'sent');
    else await this.#settle(report, 'given-up', verdict.reason);
    this.#failuresInRow = 0;
    this.#resumeAtMs = 0;
    this.#answered = true;
    await this.#breaker.hear(verdict);
    // After a probe that went well the others may go too.
    this.#pump();
  }

  async #settle(report: WaitingReport, ending: Ending, reason?: string): Promise<void> {
    const { journal, due, own } = report;
    const marked = journal.settle(due.id, ending, this.parts.clock.wallMs(), reason);
    this.#counts.waiting -= 1;
    if (own) this.#counts.ownWaiting -= 1;
    if (ending === 'sent') this.#counts.sent += 1;
    if (ending === 'sent' && own) this.#counts.ownSent += 1;
    if (ending === 'given-up') this.#counts.givenUp += 1;
    await marked;
  }

  #keepBound(): void {
    while (this.#counts.waiting > MOST_WAITING) {
      const oldest = this.#line.oldest();
      if (!oldest) return;
      void this.#drop(oldest, 'too many');
    }
  }

  async #drop(report: WaitingReport, reason: string): Promise<void> {
    await this.#settle(report, 'dropped', reason);
    report.tried?.();
  }

  #tellAllWillWait(): void {
    for (const report of this.#line.all()) report.tried?.();
  }

  #pauseMs(): number {
    const random = this.parts.random ?? Math.random;
    const longestMs = FIRST_PAUSE_MS * 2 ** Math.min(this.#failuresInRow - 1, LONGEST_DOUBLING);
    return longestMs * (0.5 + random() / 2);
  }
}
