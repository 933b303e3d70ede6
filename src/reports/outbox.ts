/**
 * The outbox of health reports: each is written to a journal before it is sent, and marked when the network's
 * host has taken it. Sending goes on beside the downloads, a few at a time; a host that is slow or dead holds
 * nobody up, and what it did not take is sent by the next run. A kill costs no report, and at worst sends again
 * those that were under way at that moment.
 */
import { join } from 'node:path';
import type { Clock } from '../kernel/clock.js';
import { checkedReport, type HealthReport } from './health-report.js';
import { holdJournals, type HeldJournals } from './journal-slots.js';
import type { Journal } from './journal.js';
import { waitAtMost } from './patience.js';
import { ReportSender, type FlushResult, type SendReport } from './sender.js';

/**
 * Where the outbox lives inside the state folder. Each report host has its own, so that what was loaded from a
 * practice service is never reported to the live one.
 */
export function outboxFolder(stateFolder: string, networkUrl: URL): string {
  const { host, pathname } = networkUrl;
  const name = `${host}${pathname}`.replace(/[^\w.-]+/g, '_').replace(/_$/, '');
  return join(stateFolder, 'outbox', name);
}

export interface Reports {
  /**
   * Journals the report and sends it beside whatever goes on. Resolves once it is journalled. Throws for
   * something that is no right report, and for nothing else.
   */
  record(report: HealthReport): Promise<void>;
  /**
   * The same for a failed load, ahead of the others; waits until its delivery was tried, at most `withinMs`
   * (2,000), and not at all while the host is known to be down.
   */
  attempt(report: HealthReport, withinMs?: number): Promise<void>;
  /**
   * Before the exit: waits for the rest, at most `withinMs` (2,000), and less where the host shows no life; then
   * closes the journals. What is left goes with the next run. The numbers are of this run's own reports.
   */
  finish(withinMs?: number): Promise<{ sent: number; waiting: number }>;
}

export interface OutboxParts {
  /** The outbox's own folder; made where it is missing. */
  readonly folder: string;
  readonly clock: Clock;
  /** Sends one report; resolves with the answer's status. */
  readonly send: SendReport;
  /** Told, once, that the journal cannot be used, so that reports are sent from memory alone. */
  readonly onTrouble?: (error: unknown) => void;
  readonly random?: () => number;
}

/** What an exit may wait for the last reports, and a failed load for its own. */
const PATIENCE_MS = 2_000;

/** Opens the outbox and begins to send what earlier runs left behind. Never throws. */
export function openOutbox(parts: OutboxParts): Outbox {
  return new Outbox(parts);
}

export class Outbox implements Reports {
  #held: Promise<HeldJournals> | undefined;
  readonly #sender: ReportSender;
  #troubled = false;

  constructor(private readonly parts: OutboxParts) {
    this.#sender = new ReportSender(parts);
    void this.#open();
  }

  async record(report: HealthReport): Promise<void> {
    await this.#journal(report, false);
  }

  async attempt(report: HealthReport, withinMs = PATIENCE_MS): Promise<void> {
    const { tried } = await this.#journal(report, true);
    if (await this.#sender.isHostDown()) return;
    await waitAtMost(this.parts.clock, withinMs, tried);
  }

  async finish(withinMs = PATIENCE_MS): Promise<{ sent: number; waiting: number }> {
    const held = await this.#open();
    await this.#sender.drain(withinMs);
    const count = this.#sender.ownCount();
    await this.#sender.stop();
    this.#held = undefined;
    await closeAll(held, (error) => {
      this.#tellTrouble(error);
    });
    return count;
  }

  /**
   * Sends what waits now, whether or not the host is thought to be down: one report finds out. Returns when all
   * is sent, when the host turns out to be down, or when the signal ends it. `finish` is still to be called.
   */
  async flush(signal?: AbortSignal): Promise<FlushResult> {
    await this.#open();
    return this.#sender.flush(signal);
  }

  async #journal(report: HealthReport, urgent: boolean): Promise<{ tried: Promise<void> }> {
    const checked = checkedReport(report);
    const { own } = await this.#open();
    const due = await own.add(checked, this.parts.clock.wallMs());
    return { tried: this.#sender.enqueue({ journal: own, due, own: true }, urgent) };
  }

  #open(): Promise<HeldJournals> {
    this.#held ??= this.#hold();
    return this.#held;
  }

  async #hold(): Promise<HeldJournals> {
    const held = await holdJournals(this.parts.folder, (error) => {
      this.#tellTrouble(error);
    });
    const older = journalsOf(held).flatMap((journal) =>
      [...journal.state.waiting.values()].map((due) => ({ journal, due, own: false })),
    );
    this.#sender.start(older);
    return held;
  }

  #tellTrouble(error: unknown): void {
    if (this.#troubled) return;
    this.#troubled = true;
    this.parts.onTrouble?.(error);
  }
}

function journalsOf(held: HeldJournals): readonly Journal[] {
  return [held.own, ...held.adopted];
}

async function closeAll(held: HeldJournals, onTrouble: (error: unknown) => void): Promise<void> {
  for (const journal of journalsOf(held)) await journal.close().catch(onTrouble);
}
