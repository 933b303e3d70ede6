/** The report of a run: what becomes of each title, for the summary, the state and the hooks. */
import type { TankobonError } from '../core/errors.js';
import type { Chapter } from '../service/chapters.js';
import { chapterFields } from '../selection/chapter-fields.js';
import type { ChapterFields } from '../events/chapter-fields.js';
import { SERIES_COUNTS } from '../events/sync-events.js';
import { findById } from './subscriptions/find-subscription.js';
import { NO_ID, type ChapterNotice, type SeriesNotice } from './hooks/hook-payloads.js';
import { noticeOf, type TargetNotice } from './hooks/known-failures.js';
import { outputOf } from './subscriptions.js';
import type { DueTitle, SeriesReport, SyncReport, SyncSession } from './sync-session.js';

const RUN = { id: NO_ID, name: 'tankobon sync' };

/** What hooks hear besides new chapters. */
export function noticesOf(session: SyncSession): readonly TargetNotice[] {
  const { report, options, context, subscriptions } = session;
  const { stoppedBy, notices } = report;
  if (!stoppedBy || stoppedBy.code === 'interrupted') return notices;
  const folder = outputOf(subscriptions.defaults, options.file, context.settings);
  return [...notices, noticeOf(RUN.name, failureNotice({ ...RUN, folder }, stoppedBy))];
}

/** A title or a list that is not available, a book that was not written, or the run as a whole. */
export function failureNotice(
  series: SeriesNotice['series'],
  { code: reason, message }: TankobonError,
): SeriesNotice {
  return { event: 'failed', series, chapters: [], reason, message };
}

/** The chapters of a title that failed, or that were taken down; nothing if there are none. */
export function chapterNotice(
  event: SeriesNotice['event'],
  { id: titleId, label, output: folder }: DueTitle,
  releases: readonly Chapter[],
  concerned: readonly Omit<ChapterNotice, keyof ChapterFields>[],
): readonly SeriesNotice[] {
  const chapters = concerned.map(({ id, ...why }) => {
    const chapter = releases.find((each) => each.id === id);
    return { id, ...(chapter && chapterFields(chapter, label)), ...why };
  });
  const series = { id: titleId, name: label, folder };
  return chapters.length > 0 ? [{ event, series, chapters }] : [];
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
    notices: [],
    finishedTitles: new Set(),
    notStarted: 0,
    stoppedBy: undefined,
    reports: { sent: 0, waiting: 0 },
  };
}

/** A title or a list that is not available. */
export function addFailure(target: string, error: TankobonError, session: SyncSession): void {
  const { journal, options, context, subscriptions } = session;
  const id = target.replace(/^\w+:/, '');
  const subscription =
    subscriptions.series.find(({ text }) => text === target) ??
    findById(id, subscriptions.series, journal.state);
  const name = journal.state.titles[id]?.name ?? subscription?.title;
  const own = subscription ?? subscriptions.defaults;
  const folder = outputOf(own, options.file, context.settings);
  addFailureOf({ id, name: name ?? target, folder }, target, name, error, session);
}

/** An output folder that cannot be used. */
export function addFolderFailure(folder: string, error: TankobonError, session: SyncSession): void {
  session.report.totals.failed += 1;
  addFailureOf({ ...RUN, folder }, folder, undefined, error, session);
}

function addFailureOf(
  series: SeriesNotice['series'],
  target: string,
  name: string | undefined,
  error: TankobonError,
  { report, listeners }: SyncSession,
): void {
  const { code: reason, message } = error;
  report.errors.push(error);
  report.failures.push({ target, name, message });
  report.notices.push(noticeOf(target, failureNotice(series, error)));
  listeners.observe({ type: 'target-failed', target, name, reason, message, error });
}

export function addSeries(series: SeriesReport, { report, listeners }: SyncSession): void {
  report.series.push(series);
  for (const name of SERIES_COUNTS) report.totals[name] += series[name];
  const { titleId: title, name, new: saved, replaced, skipped, failed, retired } = series;
  const waiting = series.waiting.length;
  const counts = {
    new: saved,
    replaced,
    skipped,
    failed,
    waiting,
    ...(retired > 0 && { retired }),
  };
  listeners.observe({ type: 'series-synced', title, name, ...counts });
}

/** The state keeps no more. */
const MAX_FAILURES = 100;

export function recordRun({ report, journal }: SyncSession): void {
  const { startedAtMs, endedAtMs, totals, stoppedBy } = report;
  const { new: saved, ...counts } = totals;
  const failures = report.failures.slice(0, MAX_FAILURES);
  const stopped = stoppedBy?.code;
  journal.add({ run: { startedAtMs, endedAtMs, saved, ...counts, stopped, failures } });
}
