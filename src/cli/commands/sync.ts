/** `tankobon sync`: runs once, or repeatedly, and reports what each run did. */
import { basename, resolve } from 'node:path';
import { runSync } from '../../app/sync.js';
import { isSyncEvent, type ObserveSync } from '../../app/sync-events.js';
import { repeatSync, type RunOutcome } from '../../app/sync-loop.js';
import type { SyncReport } from '../../app/sync-session.js';
import {
  fileVersion,
  readSubscriptions,
  subscriptionsPath,
} from '../../app/subscriptions-store.js';
import { hasCode, RunError, UsageError } from '../../core/errors.js';
import { decidingExitCode, EXIT, type ExitCode } from '../../core/exit-codes.js';
import { writeFileAtomic } from '../../core/files.js';
import { lockHolder, tryLockFile } from '../../core/lock.js';
import { lockPath, readSyncState, syncFolder, writeSyncState } from '../../sync/sync-state.js';
import { parseInterval } from '../../sync/sync-schedule.js';
import type { CommandContext } from '../command-context.js';
import { chapterLabels } from '../output/chapter-labels.js';
import { chooseObserver } from '../output/choose-observer.js';
import { errorMessage } from '../output/error-message.js';
import type { Observer } from '../output/observer.js';
import type { ProgressLabel } from '../output/progress-line.js';
import { formatLocalTime } from '../output/sizes.js';
import { seriesLine, summaryLine, syncPage, syncTable } from '../output/sync-report.js';

