/** `tankobon download`: from flags to a download, and from its result to messages and an exit code. */
import { basename } from 'node:path';
import { download as runDownload, planDownload } from '../../app/download.js';
import type { DownloadResult } from '../../app/download-session.js';
import type { TankobonError } from '../../core/errors.js';
import { decidingExitCode, EXIT, type ExitCode } from '../../core/exit-codes.js';
import { createMinorCollector } from '../../download/gc-tuning.js';
import type { Plan } from '../../download/plan.js';
import { captchaSolver } from '../captcha-prompt.js';
import type { CommandContext } from '../command-context.js';
import { chooseObserver } from '../output/choose-observer.js';
import { describeSkipped } from '../output/sentences.js';
import { requestFromFlags, type DownloadOptions } from './download-options.js';
import { printPlan } from './dry-run.js';
import { retryCommand } from './retry-command.js';

export type { DownloadOptions } from './download-options.js';

/** Throws UsageError before anything is sent; after that each chapter gets an event and the exit code sums up. */
export async function download(
  options: DownloadOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const request = await requestFromFlags(options, context);
  const names = new Map<string, string>();
  const observer = await chooseObserver(
    {
      json: options.json === true,
      quiet: options.quiet === true,
      label: (chapter) => names.get(chapter) ?? chapter,
    },
    context,
  );
  const collect = createMinorCollector();
  const listeners = {
    observe: (event: Parameters<typeof observer.observe>[0]): void => {
      if (event.type === 'page-bytes') collect(event.bytes);
      observer.observe(event);
    },
    onPlan: ({ chapters, skipped }: Plan): void => {
      for (const { job } of chapters) names.set(job.id, basename(job.file, '.cbz'));
      for (const line of describeSkipped(skipped)) observer.note(line);
      observer.expect(chapters.length);
    },
    note: observer.note,
    solveCaptcha: captchaSolver(options.captchaResult, context, observer.close),
  };
  try {
    if (options.dryRun) {
      const plan = await planDownload(context, request, listeners, context.signal);
      observer.close();
      printPlan(plan, options.json === true, context);
      return exitCodeFor(plan.failed.map(({ error }) => error));
    }
    const result = await runDownload(context, request, listeners, context.signal);
    observer.close();
    printNextSteps(result, options, context);
    const stops = result.stoppedBy ? [result.stoppedBy] : [];
    return exitCodeFor([
      ...result.failed.map(({ error }) => error),
      ...stops,
      ...result.afterwards,
    ]);
  } finally {
    observer.close();
  }
}

/** A file name that cannot be written is a usage error for one chapter, and a failed chapter among several. */
function exitCodeFor(errors: readonly TankobonError[]): ExitCode {
  return decidingExitCode(
    errors.map(({ exitCode }) => (exitCode === EXIT.usage ? EXIT.incomplete : exitCode)),
  );
}

/** One hint for each kind of failure, and the command that retries only the failed chapters. */
function printNextSteps(
  { failed, saved, skipped, stoppedBy }: DownloadResult,
  options: DownloadOptions,
  { stderr }: CommandContext,
): void {
  const isReported = failed.some(({ error }) => error === stoppedBy);
  if (stoppedBy && !isReported) stderr.write(`error: ${stoppedBy.message}\n`);
  const errors = [...failed.map(({ error }) => error), ...(stoppedBy ? [stoppedBy] : [])];
  for (const hint of new Set(errors.map((error) => error.hint))) stderr.write(`hint: ${hint}\n`);
  // A stopped run, or one that saved nothing, is retried with the same command.
  if (failed.length === 0 || saved + skipped === 0 || stoppedBy) return;
  const ids = failed.map(({ id }) => id);
  stderr.write(`hint: To retry only the failed chapters: ${retryCommand(ids, options)}\n`);
}
