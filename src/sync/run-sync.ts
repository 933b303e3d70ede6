/** One run of `tankobon sync`: which titles have new chapters, what to download of each series, then hooks and report. */
import { isAbsolute, resolve } from 'node:path';
import { type TankobonError, UsageError } from '../core/errors.js';
import { pluralize } from '../core/human-format.js';
import { forbiddenPath, toTankobonError } from '../core/system-errors.js';
import { openDownloadArchive, type DownloadArchive } from '../download/download-archive.js';
import type { Subscriptions } from './subscriptions/subscriptions-schema.js';
import { archiveFile } from './history/history-folder.js';
import { currentTitleId, incompleteTitle, isSaved, SyncJournal } from './history.js';
import { isTolerable } from '../selection/title-loader.js';
import { shareServer } from '../config/ledger-location.js';
import type { AppContext } from '../config/context.js';
import { isInFolder } from '../config/own-folders.js';
import { withLibraryLock } from '../config/library-lock.js';
import { effectiveOptions } from '../config/options.js';
import type { TitleState } from './history/sync-lines.js';
import { SERIES_COUNTS } from '../events/sync-events.js';
import { describeTitle } from './describe-titles.js';
import { runHooks } from './hooks.js';
import { noticeOf } from './hooks/known-failures.js';
import { SyncLibraries } from './sync-libraries.js';
import { isFolderAway, isFolderError } from './folders-away.js';
import { outputsOf } from './subscriptions.js';
import { syncSeries } from './sync-series.js';
import type {
  DueTitle,
  SeriesReport,
  SyncListeners,
  SyncOptions,
  SyncReport,
  SyncSession,
} from './sync-session.js';
import { warningOnce } from '../events/warning-once.js';
import { withSession } from '../download/download-session.js';
import { checkTitles } from './sync-titles.js';
import { addFailure, addSeries, emptyReport, noticesOf, recordRun } from './run-report.js';

export { titlesOf } from './sync-titles.js';
export type { SyncOptions, SyncReport } from './sync-session.js';

/** Every failure after the start is in the report. Throws UsageError and StorageError before anything is sent. */
export async function runSync(
  context: AppContext,
  subscriptions: Subscriptions,
  options: SyncOptions,
  { observe, ...others }: SyncListeners,
  signal: AbortSignal,
): Promise<SyncReport> {
  const listeners = { ...others, observe: warningOnce(observe) };
  const { folder, maxOutage, share } = options;
  const run = effectiveOptions({ maxOutage, share }, context.settings);
  if (share !== undefined) await shareServer(context);
  const archive = await openDownloadArchive(archiveFile(folder), { mode: 0o600 });
  const newFolder = newFolderOf(subscriptions, options, context);
  if (newFolder !== undefined && !options.dryRun) await archive.removeFolder(newFolder);
  return withSession(context, run, listeners, signal, async (service) => {
    const journal = await SyncJournal.open(folder, {
      isWritten: !options.dryRun,
      warn: service.warn,
    });
    warnOfStartFolder(subscriptions, context, service.warn);
    const session: SyncSession = {
      ...service,
      options,
      subscriptions,
      history: historyOf(archive, journal, newFolder),
      foldersAway: new Set(),
      devices: new Map(),
      fullDevices: new Map(),
      libraries: new SyncLibraries(context.paths.state, service.signal, service.warn),
      journal,
      listeners,
      report: emptyReport(context.clock.wallMs()),
    };
    try {
      return await runOnce(session);
    } finally {
      await session.libraries.save();
      await journal.close();
    }
  });
}

/** A run that was killed may have recorded a saved chapter in the journal alone. */
function historyOf(
  archive: DownloadArchive,
  { state }: SyncJournal,
  newFolder: string | undefined,
): DownloadArchive {
  const isPending = (id: string) => isSaved(state.chapters.get(id)) && !archive.wasReplaced(id);
  return {
    ...archive,
    has: (id) => archive.has(id) || isPending(id),
    // A dry run does not record that the folder is new.
    hasFolder: (folder) => folder !== newFolder && archive.hasFolder(folder),
  };
}

