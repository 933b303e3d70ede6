/** `tankobon download`: chapters, titles and lists, from their ids or addresses to CBZ files. */
import { basename } from 'node:path';
import { MetadataPrefetcher } from '../../image/at-home.js';
import { waitingEvent } from '../../download/events.js';
import { planChapters, type Plan, type PlanDeps } from '../../download/plan.js';
import { interruption, TankobonError, UsageError } from '../../core/errors.js';
import { decidingExitCode, EXIT, type ExitCode } from '../../core/exit-codes.js';
import { captchaSolver, solvingCaptchas } from '../captcha-prompt.js';
import { bearerOf } from '../../app/login.js';
import { openService } from '../../app/service.js';
import { chooseObserver } from '../output/choose-observer.js';
import { describeSkipped } from '../output/sentences.js';
import type { CommandContext } from '../command-context.js';
import { isReporting, type DownloadContext, type Tally } from './download-session.js';
import { planOptionsFrom, type DownloadOptions } from './download-wish.js';
import { printPlan } from './dry-run.js';
import { retryCommand } from './retry-command.js';

export type { DownloadOptions } from './download-wish.js';

/** Throws UsageError before anything is sent; after that every chapter's fate is told, and the exit code sums it up. */
export async function download(options: DownloadOptions, run: CommandContext): Promise<ExitCode> {
  const wish = await planOptionsFrom(options, run);
  const names = new Map<string, string>();
  const observer = await chooseObserver(
    {
      json: options.json === true,
      quiet: options.quiet === true,
      label: (chapter) => names.get(chapter) ?? chapter,
    },
    run,
  );
  const { observe } = observer;
  const warn = (message: string): void => {
    observe({ type: 'warning', message });
  };
  const over = new AbortController();
  const signal = AbortSignal.any([run.signal, over.signal]);
  const service = await openService(run, {
    warn,
    onWait: (wait) => {
      observe(waitingEvent(wait));
    },
    maxOutage: options.maxOutage ?? run.settings.maxOutage,
    onSent: warmingUp(signal),
  });
  try {
    const solve = captchaSolver(options.captchaResult, run, observer.close);
    const client = solvingCaptchas(service.as(bearerOf(run, service, warn)), solve);
    const ahead = new MetadataPrefetcher(client, run.clock, signal);
    const session = { wish, options, observer, names, warn, run, service, client, signal, ahead };
    return options.dryRun ? await dryRun(session) : await downloadAll(session);
  } finally {
    over.abort(interruption());
    observer.close();
    await service.close();
  }
}

/** While the first answer is on its way the processor has nothing else to do than to load what comes next. */
function warmingUp(signal: AbortSignal): () => void {
  let warming: Promise<void> | undefined;
  return () => {
    warming ??= import('./save-planned.js').then(({ warmUp }) => warmUp(signal));
    // Whoever needs what could not be loaded hears of it.
    warming.catch(() => undefined);
  };
}

async function dryRun(session: DownloadContext): Promise<ExitCode> {
  const { wish, options, observer, run } = session;
  const plan = await planChapters(wish, planParts(session));
  observer.close();
  printPlan(plan, options.json === true, run);
  return exitCodeOf(plan.lost.map(({ error }) => error));
}

async function downloadAll(session: DownloadContext): Promise<ExitCode> {
  const { options, observer, warn, run } = session;
  const tally: Tally = {
    saved: 0,
    skipped: 0,
    failures: [],
    notStarted: 0,
    stoppedBy: undefined,
    stopped: [],
    reports: { sent: 0, waiting: 0 },
  };
  try {
    const plan = await planOrFail(session, tally);
    session.ahead.dropAllBut(new Set(plan.chapters.map(({ job }) => job.id)));
    const { savePlanned } = await import('./save-planned.js');
    await savePlanned(plan, session, tally);
  } finally {
    if (!isReporting(options, run)) warn('No health reports were made: they are turned off.');
    const { saved, skipped, failures, notStarted, stoppedBy, reports } = tally;
    const stopped = stoppedBy && { stopped: stoppedBy.code };
    const failed = failures.length;
    observer.observe({ type: 'summary', saved, skipped, failed, notStarted, ...stopped, reports });
  }
  observer.close();
  tellNextSteps(tally, session);
  const stops = [...(tally.stoppedBy ? [tally.stoppedBy] : []), ...tally.stopped];
  return exitCodeOf([...tally.failures.map(({ error }) => error), ...stops]);
}

/** The plan, with what it skips and loses told. What stops it as a whole is told once, of the first target. */
async function planOrFail(session: DownloadContext, tally: Tally): Promise<Plan> {
  const { wish, observer, names } = session;
  const fail = (id: string, error: TankobonError): void => {
    tally.failures.push({ id, error });
    observer.observe({
      type: 'chapter-failed',
      chapter: id,
      reason: error.code,
      message: error.message,
    });
  };
  try {
    const onSure = (chapterId: string): void => {
      session.ahead.ask(chapterId);
    };
    const plan = await planChapters(wish, { ...planParts(session), onSure });
    for (const { job } of plan.chapters) names.set(job.id, basename(job.file, '.cbz'));
    for (const { id, reason, file } of plan.skipped) {
      observer.observe({
        type: 'chapter-skipped',
        chapter: id,
        reason,
        ...(file !== undefined && { file }),
      });
    }
    for (const line of describeSkipped(plan.skipped)) observer.note(line);
    for (const { id, error } of plan.lost) fail(id, error);
    observer.expect(plan.chapters.length);
    return plan;
  } catch (error) {
    if (!(error instanceof TankobonError) || error instanceof UsageError) throw error;
    const [first, ...others] = wish.targets;
    if (first) fail(first.id, error);
    for (const { id: chapter } of others)
      observer.observe({ type: 'chapter-skipped', chapter, reason: 'not-started' });
    tally.notStarted = others.length;
    tally.stoppedBy = error;
    return {
      chapters: [],
      skipped: [],
      passedOver: [],
      lost: [],
      rest: Promise.resolve(undefined),
    };
  }
}

function planParts({ client, warn, run, signal }: DownloadContext): PlanDeps {
  return { client, warn, nowMs: run.clock.wallMs(), signal };
}

/** A name that cannot be written is, among several chapters, one chapter that could not be had. */
function exitCodeOf(errors: readonly TankobonError[]): ExitCode {
  return decidingExitCode(
    errors.map(({ exitCode }) => (exitCode === EXIT.usage ? EXIT.incomplete : exitCode)),
  );
}

/** For each kind of failure, once, what to type next; and the command that tries just those chapters again. */
function tellNextSteps(
  { failures, saved, skipped, stoppedBy }: Tally,
  { options, run }: DownloadContext,
): void {
  const isTold = failures.some(({ error }) => error === stoppedBy);
  if (stoppedBy && !isTold) run.stderr.write(`tankobon: ${stoppedBy.message}\n`);
  const errors = [...failures.map(({ error }) => error), ...(stoppedBy ? [stoppedBy] : [])];
  for (const hint of new Set(errors.map((error) => error.hint))) run.stderr.write(`  ${hint}\n`);
  // A run that was stopped goes on with the very same command; so does one of which nothing came.
  if (failures.length === 0 || saved + skipped === 0 || stoppedBy) return;
  const ids = failures.map(({ id }) => id);
  run.stderr.write(`  Just those again: ${retryCommand(ids, options)}\n`);
}
