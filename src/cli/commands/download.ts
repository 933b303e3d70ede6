/** `tankobon download`: from flags to a download, and from its result to messages and an exit code. */
import { basename } from 'node:path';
import { download as runDownload, planDownload } from '../../app/download.js';
import type { DownloadListeners, DownloadResult } from '../../app/download-session.js';
import type { DownloadRequest } from '../../app/download-request.js';
import { interruption, type TankobonError } from '../../core/errors.js';
import { decidingExitCode, EXIT, type ExitCode } from '../../core/exit-codes.js';
import { createMinorCollector } from '../../download/gc-tuning.js';
import type { Plan } from '../../download/plan.js';
import type { ObserveBind } from '../../formats/bind-events.js';
import { captchaSolver } from '../captcha-prompt.js';
import type { CommandContext } from '../command-context.js';
import { chooseLanguage } from '../language-prompt.js';
import { describeBindEvent } from '../output/bind-messages.js';
import { chooseObserver } from '../output/choose-observer.js';
import { errorMessage } from '../output/error-message.js';
import type { Observer } from '../output/observer.js';
import { chapterLabels } from '../output/chapter-labels.js';
import type { ProgressLabel } from '../output/progress-line.js';
import { describeSkipped } from '../output/sentences.js';
import { canAsk } from '../prompt.js';
import { requestFromFlags, type DownloadOptions } from './download-options.js';
import { printPlan } from './dry-run.js';
import { retryCommand } from './retry-command.js';

export type { DownloadOptions } from './download-options.js';

/**
 * Throws UsageError before anything is sent; after that each chapter gets an event and the exit code sums up.
 *
 * @param confirm called before the first chapter starts; false ends the command
 */
export async function download(
  options: DownloadOptions,
  context: CommandContext,
  confirm?: (plan: Plan) => Promise<boolean>,
): Promise<ExitCode> {
  const request = await requestFromFlags(options, context);
  if (request.plan.targets.length === 0 && !options.json) {
    for (const { error } of request.invalidTargets)
      context.stderr.write(errorMessage(error, context.env));
    return EXIT.usage;
  }
  const names = new Map<string, string>();
  const labels = new Map<string, ProgressLabel>();
  const observer = await chooseObserver(
    {
      json: options.json === true,
      quiet: options.quiet === true,
      verbose: options.verbose === true,
      name: (chapter) => names.get(chapter) ?? chapter,
      label: (chapter) => labels.get(chapter) ?? { number: '', title: chapter },
    },
    context,
  );
  const listeners = {
    ...listenersFor(observer, { names, labels }, options, context),
    confirm: confirm && ((plan: Plan) => observer.whilePrompting(() => confirm(plan))),
  };
  try {
    if (options.dryRun && request.plan.targets.length > 0) {
      const plan = await planDownload(context, request, listeners, context.signal);
      observer.close();
      printPlan(plan, options, context);
      printHints(allErrors(request, plan.failed), context);
      return exitCodeFor(
        request,
        plan.failed.map(({ error }) => error),
      );
    }
    const result = await runDownload(context, request, listeners, context.signal);
    observer.close();
    if (result.isCancelled) return EXIT.done;
    printNextSteps(result, request, options, context);
    const stops = result.stoppedBy ? [result.stoppedBy] : [];
    const failures = result.failed.map(({ error }) => error);
    return exitCodeFor(request, [...failures, ...stops, ...result.afterwards]);
  } finally {
    observer.close();
  }
}

interface ChapterNames {
  readonly names: Map<string, string>;
  readonly labels: Map<string, ProgressLabel>;
}