/** The folder of `--new-folder`, absolute. Throws UsageError `bad-option` if no subscription uses it. */
function newFolderOf(
  subscriptions: Subscriptions,
  { newFolder, file }: SyncOptions,
  { settings }: AppContext,
): string | undefined {
  if (newFolder === undefined) return undefined;
  const folder = resolve(newFolder);
  const outputs = outputsOf(subscriptions, file, settings);
  if (outputs.includes(folder)) return folder;
  throw new UsageError('bad-option', `--new-folder: no subscription has this folder: ${folder}`, {
    hint: `Their folders: ${outputs.join(', ')}`,
  });
}

/** `sync add` asks for a folder. A file that was written by hand may lack it: chapters then land where cron starts. */
function warnOfStartFolder(
  { series, follows }: Subscriptions,
  { settings }: AppContext,
  warn: (message: string, hint?: string) => void,
): void {
  const all = [...(follows ? [follows.options] : []), ...series];
  if (isAbsolute(settings.output) || all.every(({ output }) => output !== undefined)) return;
  warn(
    `Subscriptions without the key output save into the folder of this run: ${resolve(settings.output)}`,
    'Say where the chapters go: add the key output to the subscriptions file, or run: tankobon config set output DIR',
  );
}

/** Throws UsageError. */
async function runOnce(session: SyncSession): Promise<SyncReport> {
  const { report, context } = session;
  const { clock, redactor } = context;
  const stop = (error: unknown): void => {
    report.stoppedBy ??= toTankobonError(error, redactor);
  };
  try {
    await syncTitles(session);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    stop(error);
  }
  report.endedAtMs = clock.wallMs();
  const notices = noticesOf(session);
  // Before the hooks, which may take a while.
  recordRun(session);
  if (!session.options.dryRun && !session.userSignal.aborted)
    await runHooks(session, notices).catch(stop);
  return report;
}

