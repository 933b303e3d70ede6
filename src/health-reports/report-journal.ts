/**
 * The lines of a report journal: a load, what became of its report, and the sums that a compaction leaves of both. What
 * waits and the statistics are folds over them.
 */
import * as z from 'zod';
import type { JournalContent, JournalEntry } from '../core/journal.js';
import { healthReportSchema, type HealthReport } from './health-report.js';

/** Loads that a compacted journal keeps for the statistics. */
export const MAX_LOADS = 5_000;

const count = z.number().int().nonnegative();
const loadSchema = healthReportSchema.extend({
  /** The number of the load in its journal. */
  load: count,
  /** When it ended, by the wall clock. */
  atMs: count,
});
const outcomeSchema = z.enum(['sent', 'givenUp', 'dropped']);
const doneSchema = z.object({
  /** The number of the load. */
  done: count,
  outcome: outcomeSchema,
  atMs: count,
  reason: z.string().optional(),
});
const sumsSchema = z.object({
  sums: z.object({
    sent: count,
    givenUp: count,
    dropped: count,
    reasons: z.record(z.string(), count),
    lastSentAtMs: count,
    /** Short, since there are thousands: the values of a RecordedLoad. */
    loads: z.array(z.tuple([count, z.string(), z.boolean(), count, count, z.boolean()])),
  }),
});

/** What became of a report. `givenUp`: the report host refused it. */
export type Outcome = z.infer<typeof outcomeSchema>;

export interface RecordedLoad {
  /** When the load ended, by the wall clock. */
  readonly atMs: number;
  /** The host of the node, with its port. */
  readonly node: string;
  readonly success: boolean;
  readonly bytes: number;
  readonly durationMs: number;
  readonly cached: boolean;
}

export interface WaitingReport {
  /** The number of the load in its journal. */
  readonly id: number;
  readonly report: HealthReport;
  readonly atMs: number;
}

/** What the lines of one or several journals add up to. */
export class ReportFold {
  readonly counts = { sent: 0, givenUp: 0, dropped: 0 };
  /** Reports given up or dropped, by reason. */
  readonly reasons: Record<string, number> = {};
  /** By the wall clock; 0 if none was sent. */
  lastSentAtMs = 0;
  readonly waiting: WaitingReport[] = [];
  damagedLines = 0;
  /** The highest number of a load. */
  lastId = 0;
  readonly #settledLoads: RecordedLoad[] = [];

  /** Adds the lines of one journal. */
  add({ entries, damagedLines }: JournalContent): this {
    const loads = new Map<number, WaitingReport>();
    const done = new Set<number>();
    const known = entries.filter((entry) => {
      if ('load' in entry) return addLoad(entry, loads);
      return 'done' in entry ? this.#addDone(entry, done) : this.#addSums(entry);
    });
    this.damagedLines += damagedLines + entries.length - known.length;
    for (const id of [...loads.keys(), ...done]) this.lastId = Math.max(this.lastId, id);
    for (const [id, report] of loads) {
      if (done.has(id)) this.#settledLoads.push(recordedLoad(report));
      else this.waiting.push(report);
    }
    return this;
  }

  get loads(): RecordedLoad[] {
    return [...this.#settledLoads, ...this.waiting.map(recordedLoad)];
  }

  /** The lines that stand for all others in a compacted journal. */
  compacted(): JournalEntry[] {
    const loads = this.#settledLoads.slice(-MAX_LOADS).map(valuesOf);
    const { counts, reasons, lastSentAtMs } = this;
    return [{ sums: { ...counts, reasons, lastSentAtMs, loads } }, ...this.waiting.map(loadLine)];
  }

  #addDone(entry: JournalEntry, done: Set<number>): boolean {
    const { data } = doneSchema.safeParse(entry);
    if (!data || done.has(data.done)) return false;
    const { outcome, atMs, reason } = data;
    done.add(data.done);
    this.counts[outcome] += 1;
    if (outcome === 'sent') this.lastSentAtMs = Math.max(this.lastSentAtMs, atMs);
    if (reason !== undefined) this.#addReason(reason, 1);
    return true;
  }

  #addSums(entry: JournalEntry): boolean {
    const { data } = sumsSchema.safeParse(entry);
    if (!data) return false;
    const { reasons, lastSentAtMs, loads, ...counts } = data.sums;
    for (const outcome of outcomeSchema.options) this.counts[outcome] += counts[outcome];
    this.lastSentAtMs = Math.max(this.lastSentAtMs, lastSentAtMs);
    for (const [reason, times] of Object.entries(reasons)) this.#addReason(reason, times);
    for (const [atMs, node, success, bytes, durationMs, cached] of loads)
      this.#settledLoads.push({ atMs, node, success, bytes, durationMs, cached });
    return true;
  }

  #addReason(reason: string, times: number): void {
    this.reasons[reason] = (this.reasons[reason] ?? 0) + times;
  }
}

export function loadLine({ id, report, atMs }: WaitingReport): JournalEntry {
  return { load: id, atMs, ...report };
}

function addLoad(entry: JournalEntry, loads: Map<number, WaitingReport>): boolean {
  const { data } = loadSchema.safeParse(entry);
  if (!data || loads.has(data.load)) return false;
  const { load: id, atMs, ...report } = data;
  loads.set(id, { id, report, atMs });
  return true;
}

function recordedLoad({ report, atMs }: WaitingReport): RecordedLoad {
  const { url, duration: durationMs, ...rest } = report;
  return { atMs, node: new URL(url).host, durationMs, ...rest };
}

function valuesOf({ atMs, node, success, bytes, durationMs, cached }: RecordedLoad) {
  return [atMs, node, success, bytes, durationMs, cached];
}
