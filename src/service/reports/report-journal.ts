/**
 * The lines of a report journal: a load, what became of its report, and the sums that a compaction leaves of both. What
 * waits and the statistics are folds over them.
 */
import * as z from 'zod';
import type { JournalContent, JournalEntry } from '../../core/journal.js';
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
/** The values of a RecordedLoad: short, since there are thousands. */
const loadValuesSchema = z.tuple([count, z.string(), z.boolean(), count, count, z.boolean()]);
type LoadValues = z.infer<typeof loadValuesSchema>;
const sumsSchema = z.object({
  sums: z.object({
    sent: count,
    givenUp: count,
    dropped: count,
    reasons: z.record(z.string(), count),
    lastSentAtMs: count,
    loads: z.array(loadValuesSchema),
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

/** What the lines of journals add up to. */
export interface ReportSums {
  readonly sent: number;
  readonly givenUp: number;
  readonly dropped: number;
  /** Reports given up or dropped, by reason. */
  readonly reasons: Readonly<Record<string, number>>;
  /** By the wall clock; 0 if none was sent. */
  readonly lastSentAtMs: number;
  /** Loads whose report does not wait. */
  readonly loads: readonly RecordedLoad[];
  readonly damagedLines: number;
}

/** The reports of one journal that wait. Cheap, since every run needs it: settled loads are not looked at. */
export function waitingReports(entries: readonly JournalEntry[]): WaitingReport[] {
  const done = new Set(entries.map((entry) => entry['done']));
  const waiting = new Map<number, WaitingReport>();
  for (const entry of entries) {
    if (!('load' in entry) || done.has(entry['load'])) continue;
    const { data } = loadSchema.safeParse(entry);
    if (data && !waiting.has(data.load)) waiting.set(data.load, toWaiting(data));
  }
  return [...waiting.values()];
}

/** The highest number of a load in one journal; 0 if there is none. */
export function lastLoadId(entries: readonly JournalEntry[]): number {
  return entries.reduce((last, { load, done }) => {
    const id = load ?? done;
    return typeof id === 'number' && id > last ? id : last;
  }, 0);
}

export function sumReports(contents: readonly JournalContent[]): ReportSums {
  const counts = { sent: 0, givenUp: 0, dropped: 0 };
  const reasons: Record<string, number> = {};
  const loads: RecordedLoad[] = [];
  let lastSentAtMs = 0;
  let damagedLines = 0;
  const addReason = (reason: string, times: number): void => {
    reasons[reason] = (reasons[reason] ?? 0) + times;
  };
  for (const { entries, damagedLines: damaged } of contents) {
    const loaded = new Map<number, WaitingReport>();
    const done = new Set<number>();
    damagedLines += damaged;
    for (const entry of entries) {
      const { data } = schemaOf(entry).safeParse(entry);
      if (!data) damagedLines += 1;
      else if ('load' in data) loaded.set(data.load, toWaiting(data));
      else if ('sums' in data) {
        for (const outcome of outcomeSchema.options) counts[outcome] += data.sums[outcome];
        for (const [reason, times] of Object.entries(data.sums.reasons)) addReason(reason, times);
        lastSentAtMs = Math.max(lastSentAtMs, data.sums.lastSentAtMs);
        for (const values of data.sums.loads) loads.push(loadOf(values));
      } else if (!done.has(data.done)) {
        done.add(data.done);
        counts[data.outcome] += 1;
        if (data.outcome === 'sent') lastSentAtMs = Math.max(lastSentAtMs, data.atMs);
        if (data.reason !== undefined) addReason(data.reason, 1);
      }
    }
    for (const id of done) {
      const report = loaded.get(id);
      if (report) loads.push(recordedLoad(report));
    }
  }
  return { ...counts, reasons, lastSentAtMs, loads, damagedLines };
}

/** A union would try each schema, and describe what is wrong for it. */
function schemaOf(entry: JournalEntry) {
  if ('load' in entry) return loadSchema;
  return 'done' in entry ? doneSchema : sumsSchema;
}

/** The lines of a compacted journal. */
export function compactedLines(content: JournalContent): JournalEntry[] {
  const { sent, givenUp, dropped, reasons, lastSentAtMs, loads } = sumReports([content]);
  const lastLoads = loads.slice(-MAX_LOADS).map(valuesOf);
  const sums = { sent, givenUp, dropped, reasons, lastSentAtMs, loads: lastLoads };
  return [{ sums }, ...waitingReports(content.entries).map(loadLine)];
}

export function loadLine({ id, report, atMs }: WaitingReport): JournalEntry {
  return { load: id, atMs, ...report };
}

function toWaiting({ load: id, atMs, ...report }: z.infer<typeof loadSchema>): WaitingReport {
  return { id, report, atMs };
}

export function recordedLoad({ report, atMs }: WaitingReport): RecordedLoad {
  const { url, duration: durationMs, ...rest } = report;
  return { atMs, node: new URL(url).host, durationMs, ...rest };
}

function valuesOf(load: RecordedLoad): LoadValues {
  return [load.atMs, load.node, load.success, load.bytes, load.durationMs, load.cached];
}

function loadOf([atMs, node, success, bytes, durationMs, cached]: LoadValues): RecordedLoad {
  return { atMs, node, success, bytes, durationMs, cached };
}