async function syncTitles(session: SyncSession): Promise<void> {
  const { report } = session;
  const { titles, due, toDescribe, failed } = await checkTitles(session);
  report.titles = titles.length;
  if (failed.length === 0) removeUnsubscribed(titles, session);
  for (const { target, error } of failed) addFailure(target, error, session);
  report.totals.failed += failed.length;
  // Machines that share the work meet less often where each takes the titles in another order.
  const ordered = session.options.share === undefined ? due : shuffled(due);
  const waiting: (() => Promise<void>)[] = [];
  let hasFailed = true;
  try {
    for (const dueTitle of ordered) {
      if (report.stoppedBy) report.notStarted += 1;
      else await attempt(dueTitle, session, () => start(dueTitle));
    }
    hasFailed = false;
  } finally {
    // By now, other machines have saved most of the chapters that they had claimed.
    for (const finishTitle of waiting) await finishTitle();
  }
  for (const each of session.options.dryRun ? [] : toDescribe)
    if (!report.stoppedBy) await attempt(each, session, () => describeTitle(each, session));

  async function start(dueTitle: DueTitle): Promise<SeriesResult | undefined> {
    const { isWaiting, finish } = await syncSeries(dueTitle, session);
    if (!isWaiting) return finish();
    const finishLater = () => finish({ isStopped: hasFailed || report.stoppedBy !== undefined });
    waiting.push(() => attempt(dueTitle, session, finishLater));
    return undefined;
  }
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

type SeriesResult = Awaited<ReturnType<Awaited<ReturnType<typeof syncSeries>>['finish']>>;

/** No file gets another name between the look at the existing ones and the end of binding. */
async function underLock<T>(
  { output }: DueTitle,
  { context, libraries, options, userSignal: signal, warn }: SyncSession,
  act: () => Promise<T>,
): Promise<T> {
  if (options.dryRun) return act();
  return withLibraryLock(output, context, { isExclusive: false, signal, warn }, (generation) => {
    libraries.enterGeneration(generation);
    return act();
  });
}

/** Reports what `act` did of a title; undefined if it is not finished. */
async function attempt(
  due: DueTitle,
  session: SyncSession,
  act: () => Promise<SeriesResult | undefined>,
): Promise<void> {
  const { journal, report } = session;
  const target = `title:${due.id}`;
  const before = journal.state.titles[due.id];
  if (await isFolderAway(due.output, session)) return;
  try {
    const result = await underLock(due, session, act);
    if (!result) return;
    const { errors, bindErrors, notStarted, stoppedBy, reports, notices, ...series } = result;
    for (const each of [...errors, ...bindErrors]) report.errors.push(each);
    for (const update of notices) report.notices.push(noticeOf(target, update));
    if (!stoppedBy) report.finishedTitles.add(target);
    const addFailed = (message: string) =>
      report.failures.push({ target, name: series.name, message });
    if (series.failed > 0)
      addFailed(`${pluralize(series.failed, 'chapter')} failed: ${errors[0]?.message ?? ''}`);
    for (const { message } of bindErrors) addFailed(`Not bound: ${message}`);
    report.notStarted += notStarted;
    if (stoppedBy && !isFolderError(stoppedBy, due.output, session)) report.stoppedBy ??= stoppedBy;
    // Without a download, what earlier titles left still waits.
    if (reports.sent + reports.waiting > 0)
      report.reports = { sent: report.reports.sent + reports.sent, waiting: reports.waiting };
    if (isNews(series, before, stoppedBy !== undefined)) addSeries(series, session);
  } catch (thrown) {
    recordThrown(thrown, due, session);
  }
  await journal.compactIfLarge();
}

/** Throws errors that concern the whole run. */
function recordThrown(thrown: unknown, due: DueTitle, session: SyncSession): void {
  const { journal, context } = session;
  const { id, label, output } = due;
  const ofFolder = toTankobonError(thrown, context.redactor);
  if (isFolderError(ofFolder, output, session)) {
    journal.addAll(incompleteTitle(id, journal.state));
    return;
  }
  const error = errorOfTitle(thrown, due, session);
  if (!error) throw thrown;
  journal.addAll(incompleteTitle(id, journal.state));
  addFailure(`title:${id}`, error, session);
  const counts = { new: 0, replaced: 0, skipped: 0, failed: 1, retired: 0 };
  addSeries({ titleId: id, name: label, ...counts, saved: [], waiting: [] }, session);
}

/** Undefined for an error of the whole run. A folder of one title may belong to another user: all others go on. */
function errorOfTitle(
  thrown: unknown,
  { output }: DueTitle,
  { context }: SyncSession,
): TankobonError | undefined {
  if (isTolerable(thrown)) return thrown;
  const path = forbiddenPath(thrown);
  const isInTitle = path !== undefined && path !== output && isInFolder(path, output);
  return isInTitle ? toTankobonError(thrown, context.redactor) : undefined;
}

/**
 * Not chapters that were there before, such as those of a title with a new upload in a language that is not requested. A new
 * title is news without chapters too, unless the run was stopped before one was saved.
 */
function isNews(series: SeriesReport, before: TitleState | undefined, isStopped: boolean): boolean {
  const known = new Set(before?.waiting.map(({ chapter }) => chapter));
  return (
    (before === undefined && !isStopped) ||
    series.retired > 0 ||
    SERIES_COUNTS.some((name) => name !== 'skipped' && series[name] > 0) ||
    series.waiting.some(({ chapter }) => !known.has(chapter))
  );
}

/** Forgets titles that are no longer subscribed: if subscribed again, they are new. */
function removeUnsubscribed(
  titles: readonly Pick<DueTitle, 'id'>[],
  { journal, options, subscriptions }: SyncSession,
): void {
  if (options.only) return;
  const { state } = journal;
  const paused = subscriptions.series.map(({ target }) => currentTitleId(target.id, state));
  const kept = new Set([...titles.map(({ id }) => id), ...paused]);
  const forgotten = Object.keys(state.titles).filter((id) => !kept.has(id));
  if (forgotten.length > 0) journal.add({ forgotten });
}
