/** `tankobon sync`: runs once, or repeatedly, and reports what each run did. */
import { runSync, type SyncOptions, type SyncReport } from '../../sync/run-sync.js';
import { SubscriptionList } from '../../sync/subscription-list.js';
import { checkInterval, repeatSync } from '../../sync/sync-loop.js';
import { fileVersion, subscriptionsPath, type Subscriptions } from '../../sync/subscriptions.js';
import { MAX_DURATION_MS } from '../../core/units.js';
import { hasCode, UsageError } from '../../core/errors.js';
import { EXIT, exitCodeOf, type ExitCode } from '../../core/exit-codes.js';
import { formatDuration, formatLocalTime } from '../../core/human-format.js';
import { toTankobonError } from '../../core/system-errors.js';
import { lockHistory, recordNextRun } from '../../sync/history.js';
import { minTimeMs } from '../../service/estimate.js';
import { captchaSolver } from '../captcha-prompt.js';
import type { CommandContext } from '../command-context.js';
import { chooseObserver } from '../output/choose-observer.js';
import { warningMessage, warnTo, writeError, writeHints } from '../output/error-message.js';
import { preparePage, STANDARD_OUTPUT, writeHtmlPage } from '../../core/html-page.js';
import type { GivenOptions } from '../../config/options.js';
import { ResultPrinter } from '../output/result-printer.js';
import { noteSkipped } from '../output/sentences.js';
import { seriesLine, summaryLine, syncPage, syncTable } from '../output/sync-report.js';
import { writeHeaded } from '../output/table.js';
import { eventLine } from '../output/json-line.js';
import { columnsOf } from '../output/own-terminal.js';
import { SYNC_SUMMARY } from '../../events/download-events.js';
import type { EventsOf } from '../../events/fields.js';

type SyncFiles = Pick<SyncOptions, 'file' | 'folder'>;

const DEFAULT_COLUMNS = 80;

/** Throws UsageError before anything is sent, and RunError `sync-running`. */
export async function sync(flags: GivenOptions, context: CommandContext): Promise<ExitCode> {
  const { every: intervalMs } = flags;
  checkInterval(intervalMs, flags.hours);
  // A mistake in it is an error before anything is sent.
  resultsOf(flags);
  const file = subscriptionsPath(flags.file, context);
  const isRepeated = intervalMs !== undefined;
  // Each run of `--every` reads the file again, and passes its warnings on.
  const warn = isRepeated ? undefined : warnTo(context.stderr);
  const subscriptions = await readRequested(file, flags, context, warn);
  if (flags.html !== undefined) await preparePage(flags.html, flags.json);
  const lockOptions = { isDryRun: flags.dryRun, isRepeated };
  const { folder, release } = await lockHistory(file, context, lockOptions);
  const files = { file, folder };
  try {
    if (isRepeated) return await runRepeatedly(intervalMs, files, flags, context);
    const { stoppedBy, errors } = await runOnce(subscriptions, files, flags, context);
    const all = [...errors, ...(stoppedBy ? [stoppedBy] : [])];
    if (!flags.json) writeHints(all, context);
    return exitCodeOf(all);
  } finally {
    release();
  }
}

/** Throws UsageError for an invalid file, and for `--only` with a word that matches nothing in it. */
async function readRequested(
  file: string,
  { only = [] }: GivenOptions,
  context: CommandContext,
  warn?: (message: string, hint?: string) => void,
): Promise<Subscriptions> {
  const list = await SubscriptionList.read(file, context, warn);
  list.checkOnly(only);
  if (warn) list.warnIfEmpty(warn);
  return list.subscriptions;
}

async function runRepeatedly(
  intervalMs: number,
  files: SyncFiles,
  flags: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { clock, signal, stderr } = context;
  const { file, folder } = files;
  const readIfUsable = fileReader(file, flags, context);
  let runFlags = { ...flags, maxOutage: MAX_DURATION_MS };
  let hints: ReadonlySet<string> = new Set();
  await repeatSync({
    intervalMs,
    hours: flags.hours,
    clock,
    signal,
    random: Math.random,
    fileVersion: () => fileVersion(file),
    isFileUsable: async () => (await readIfUsable()) !== undefined,
    run: async (hoursSignal) => {
      const subscriptions = await readIfUsable();
      if (!subscriptions) return 'done';
      const report = await runInTurn(subscriptions, files, runFlags, context, hoursSignal);
      if (!report) return 'retry';
      signal.throwIfAborted();
      // In later runs, a disk that is not mounted is one.
      runFlags = { ...runFlags, newFolder: undefined };
      const { errors, stoppedBy } = report;
      const isCut = hasCode(stoppedBy, 'interrupted');
      const all = [...errors, ...(stoppedBy && !isCut ? [stoppedBy] : [])];
      if (!flags.json) hints = writeHints(all, context, hints);
      return hasCode(stoppedBy, 'unreachable', 'service-failed') ? 'retry' : 'done';
    },
    onWait: async (nextRunMs) => {
      await recordNextRun(folder, nextRunMs, warnTo(stderr));
      if (!flags.quiet && !flags.json)
        // With the date: a log is read on other days too.
        stderr.write(`Next run: ${formatLocalTime(nextRunMs, 0)}\n`);
    },
  });
  // The terminal shows ^C on the line of the cursor.
  if (stderr.isTTY) stderr.write('\n');
  return EXIT.done;
}

