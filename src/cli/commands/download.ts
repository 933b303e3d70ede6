/** `tankobon download`: from flags to a download, and from its result to messages and an exit code. */
import {
  download as runDownload,
  planDownload,
  type PlanListeners,
} from '../../download/run-download.js';
import { errorsOf, type DownloadResult } from '../../download/download-result.js';
import { downloadRequest } from '../../download/download-request.js';
import { optionFlags } from '../../config/option-values.js';
import type { GivenOptions, OptionName } from '../../config/options.js';
import type { TankobonError } from '../../core/errors.js';
import { EXIT, exitCodeOf, type ExitCode } from '../../core/exit-codes.js';
import { collectChunks, letSmallHeapGrow } from '../../core/gc-tuning.js';
import { skippedEvents, type Plan } from '../../download/plan.js';
import { captchaSolver } from '../captcha-prompt.js';
import type { CommandContext } from '../command-context.js';
import { chooseLanguage } from '../language-prompt.js';
import { otherReleases } from '../other-releases.js';
import { chooseObserver } from '../output/choose-observer.js';
import { writeError, writeHints } from '../output/error-message.js';
import type { Observer } from '../output/observer.js';
import { writeResult } from '../output/path-line.js';
import { ResultPrinter } from '../output/result-printer.js';
import { collectLeftOut } from '../output/bind-messages.js';
import { noteSkipped } from '../output/sentences.js';
import { canAsk } from '../prompt.js';
import { readTargets } from '../target-sources.js';
import { describePlan } from './dry-run.js';

/**
 * Throws UsageError before anything is sent; after that each chapter gets an event and the exit code sums up.
 *
 * @param confirm called before the first chapter starts; false ends the command
 */
export async function download(
  targets: readonly string[],
  options: GivenOptions,
  context: CommandContext,
  confirm?: (plan: Plan) => Promise<boolean>,
): Promise<ExitCode> {
  const results = options.print === undefined ? undefined : new ResultPrinter(options.print);
  const { targets: found, invalid } = await readTargets(targets, options, context);
  const request = downloadRequest(found, options, context.settings, invalid);
  if (request.targets.length === 0 && !options.json) {
    for (const { error } of request.invalidTargets) writeError(error, context);
    return EXIT.usage;
  }
  const { bind, keepChapters } = request;
  const booksOnly = bind !== false && !keepChapters;
  const observer = await chooseObserver({ ...options, booksOnly, results }, context);
  const listeners = {
    ...listenersFor(observer, results, options, context),
    confirm: confirm && ((plan: Plan) => observer.whilePrompting(() => confirm(plan))),
  };
  try {
    if (options.dryRun && request.targets.length > 0) {
      const plan = await planDownload(context, request, listeners, context.signal);
      observer.close();
      if (results) {
        await results.expect(plan.chapters);
        for (const chapter of plan.chapters) writeResult(results.planned(chapter), context.stdout);
      } else context.stdout.write(describePlan(plan, options));
      const errors = [...request.invalidTargets, ...plan.failed].map(({ error }) => error);
      writeHints(errors, context);
      return exitCodeOf(errors);
    }
    const result = await runDownload(context, request, listeners, context.signal);
    observer.close();
    if (result.isCancelled) return EXIT.done;
    const errors = errorsOf(result);
    printNextSteps(result, errors, options, context);
    return request.targets.length === 0 ? EXIT.usage : exitCodeOf(errors);
  } finally {
    observer.close();
  }
}

function listenersFor(
  observer: Observer,
  results: ResultPrinter | undefined,
  options: GivenOptions,
  context: CommandContext,
): PlanListeners {
  collectChunks();
  return {
    observe: observer.observe,
    observeBind: collectLeftOut(observer, options.json).observe,
    onPlan: (plan) => {
      noteSkipped(skippedEvents(plan), observer.note);
      observer.expect(plan.chapters);
      void results?.expect(plan.chapters);
      letSmallHeapGrow();
    },
    onOtherReleases: otherReleases(options, context, observer),
    note: observer.note,
    onActivity: observer.onActivity,
    ...(options.verbose && { minReportedWaitMs: 0 }),
    solveCaptcha: captchaSolver(options.captchaResult, context, observer.whilePrompting),
    ...(canAsk(context) &&
      !options.json &&
      !options.quiet && {
        chooseLanguages: async (counts) => {
          const languages = [...counts].map(([code, chapters]) => ({ code, chapters }));
          languages.sort((a, b) => b.chapters - a.chapters);
          return observer.whilePrompting(() => chooseLanguage(languages, undefined, context));
        },
      }),
  };
}

/** One hint for each kind of failure, and the command that retries only the failed chapters. */
function printNextSteps(
  { failed, savedFiles, skipped, stoppedBy }: DownloadResult,
  errors: readonly TankobonError[],
  options: GivenOptions,
  context: CommandContext,
): void {
  const { stderr } = context;
  // An interruption is part of the summary.
  if (stoppedBy && stoppedBy.code !== 'interrupted') stderr.write(`error: ${stoppedBy.message}\n`);
  writeHints(errors, context);
  // A stopped run, or one that saved nothing, is retried with the same command.
  if (failed.length === 0 || savedFiles.size + skipped === 0 || stoppedBy) return;
  const ids = failed.map(({ id }) => id);
  // A book needs all chapters of the selection.
  const hint = options.bind
    ? 'To retry the failed chapters, run the same command again.'
    : `To retry only the failed chapters: ${retryCommand(ids, options)}`;
  stderr.write(`hint: ${hint}\n`);
}

/** The options that shape the result. */
const RETRIED: readonly OptionName[] = [
  'output',
  'quality',
  'name',
  'downloadArchive',
  'exec',
  'share',
  'maxOutage',
  'limitRate',
  'force',
  'update',
  'cover',
  'markRead',
  'metadata',
  'reports',
];

/** The failed chapters, with the flags that shape the result. */
function retryCommand(ids: readonly string[], options: GivenOptions): string {
  return ['tankobon', 'download', ...optionFlags(RETRIED, options), ...ids].join(' ');
}
