/** What `tankobon report-status` shows. Takes no locks. */
import { accessSync, constants, statSync } from 'node:fs';
import { readCircuitState, resetCircuit, type CircuitState } from './reports/circuit-breaker.js';
import { recordedLoad, sumReports, waitingReports } from './reports/report-journal.js';
import { readWaiting } from './report-store.js';
import { adoptJournals, readJournals } from '../core/journal.js';
import {
  metricsByNode,
  metricsOverTime,
  type NodeMetrics,
  type IntervalMetrics,
} from './statistics.js';

export interface ReportStatus {
  readonly sent: number;
  /** Refused by the report host. */
  readonly givenUp: number;
  readonly dropped: number;
  /** Reports given up or dropped, by reason. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly waiting: number;
  readonly oldestWaitingAgeMs?: number;
  /** By the wall clock. */
  readonly lastSentAtMs?: number;
  readonly host: {
    /** `down`: the circuit breaker is open, and at most one report a minute is tried. */
    readonly state: 'up' | 'down';
    readonly lastError?: CircuitState['lastError'];
  };
  readonly nodes: readonly NodeMetrics[];
  readonly overTime: readonly IntervalMetrics[];
  /** Damaged lines of the statistics, which were skipped. */
  readonly damagedLines: number;
}

const TIME_INTERVALS = 48;

/** `folder` is that of one report host (reportsFolder); a missing one is empty. Throws the error of an unreadable one. */
export function readReportStatus(folder: string, nowMs: number): ReportStatus {
  // The journals of an unreadable folder count as none: a download continues without them.
  if (statSync(folder, { throwIfNoEntry: false })) accessSync(folder, constants.R_OK);
  const contents = readJournals(folder);
  const { lastSentAtMs, loads: settledLoads, damagedLines, ...counts } = sumReports(contents);
  const waiting = contents.flatMap(({ entries }) => waitingReports(entries));
  const loads = [...settledLoads, ...waiting.map(recordedLoad)];
  const { lastTryMs, lastError } = readCircuitState(folder);
  const oldestAtMs = waiting.map(({ atMs }) => atMs).reduce((a, b) => Math.min(a, b), Infinity);
  return {
    ...counts,
    waiting: waiting.length,
    oldestWaitingAgeMs: waiting.length > 0 ? Math.max(0, nowMs - oldestAtMs) : undefined,
    lastSentAtMs: lastSentAtMs || undefined,
    host: { state: lastTryMs === undefined ? 'up' : 'down', lastError },
    nodes: metricsByNode(loads),
    overTime: metricsOverTime(loads, TIME_INTERVALS),
    damagedLines,
  };
}

/** Deletes all reports and statistics except those of running processes, of which `inUse` reports wait. */
export async function clearReports(
  folder: string,
): Promise<{ readonly isInUse: boolean; readonly inUse: number }> {
  for (const journal of await adoptJournals(folder)) journal.remove();
  const isInUse = readJournals(folder).length > 0;
  if (!isInUse) resetCircuit(folder);
  return { isInUse, inUse: readWaiting(folder).length };
}
