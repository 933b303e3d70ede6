/** `tankobon download`: chapters, titles and lists, from their ids or addresses to CBZ files. */
import { basename } from 'node:path';
import { saveAll } from '../../download/batch.js';
import type { ChapterParts } from '../../download/chapter.js';
import { PageSlots } from '../../download/page-slots.js';
import { planChapters, type Plan, type PlanWish } from '../../download/plan.js';
import { TankobonError, UsageError } from '../../kernel/errors.js';
import { decidingExitCode, EXIT, type ExitCode } from '../../kernel/exit-codes.js';
import type { Reports } from '../../reports/outbox.js';
import type { ServiceClient } from '../../service/client.js';
import { captchaSolver, solvingCaptchas } from '../captcha.js';
import { bearerOf } from '../compose-login.js';
import { openReports, openService, type Service } from '../compose.js';
import { chooseObserver } from '../output/choose-observer.js';
import type { Observer } from '../output/observer.js';
import { skippedInWords } from '../output/sentences.js';
import type { Run } from '../run.js';
import { afterwards } from './download-extras.js';
import { wishOf, type DownloadOptions } from './download-wish.js';
import { tellPlan } from './dry-run.js';
import { retryCommand } from './retry-command.js';

export type { DownloadOptions } from './download-wish.js';

/** Whoever presses Ctrl-C wants to be gone within a second. */
const INTERRUPTED_PATIENCE_MS = 300;

/** Throws UsageError before anything is sent; after that every chapter's fate is told, and the exit code sums it up. */
export async function download(options: DownloadOptions, run: Run): Promise<ExitCode> {
  const wish = await wishOf(options, run);
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
  const service = await openService(run, {
    warn,
    onWait: ({ for: what, untilMs }) => {
      observe({ type: 'waiting', for: what, until: new Date(untilMs).toISOString() });
    },
  });
  try {
    const session = { wish, options, observer, names, warn, run, service };
    return options.dryRun ? await dryRun(session) : await downloadAll(session);
  } finally {
    observer.close();
    await service.close();
  }
}

interface Session {
  readonly wish: PlanWish;
  readonly options: DownloadOptions;
  readonly observer: Observer;
  /** What each chapter is called, once it is known. */
  readonly names: Map<string, string>;
  readonly warn: (message: string) => void;
  readonly run: Run;
  readonly service: Service;
}

function clientOf({ options, observer, warn, run, service }: Session): ServiceClient {
  const solve = captchaSolver(options.captchaResult, run, observer.close);
  return solvingCaptchas(service.as(bearerOf(run, service, warn)), solve);
}

async function dryRun(session: Session): Promise<ExitCode> {
  const { wish, options, observer, warn, run } = session;
  const nowMs = run.clock.wallMs();
  const plan = await planChapters(wish, {
    client: clientOf(session),
    warn,
    nowMs,
    signal: run.signal,
  });
  observer.close();
  tellPlan(plan, options.json === true, run);
  return exitCodeOf(plan.lost.map(({ error }) => error));
}

async function downloadAll(session: Session): Promise<ExitCode> {
  const { options, observer, warn, run, service } = session;
  const reporting = (options.reports ?? true) && run.settings.reports;
  const reports = reporting ? await openReports(run, service, { warn }) : undefined;
  const failures: Failure[] = [];
  const stopped: TankobonError[] = [];
  let counts = { saved: 0, skipped: 0 };
  try {
    const client = clientOf(session);
    const plan = await planOrFail(session, client, failures);
    const planned = plan.chapters.map(({ job }) => job);
    const outcome = await saveAll(planned, chapterParts(session, client, reports), run.signal);
    failures.push(...outcome.failed.map(({ job, error }) => ({ id: job.id, error })));
    counts = { saved: outcome.saved.size, skipped: outcome.skipped + plan.skipped.length };
    const saved = plan.chapters.filter(({ job }) => outcome.saved.has(job.id));
    const met = await afterwards(saved, {
      ...session,
      client,
      loader: chapterParts(session, client, reports).loader,
    });
    stopped.push(...met);
  } finally {
    const sent = await reports?.finish(run.signal.aborted ? INTERRUPTED_PATIENCE_MS : undefined);
    if (!reporting) warn('No health reports were made: they are turned off.');
    observer.observe({
      type: 'summary',
      ...counts,
      failed: failures.length,
      reports: sent ?? { sent: 0, waiting: 0 },
    });
  }
  observer.close();
  const gotAny = counts.saved + counts.skipped > 0;
  tellNextSteps(failures, gotAny, session);
  return exitCodeOf([...failures.map(({ error }) => error), ...stopped]);
}