export interface SyncFlags {
  readonly file?: string;
  readonly every?: string;
  readonly only?: readonly string[];
  readonly fromNow?: boolean;
  readonly maxOutage?: string;
  readonly share?: string;
  readonly dryRun?: boolean;
  readonly html?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** The longest duration there is: in practice, an outage has no limit. */
const UNLIMITED_OUTAGE = '30d';
const DEFAULT_COLUMNS = 80;

/** Throws UsageError before anything is sent, and RunError `sync-running`. */
export async function sync(flags: SyncFlags, context: CommandContext): Promise<ExitCode> {
  const intervalMs = flags.every === undefined ? undefined : parseInterval(flags.every);
  const file = subscriptionsPath(flags.file, context);
  await readSubscriptions(file, context);
  const folder = await syncFolder(context.paths.state, file);
  const lock = await tryLockFile(lockPath(folder));
  if (!lock) {
    const holder = lockHolder(lockPath(folder));
    throw new RunError('sync-running', `A sync of ${file} is running: ${holder}.`);
  }
  try {
    if (intervalMs === undefined) return await runOnce(file, folder, flags, context);
    return await runRepeatedly(intervalMs, file, folder, flags, context);
  } finally {
    lock.release();
  }
}

async function runRepeatedly(
  intervalMs: number,
  file: string,
  folder: string,
  flags: SyncFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { clock, signal, stderr, env } = context;
  const isUsable = async () => {
    try {
      await readSubscriptions(file, context);
      return true;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      stderr.write(errorMessage(error, env));
      return false;
    }
  };
  await repeatSync({
    intervalMs,
    clock,
    signal,
    random: Math.random,
    fileVersion: () => fileVersion(file),
    isFileUsable: isUsable,
    run: async (): Promise<RunOutcome> => {
      if (!(await isUsable())) return 'done';
      const { stoppedBy } = await runAndReport(file, folder, flags, context, UNLIMITED_OUTAGE);
      signal.throwIfAborted();
      return hasCode(stoppedBy, 'unreachable', 'service-failed') ? 'unreachable' : 'done';
    },
    onWait: async (nextRunMs) => {
      await writeSyncState(folder, { ...(await readSyncState(folder)), nextRunMs });
      if (!flags.quiet && !flags.json)
        stderr.write(`Next run: ${formatLocalTime(nextRunMs, clock.wallMs())}\n`);
    },
  });
  return EXIT.done;
}

async function runOnce(
  file: string,
  folder: string,
  flags: SyncFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const maxOutage = flags.maxOutage ?? context.settings.maxOutage;
  const report = await runAndReport(file, folder, flags, context, maxOutage);
  const { stoppedBy, errors } = report;
  const all = [...errors, ...(stoppedBy ? [stoppedBy] : [])];
  for (const hint of new Set(all.map((error) => error.hint)))
    if (!flags.json) context.stderr.write(`hint: ${hint}\n`);
  return decidingExitCode(
    all.map(({ exitCode }) => (exitCode === EXIT.usage ? EXIT.incomplete : exitCode)),
  );
}

async function runAndReport(
  file: string,
  folder: string,
  flags: SyncFlags,
  context: CommandContext,
  maxOutage: string,
): Promise<SyncReport> {
  const { dryRun = false, fromNow = false, only = [], share } = flags;
  const names = new Map<string, string>();
  const labels = new Map<string, ProgressLabel>();
  const observer = await chooseObserver(
    {
      json: flags.json === true,
      quiet: flags.quiet === true,
      verbose: flags.verbose === true,
      name: (chapter) => names.get(chapter) ?? chapter,
      label: (chapter) => labels.get(chapter) ?? { number: '', title: chapter },
    },
    context,
  );
  try {
    const subscriptions = await readSubscriptions(file, context);
    const options = { file, folder, maxOutage, share, dryRun, fromNow, only };
    const report = await runSync(
      context,
      subscriptions,
      options,
      {
        observe: observeSync(observer, flags, context),
        note: observer.note,
        onActivity: observer.onActivity,
        onPlan: ({ chapters }) => {
          for (const { job } of chapters) names.set(job.id, basename(job.file, '.cbz'));
          for (const [id, label] of chapterLabels(chapters)) labels.set(id, label);
          observer.expect(chapters.map(({ job }) => job.id));
        },
      },
      context.signal,
    );
    observer.close();
    await print(report, flags, context);
    return report;
  } finally {
    observer.close();
  }
}

/** A download's observer does not know the events of series. */
function observeSync(
  { observe, note }: Observer,
  flags: SyncFlags,
  { stdout, clock }: CommandContext,
): ObserveSync {
  return (event) => {
    if (!isSyncEvent(event)) observe(event);
    else if (flags.json) stdout.write(`${JSON.stringify(event)}\n`);
    else if (event.type === 'planned') stdout.write(`${event.chapter}  ${event.why}\n`);
    else if (event.type === 'chapter-waiting') {
      const until = formatLocalTime(Date.parse(event.until), clock.wallMs());
      note(`${event.chapter}: waits for its group until ${until}`);
    }
  };
}

async function print(
  report: SyncReport,
  { json, quiet, html }: SyncFlags,
  { stdout, stderr }: CommandContext,
): Promise<void> {
  const { series, errors, stoppedBy } = report;
  if (html !== undefined) {
    await writeFileAtomic(resolve(html), syncPage(report)).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new UsageError('bad-output', `The page cannot be written: ${reason}`, { cause });
    });
  }
  if (json) stdout.write(`${JSON.stringify(summaryEvent(report))}\n`);
  else if (!quiet) {
    if (stdout.isTTY && series.length > 0)
      stdout.write(syncTable(series, stdout.columns || DEFAULT_COLUMNS));
    else for (const one of series) stderr.write(`${seriesLine(one)}\n`);
    stderr.write(`${summaryLine(report)}\n`);
  }
  // Failed chapters are reported when they fail.
  const chapters = errors.filter(
    (error) => !series.some(({ failed }) => failed > 0) || error === stoppedBy,
  );
  const shown = new Set([...(json ? [] : chapters), ...(stoppedBy && !json ? [stoppedBy] : [])]);
  for (const { message } of shown) stderr.write(`error: ${message}\n`);
}

/** As that of a download, with the number of titles, replaced chapters and chapters that wait for a group. */
function summaryEvent({ series, titles, notStarted, stoppedBy, reports }: SyncReport) {
  const sum = (name: 'new' | 'replaced' | 'skipped' | 'failed') =>
    series.reduce((total, one) => total + one[name], 0);
  return {
    type: 'summary',
    saved: sum('new') + sum('replaced'),
    skipped: sum('skipped'),
    failed: sum('failed'),
    notStarted,
    stopped: stoppedBy?.code,
    reports,
    titles,
    replaced: sum('replaced'),
    waiting: series.reduce((total, one) => total + one.waiting.length, 0),
  };
}