/** Reads the file before each run: undefined if it is invalid, which is printed. Warnings are printed once while they last. */
function fileReader(
  file: string,
  flags: GivenOptions,
  context: CommandContext,
): () => Promise<Subscriptions | undefined> {
  let known = new Set<string>();
  return async () => {
    const warnings = new Set<string>();
    const warn = (message: string, hint?: string): void => {
      warnings.add(warningMessage(message, hint));
    };
    try {
      return await readRequested(file, flags, context, warn);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      writeError(error, context);
      return undefined;
    } finally {
      for (const each of warnings) if (!known.has(each)) context.stderr.write(each);
      known = warnings;
    }
  };
}

/** Undefined while another process syncs the file. */
async function runInTurn(
  subscriptions: Subscriptions,
  files: SyncFiles,
  flags: GivenOptions,
  context: CommandContext,
  signal: AbortSignal,
): Promise<SyncReport | undefined> {
  try {
    const { release } = await lockHistory(files.file, context, { isDryRun: flags.dryRun });
    return await runOnce(subscriptions, files, flags, context, signal).finally(release);
  } catch (error) {
    if (!hasCode(error, 'sync-running')) throw error;
    if (!flags.quiet && !flags.json) context.stderr.write(`${error.message}\n`);
    return undefined;
  }
}

async function runOnce(
  subscriptions: Subscriptions,
  files: SyncFiles,
  flags: GivenOptions,
  context: CommandContext,
  signal = context.signal,
): Promise<SyncReport> {
  const shown = flags.html === STANDARD_OUTPUT ? withoutResults(context) : context;
  const { keepHeapSmall } = await import('../../core/gc-tuning.js');
  const results = resultsOf(flags);
  const observer = await chooseObserver({ ...flags, results }, shown);
  // A sync keeps what the service says of every chapter in memory.
  const endHeapChecks = keepHeapSmall({ growingPercent: 30 });
  try {
    const report = await runSync(
      context,
      subscriptions,
      { ...flags, ...files },
      {
        observe: observer.observe,
        note: observer.note,
        onActivity: observer.onActivity,
        solveCaptcha: captchaSolver(flags.captchaResult, context, observer.whilePrompting),
        onSkipped: (skipped) => {
          noteSkipped(skipped, observer.notice);
        },
        onPlan: ({ chapters }) => {
          observer.expect(chapters);
          void results?.expect(chapters);
        },
      },
      signal,
    );
    observer.close();
    if (flags.html !== undefined) await writePage(flags.html, report, context);
    print(report, flags, shown, signal.aborted && !context.signal.aborted);
    return report;
  } finally {
    endHeapChecks();
    observer.close();
  }
}

/** Throws UsageError `bad-option`. */
function resultsOf({ print: template }: GivenOptions): ResultPrinter | undefined {
  return template === undefined ? undefined : new ResultPrinter(template);
}

/** Standard output is for the page: results go to standard error. */
function withoutResults(context: CommandContext): CommandContext {
  // Not a copy, which would call the getters.
  return Object.create(context, { stdout: { value: context.stderr } }) as CommandContext;
}

async function writePage(
  file: string,
  report: SyncReport,
  { stdout, stderr }: CommandContext,
): Promise<void> {
  await writeHtmlPage(file, syncPage(report), stdout).catch((error: unknown) => {
    const failure = toTankobonError(error);
    report.errors.push(failure);
    stderr.write(`error: ${failure.message}\n`);
  });
}

/** What failed was reported when it happened; only what stopped the run was not. */
function print(
  report: SyncReport,
  { json, quiet, print: template, dryRun }: GivenOptions,
  { stdout, stderr, env }: CommandContext,
  isOutOfHours: boolean,
): void {
  const { series, totals, stoppedBy } = report;
  if (json) {
    stdout.write(eventLine(SUMMARY, summaryEvent(report)));
    return;
  }
  if (!quiet) {
    const hasTable = stdout.isTTY && series.length > 0 && template === undefined;
    const table = hasTable && syncTable(series, columnsOf(stdout) ?? DEFAULT_COLUMNS);
    if (table) writeHeaded(table, stdout, env);
    else for (const entry of series) stderr.write(`${seriesLine(entry)}\n`);
    stderr.write(`${summaryLine(report)}\n`);
    const leastMs = dryRun ? minTimeMs(totals.new + totals.replaced, 'chapters') : 0;
    if (leastMs > 0) stderr.write(`Downloading takes at least ${formatDuration(leastMs)}.\n`);
  }
  if (stoppedBy && !isOutOfHours) stderr.write(`error: ${stoppedBy.message}\n`);
  if (isOutOfHours && !quiet) stderr.write('The hours are over: the next ones continue the run.\n');
}

const SUMMARY = { summary: SYNC_SUMMARY };

function summaryEvent({
  series,
  totals,
  titles,
  notStarted,
  stoppedBy,
  reports,
}: SyncReport): EventsOf<typeof SUMMARY> {
  return {
    type: 'summary',
    saved: totals.new + totals.replaced,
    skipped: totals.skipped,
    failed: totals.failed,
    notStarted,
    stopped: stoppedBy?.code,
    reports,
    titles,
    replaced: totals.replaced,
    waiting: series.reduce((total, entry) => total + entry.waiting.length, 0),
  };
}