function listenersFor(
  observer: Observer,
  { names, labels }: ChapterNames,
  options: DownloadOptions,
  context: CommandContext,
): DownloadListeners {
  const collect = createMinorCollector();
  return {
    observe: (event) => {
      if (event.type === 'page-bytes') collect(event.bytes);
      observer.observe(event);
    },
    observeBind: bindListener(observer, options, context),
    onPlan: ({ chapters, skipped }) => {
      for (const { job } of chapters) names.set(job.id, basename(job.file, '.cbz'));
      for (const [id, label] of chapterLabels(chapters)) labels.set(id, label);
      for (const line of describeSkipped(skipped)) observer.note(line);
      observer.expect(chapters.map(({ job }) => job.id));
    },
    note: observer.note,
    onActivity: observer.onActivity,
    ...(options.verbose && { minReportedWaitMs: 0 }),
    solveCaptcha: captchaSolver(options.captchaResult, context, observer.whilePrompting),
    ...(canAsk(context) &&
      !options.json &&
      !options.quiet && {
        chooseLanguages: async (counts) => {
          const languages = [...counts].map(([code, chapters]) => ({ code, chapters }));
          const chosen = await observer.whilePrompting(() =>
            chooseLanguage(languages.sort(byChapters), undefined, context),
          );
          if (!chosen) throw interruption();
          return chosen;
        },
      }),
  };
}

/** Chapters without a volume stay what they are: each is an event, but not worth a line. */
function bindListener(
  { note }: Observer,
  { json, quiet }: DownloadOptions,
  { stdout }: CommandContext,
): ObserveBind {
  return (event) => {
    if (event.type === 'book-page') return;
    if (json) {
      stdout.write(`${JSON.stringify(event)}\n`);
      return;
    }
    const isShown = event.type !== 'chapter-left-out' || event.reason === 'archive-damaged';
    const text = isShown ? describeBindEvent(event) : undefined;
    if (text !== undefined && (!quiet || event.type === 'book-failed')) note(text);
    if (event.type !== 'book-saved') return;
    if (stdout.isTTY) note(event.file);
    else stdout.write(`${event.file}\n`);
  };
}

const byChapters = (a: { readonly chapters: number }, b: { readonly chapters: number }) =>
  b.chapters - a.chapters;

/**
 * Exit 2 if no target can be parsed. A file name that cannot be written is a usage error for one chapter, and a failed
 * chapter among several.
 */
function exitCodeFor(
  { plan: { targets }, invalidTargets }: DownloadRequest,
  errors: readonly TankobonError[],
): ExitCode {
  if (targets.length === 0) return EXIT.usage;
  const codes = errors.map(({ exitCode }) =>
    exitCode === EXIT.usage ? EXIT.incomplete : exitCode,
  );
  return decidingExitCode([...codes, ...invalidTargets.map(() => EXIT.incomplete)]);
}

function allErrors(
  { invalidTargets }: DownloadRequest,
  failed: readonly { readonly error: TankobonError }[],
): readonly TankobonError[] {
  return [...invalidTargets, ...failed].map(({ error }) => error);
}

/** One hint for each kind of failure, and the command that retries only the failed chapters. */
function printNextSteps(
  { failed, saved, skipped, stoppedBy, afterwards }: DownloadResult,
  request: DownloadRequest,
  options: DownloadOptions,
  context: CommandContext,
): void {
  const { stderr } = context;
  // An interruption is part of the summary.
  if (stoppedBy && stoppedBy.code !== 'interrupted') stderr.write(`error: ${stoppedBy.message}\n`);
  const errors = [...allErrors(request, failed), ...(stoppedBy ? [stoppedBy] : []), ...afterwards];
  printHints(errors, context);
  // A stopped run, or one that saved nothing, is retried with the same command.
  if (failed.length === 0 || saved + skipped === 0 || stoppedBy) return;
  const ids = failed.map(({ id }) => id);
  stderr.write(`hint: To retry only the failed chapters: ${retryCommand(ids, options)}\n`);
}

function printHints(errors: readonly TankobonError[], { stderr }: CommandContext): void {
  for (const hint of new Set(errors.map((error) => error.hint))) stderr.write(`hint: ${hint}\n`);
}
