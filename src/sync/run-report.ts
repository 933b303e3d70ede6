/** The report of a run: what becomes of each title, for the summary, the state and the hooks. */
import type { TankobonError } from '../core/errors.js';
import { SERIES_COUNTS, type SeriesReport } from './sync-events.js';
import { findById } from './find-subscription.js';
import { NO_ID } from './hook-notices.js';
import type { RunFailure } from './sync-lines.js';
import { outputOf } from './sync-request.js';
import type { SyncReport, SyncSession } from './sync-session.js';

/** Without what the run before has reported in the same words. */
export function noticesOf(report: SyncReport, { journal, notices, options, context }: SyncSession) {
  const { lastRun } = journal.state;
  const before = new Set(lastRun?.failures?.map(withoutRequestId));
  const lasting = report.failures.filter((failure) => before.has(withoutRequestId(failure)));
  const { stoppedBy } = report;
  if (stoppedBy && !['interrupted', lastRun?.stopped].includes(stoppedBy.code)) {
    const folder = outputOf({}, options.file, context.settings);
    notices.addFailure('', { id: NO_ID, name: 'tankobon sync', folder }, stoppedBy);
  }
  return notices.updates(new Set(lasting.map(({ target }) => target)));
}

function withoutRequestId({ target, message }: RunFailure): string {
  return `${target} ${message.replace(/ \(X-Request-ID: [^)]*\)/g, '')}`;
}

export function emptyReport(startedAtMs: number): SyncReport {
  return {
    startedAtMs,
    endedAtMs: startedAtMs,
    series: [],
    totals: { new: 0, replaced: 0, skipped: 0, failed: 0 },
    titles: 0,
    errors: [],
    failures: [],
    notStarted: 0,
    stoppedBy: undefined,
    reports: { sent: 0, waiting: 0 },
  };
}

/** A title or a list that is not available. */
export function addFailure(
  target: string,
  error: TankobonError,
  report: SyncReport,
  { listeners, journal, notices, options, context, subscriptions }: SyncSession,
): void {
  const { code, message } = error;
  const id = target.replace(/^\w+:/, '');
  const subscription =
    subscriptions.series.find(({ text }) => text === target) ??
    findById(id, subscriptions.series, journal.state);
  const name = journal.state.titles[id]?.name ?? subscription?.title;
  report.errors.push(error);
  report.failures.push({ target, name, message });
  const folder = outputOf({}, options.file, context.settings);
  notices.addFailure(target, { id, name: name ?? target, folder }, error);
  listeners.observe({ type: 'target-failed', target, name, reason: code, message, error });
}

export function addSeries(
  series: SeriesReport,
  report: SyncReport,
  { listeners }: SyncSession,
): void {
  report.series.push(series);
  for (const name of SERIES_COUNTS) report.totals[name] += series[name];
  const { titleId, waiting, ...counts } = series;
  listeners.observe({ type: 'series-synced', ...counts, title: titleId, waiting: waiting.length });
}

/** The state keeps no more. */
const MAX_FAILURES = 100;

export function recordRun(report: SyncReport, { journal }: SyncSession): void {
  const { startedAtMs, endedAtMs, totals, stoppedBy, failures } = report;
  const { new: saved, ...counts } = totals;
  journal.add({
    run: {
      startedAtMs,
      endedAtMs,
      saved,
      ...counts,
      stopped: stoppedBy?.code,
      failures: failures.slice(0, MAX_FAILURES),
    },
  });
}
