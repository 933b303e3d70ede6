/** What `tankobon report-status` shows and clears. */
import { accessSync, constants, statSync } from 'node:fs';
import { readCircuitState, resetCircuit } from './reports/circuit-breaker.js';
import { recordedLoad, sumReports, waitingReports } from './reports/report-journal.js';
import { metricsByNode, metricsOverTime, type ReportStatus } from './reports/report-status.js';
import { readWaiting, reportsFolder } from './reports/report-store.js';
import type { AppContext } from '../config/context.js';
import { readAddresses } from '../config/service-addresses.js';
import { adoptJournals, readJournals } from '../core/journal.js';

export { hostStateOf } from './reports/report-status.js';

type ReportContext = Pick<AppContext, 'paths' | 'settings' | 'clock'>;

const folderOf = ({ paths, settings }: ReportContext): string =>
  reportsFolder(paths.state, readAddresses(settings).networkUrl);

const TIME_INTERVALS = 48;

/** The status for the report host of the settings. Takes no locks. Throws the error of a folder that cannot be read. */
export function readReportStatus(context: ReportContext): ReportStatus {
  return reportStatusIn(folderOf(context), context.clock.wallMs());
}

/** A missing folder is empty. */
export function reportStatusIn(folder: string, nowMs: number): ReportStatus {
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
export function clearReports(context: ReportContext): ReturnType<typeof clearReportsIn> {
  return clearReportsIn(folderOf(context));
}

export async function clearReportsIn(
  folder: string,
): Promise<{ readonly isInUse: boolean; readonly inUse: number }> {
  for (const journal of await adoptJournals(folder)) journal.remove();
  const isInUse = readJournals(folder).length > 0;
  if (!isInUse) resetCircuit(folder);
  return { isInUse, inUse: readWaiting(folder).length };
}

/** The status as an HTML page, whose code is loaded only then. */
export async function reportPage(status: ReportStatus, nowMs: number): Promise<string> {
  const { pageOf } = await import('./reports/report-page.js');
  return pageOf(status, nowMs);
}
