/** What `tankobon report-status` shows. Takes no locks. */
import { readCircuitState, resetCircuit, type CircuitState } from './circuit-breaker.js';
import { loadEndMs, Spool, spoolFolder } from './spool.js';
import { readStatistics, removeStatistics, type Statistics } from './statistics-log.js';
import {
  metricsByNode,
  metricsOverTime,
  type NodeMetrics,
  type IntervalMetrics,
} from './statistics.js';

export interface ReportStatus extends Readonly<Omit<Statistics, 'loads' | 'lastSentAtMs'>> {
  readonly waiting: number;
  readonly oldestWaitingAgeMs?: number;
  /** By the wall clock. */
  readonly lastSentAtMs?: number;
  readonly host: {
    /** `down`: the circuit breaker is open, and at most one report a minute is tried. */
    readonly state: 'well' | 'down';
    readonly lastError?: CircuitState['lastError'];
  };
  readonly nodes: readonly NodeMetrics[];
  readonly overTime: readonly IntervalMetrics[];
  /** Damaged lines of the statistics, which were skipped. */
  readonly damagedLines: number;
}

const TIME_INTERVALS = 48;

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
    oldestWaitingAgeMs: oldest === undefined ? undefined : Math.max(0, nowMs - loadEndMs(oldest)),
    lastSentAtMs: lastSentAtMs || undefined,
    host: { state: lastTryMs === undefined ? 'well' : 'down', lastError },
    nodes: metricsByNode(loads),
    overTime: metricsOverTime(loads, TIME_INTERVALS),
    damagedLines,
  };
}

/** Deletes all reports and statistics except reports being sent, whose number is `inUse`. */
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
