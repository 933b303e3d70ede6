/** What `tankobon report-status` shows, read without disturbing the processes that send. */
import { readCircuitState, resetCircuit } from './circuit-breaker.js';
import { endedAtMs } from './report-file.js';
import { Spool, spoolFolder } from './spool.js';
import { readStatistics, removeStatistics } from './statistics-log.js';
import {
  figuresByNode,
  figuresOverTime,
  type NodeFigures,
  type TimeFigures,
} from './statistics.js';

export interface ReportStatus {
  readonly sent: number;
  readonly waiting: number;
  readonly givenUp: number;
  readonly dropped: number;
  /** Reports given up or dropped, by reason. */
  readonly reasons: Readonly<Record<string, number>>;
  /** Absent when none waits. */
  readonly oldestWaitingAgeMs?: number;
  /** By the wall clock, ms since the epoch. */
  readonly lastSentAtMs?: number;
  readonly host: {
    /** `down`: the circuit breaker is open, and at most one report a minute is tried. */
    readonly state: 'well' | 'down';
    readonly lastError?: { readonly atMs: number; readonly reason: string };
  };
  readonly nodes: readonly NodeFigures[];
  readonly overTime: readonly TimeFigures[];
  /** Damaged lines of the statistics, which were skipped. */
  readonly damagedLines: number;
}

/** Parts that the time of the loads is divided into. */
const TIME_PARTS = 48;

/** `folder` is that of one report host (reportsFolder); a missing one is empty. */
export async function readReportStatus(folder: string, nowMs: number): Promise<ReportStatus> {
  const names = new Spool(spoolFolder(folder)).names();
  const { statistics, damagedLines } = await readStatistics(folder);
  const { loads, lastSentAtMs, ...counts } = statistics;
  const { lastTryMs, lastError } = readCircuitState(folder);
  const [oldest] = names;
  return {
    ...counts,
    waiting: names.length,
    ...(oldest !== undefined && { oldestWaitingAgeMs: Math.max(0, nowMs - endedAtMs(oldest)) }),
    ...(lastSentAtMs > 0 && { lastSentAtMs }),
    host: { state: lastTryMs === undefined ? 'well' : 'down', ...(lastError && { lastError }) },
    nodes: figuresByNode(loads),
    overTime: figuresOverTime(loads, TIME_PARTS),
    damagedLines,
  };
}

/** Forgets all reports and figures but the reports that are being sent; resolves with how many these are. */
export async function clearReports(folder: string): Promise<{ readonly inUse: number }> {
  const spool = new Spool(spoolFolder(folder));
  for (const name of spool.names()) {
    const held = await spool.claim(name);
    if (held !== 'damaged') held?.remove();
  }
  const inUse = spool.names().length;
  await removeStatistics(folder);
  if (inUse === 0) resetCircuit(folder);
  return { inUse };
}
