/**
 * The journals of a report host: this process writes to one, and settles what ended processes left in theirs. Without a
 * usable folder, reports are kept in memory.
 */
import { join } from 'node:path';
import type { Clock } from '../../core/clock.js';
import { openJournals, readJournals, type Journal, type JournalEntry } from '../../core/journal.js';
import type { HealthReport } from './health-report.js';
import {
  compactedLines,
  lastLoadId,
  loadLine,
  waitingReports,
  type Outcome,
  type WaitingReport,
} from './report-journal.js';

/** An older report is of no use to the network. */
export const MAX_AGE_MS = 24 * 60 * 60_000;

export interface StoredReport extends WaitingReport {
  /** Undefined if it is in memory only. */
  readonly journal: Journal | undefined;
  /** Whether this run recorded it. */
  readonly isOwn: boolean;
}

export interface ReportStoreOptions {
  /** See reportsFolder. Created if missing. */
  readonly folder: string;
  readonly clock: Clock;
  /** Called once if reports cannot be stored and are sent from memory. */
  readonly onStorageError?: (error: unknown) => void;
}

/** Each report host has its own folder, so that loads from a practice service are never reported to the live one. */
export function reportsFolder(stateFolder: string, networkUrl: URL): string {
  const { host, pathname } = networkUrl;
  const name = `${host}${pathname}`.replace(/[^\w.-]+/g, '_').replace(/_$/, '');
  return join(stateFolder, 'health-reports', name);
}

/** The reports of all processes that wait. Takes no locks. */
export function readWaiting(folder: string): WaitingReport[] {
  return readJournals(folder).flatMap(({ entries }) => waitingReports(entries));
}

/** Never rejects. */
export async function openReportStore(options: ReportStoreOptions): Promise<ReportStore> {
  try {
    return new ReportStore(options, await openJournals(options.folder));
  } catch (error) {
    options.onStorageError?.(error);
    return new ReportStore(options, []);
  }
}

export class ReportStore {
  /** What ended processes left, the oldest first. */
  readonly earlier: readonly StoredReport[];
  /** Own reports that wait in memory until the journal can be written. */
  readonly #unwritten = new Set<StoredReport>();
  #nextId: number;
  #hasFailed = false;

  constructor(
    private readonly options: ReportStoreOptions,
    private readonly journals: readonly Journal[],
  ) {
    const contents = journals.map((journal) => journal.read().entries);
    this.#nextId = lastLoadId(contents[0] ?? []) + 1;
    const waiting = contents.flatMap((entries, index) =>
      waitingReports(entries).map((report) => ({
        ...report,
        journal: journals[index],
        isOwn: false,
      })),
    );
    waiting.sort((a, b) => a.atMs - b.atMs);
    const firstAtMs = options.clock.wallMs() - MAX_AGE_MS;
    this.earlier = waiting.filter(({ atMs }) => atMs >= firstAtMs);
    for (const report of waiting)
      if (report.atMs < firstAtMs) this.settle(report, 'dropped', 'too old');
  }

  /** How many own reports would be lost if the process ended now. */
  get unwritten(): number {
    return this.#unwritten.size;
  }

  /** Stores the report or, if that fails, keeps it in memory. `atMs` is when the load ended, in whole milliseconds. */
  add(report: HealthReport, atMs: number): StoredReport {
    const stored = { id: this.#nextId, report, atMs, journal: this.journals[0], isOwn: true };
    this.#nextId += 1;
    this.#unwritten.add(stored);
    this.#append(stored.journal, loadLine(stored));
    return stored;
  }

  /** Records what became of a report. */
  settle(stored: StoredReport, outcome: Outcome, reason?: string): void {
    const { id, journal } = stored;
    this.#unwritten.delete(stored);
    this.#append(journal, { done: id, outcome, atMs: wholeMs(this.options.clock), reason });
  }

  close(): void {
    for (const journal of this.journals) journal.close();
  }

  #append(journal: Journal | undefined, line: JournalEntry): void {
    try {
      journal?.append([line]);
    } catch (error) {
      if (!this.#hasFailed) this.options.onStorageError?.(error);
      this.#hasFailed = true;
      return;
    }
    // The own journal wrote the lines that waited too.
    if (journal && journal === this.journals[0]) this.#unwritten.clear();
    if (journal?.isLarge) void journal.compact(compactedLines);
  }
}

/** The time of the wall clock as the journals record it. */
export function wholeMs(clock: Pick<Clock, 'wallMs'>): number {
  return Math.max(0, Math.round(clock.wallMs()));
}