interface Failure {
  readonly id: string;
  readonly error: TankobonError;
}

/** The plan, with what it skips and loses told. What stops it as a whole is told of each target. */
async function planOrFail(
  session: Session,
  client: ServiceClient,
  failures: Failure[],
): Promise<Plan> {
  const { wish, observer, names, warn, run } = session;
  const fail = (id: string, error: TankobonError): void => {
    failures.push({ id, error });
    observer.observe({
      type: 'chapter-failed',
      chapter: id,
      reason: error.code,
      message: error.message,
    });
  };
  try {
    const plan = await planChapters(wish, {
      client,
      warn,
      nowMs: run.clock.wallMs(),
      signal: run.signal,
    });
    for (const { job } of plan.chapters) names.set(job.id, basename(job.file, '.cbz'));
    for (const { id, reason, file } of plan.skipped) {
      observer.observe({
        type: 'chapter-skipped',
        chapter: id,
        reason,
        ...(file !== undefined && { file }),
      });
    }
    for (const line of skippedInWords(plan.skipped)) observer.note(line);
    for (const { id, error } of plan.lost) fail(id, error);
    observer.expect(plan.chapters.length);
    return plan;
  } catch (error) {
    if (!(error instanceof TankobonError) || error instanceof UsageError) throw error;
    for (const { id } of wish.targets) fail(id, error);
    return { chapters: [], skipped: [], passedOver: [], lost: [] };
  }
}

function chapterParts(
  session: Session,
  client: ServiceClient,
  reports: Reports | undefined,
): ChapterParts {
  const { options, observer, run, service } = session;
  const { clock, settings } = run;
  return {
    client,
    loader: {
      page: service.connections.page,
      admit: (line, signal) => client.admit(line, signal),
      clock,
      maxPageBytes: settings.maxPageBytes,
    },
    slots: new PageSlots(options.concurrency ?? settings.concurrency),
    reports,
    isOwn: service.isOwn,
    observe: observer.observe,
    random: Math.random,
  };
}

/** A name that cannot be written is, among several chapters, one chapter that could not be had. */
function exitCodeOf(errors: readonly TankobonError[]): ExitCode {
  return decidingExitCode(
    errors.map(({ exitCode }) => (exitCode === EXIT.usage ? EXIT.incomplete : exitCode)),
  );
}

/** For each kind of failure, once, what to type next; and the command that tries just those chapters again. */
function tellNextSteps(
  failures: readonly Failure[],
  gotAny: boolean,
  { options, run }: Session,
): void {
  for (const hint of new Set(failures.map(({ error }) => error.hint)))
    run.stderr.write(`  ${hint}\n`);
  // A run that was stopped goes on with the very same command; so does one of which nothing came.
  const stoppedShort = failures.some(({ error }) => STOPS_THE_RUN.has(error.exitCode));
  if (failures.length === 0 || !gotAny || stoppedShort) return;
  const ids = failures.map(({ id }) => id);
  run.stderr.write(`  Just those again: ${retryCommand(ids, options)}\n`);
}

const STOPS_THE_RUN: ReadonlySet<ExitCode> = new Set([
  EXIT.interrupted,
  EXIT.cooldown,
  EXIT.captcha,
]);
