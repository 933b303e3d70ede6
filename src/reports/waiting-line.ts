/**
 * The reports that wait to be sent, in the order in which they go: those of failed loads, then those of this
 * run, then those that earlier runs left behind; each of these oldest first.
 */
import type { DueEntry } from './journal-line.js';
import type { Journal } from './journal.js';

export interface WaitingReport {
  readonly journal: Journal;
  readonly due: DueEntry;
  /** Recorded in this run. */
  readonly own: boolean;
  /** Called when it has been tried, or will not be for now. */
  tried?: () => void;
}

export class WaitingLine {
  readonly #urgent: WaitingReport[] = [];
  readonly #own: WaitingReport[] = [];
  readonly #older: WaitingReport[] = [];

  get size(): number {
    return this.#urgent.length + this.#own.length + this.#older.length;
  }

  /** Lets the reports of earlier runs join, in the order of their times. */
  joinOlder(reports: readonly WaitingReport[]): void {
    this.#older.push(...reports);
    this.#older.sort((one, other) => one.due.atMs - other.due.atMs);
  }

  join(report: WaitingReport, urgent: boolean): void {
    (urgent ? this.#urgent : this.#own).push(report);
  }

  /** Puts one back that was taken, so that it goes first among its kind. */
  putBack(report: WaitingReport): void {
    (report.own ? this.#own : this.#older).unshift(report);
  }

  next(): WaitingReport | undefined {
    return this.#urgent.shift() ?? this.#own.shift() ?? this.#older.shift();
  }

  /** Takes out the oldest of all. */
  oldest(): WaitingReport | undefined {
    return this.#older.shift() ?? this.#own.shift() ?? this.#urgent.shift();
  }

  /** All that wait, in no order. */
  all(): readonly WaitingReport[] {
    return [...this.#urgent, ...this.#own, ...this.#older];
  }

  clear(): void {
    for (const line of [this.#urgent, this.#own, this.#older]) line.length = 0;
  }
}
