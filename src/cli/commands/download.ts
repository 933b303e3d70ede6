/** `tankobon download`: chapters from their ids or addresses to CBZ files. */
import { basename } from 'node:path';
import { DEFAULT_NAME_TEMPLATE } from '../../archive/file-name.js';
import { readTargets, type TargetSource } from '../../catalogue/target-lines.js';
import type { Quality } from '../../delivery/page-url.js';
import { saveAll } from '../../download/batch.js';
import type { ChapterParts } from '../../download/chapter.js';
import { PageSlots } from '../../download/page-slots.js';
import { planChapters, type Plan } from '../../download/plan.js';
import { TankobonError, UsageError } from '../../kernel/errors.js';
import { decidingExitCode, EXIT, type ExitCode } from '../../kernel/exit-codes.js';
import { captchaSolver, solvingCaptchas } from '../captcha.js';
import { bearerOf } from '../compose-login.js';
import { openReports, openService, type Service } from '../compose.js';
import { errorMessage } from '../output/error-message.js';
import { chooseObserver } from '../output/choose-observer.js';
import type { Observer } from '../output/observer.js';
import type { Reports } from '../../reports/outbox.js';
import type { ServiceClient } from '../../service/client.js';
import type { Run } from '../run.js';
import { readSource } from '../target-sources.js';

export interface DownloadOptions {
  readonly targets: readonly string[];
  readonly fromFile?: readonly string[];
  readonly output?: string;
  readonly quality?: Quality;
  readonly concurrency?: number;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** False with `--no-reports`; otherwise the setting decides. */
  readonly reports?: boolean;
  /** False with `--no-metadata`; otherwise the setting decides. */
  readonly metadata?: boolean;
  readonly captchaResult?: string;
  /** Template of the file name. */
  readonly name?: string;
}

/** Whoever presses Ctrl-C wants to be gone within a second. */
const INTERRUPTED_PATIENCE_MS = 300;

/** Throws UsageError before anything is sent; after that every chapter's fate is told, and the exit code sums it up. */
export async function download(options: DownloadOptions, run: Run): Promise<ExitCode> {
  const chapterIds = await wantedChapters(options, run);
  const names = new Map<string, string>();
  const observer = await chooseObserver(
    {
      json: options.json === true,
      quiet: options.quiet === true,
      chapters: chapterIds.length,
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
    return await downloadOver(service, { chapterIds, names, options, observer, warn, run });
  } finally {
    observer.close();
    await service.close();
  }
}

interface Download {
  readonly chapterIds: readonly string[];
  /** What each chapter is called, once it is known. */
  readonly names: Map<string, string>;
  readonly options: DownloadOptions;
  readonly observer: Observer;
  readonly warn: (message: string) => void;
  readonly run: Run;
}

async function downloadOver(service: Service, download: Download): Promise<ExitCode> {
  const { options, observer, warn, run } = download;
  const { observe } = observer;
  const reporting = (options.reports ?? true) && run.settings.reports;
  const reports = reporting ? await openReports(run, service, { warn }) : undefined;
  const failures: TankobonError[] = [];
  const fail = (chapter: string, error: TankobonError): void => {
    failures.push(error);
    observe({ type: 'chapter-failed', chapter, reason: error.code, message: error.message });
  };
  let counts = { saved: 0, skipped: 0 };
  try {
    const bearer = bearerOf(run, service, warn);
    const solve = captchaSolver(options.captchaResult, run, observer.close);
    const client = solvingCaptchas(service.as(bearer), solve);
    const plan = await planOrFail(download, client, fail);
    for (const { id, file } of plan.jobs) download.names.set(id, basename(file, '.cbz'));
    for (const { id, error } of plan.lost) fail(id, error);
    const outcome = await saveAll(
      plan.jobs,
      chapterParts(download, service, client, reports),
      run.signal,
    );
    failures.push(...outcome.failed.map(({ error }) => error));
    counts = outcome;
  } finally {
    const sent = await reports?.finish(run.signal.aborted ? INTERRUPTED_PATIENCE_MS : undefined);
    if (!reporting) warn('No health reports were made: they are turned off.');
    observe({
      type: 'summary',
      saved: counts.saved,
      skipped: counts.skipped,
      failed: failures.length,
      reports: sent ?? { sent: 0, waiting: 0 },
    });
  }
  observer.close();
  tellNextSteps(failures, run);
  return decidingExitCode(
    failures.map(({ exitCode }) => (exitCode === EXIT.usage ? EXIT.incomplete : exitCode)),
  );
}

/** What stops the plan as a whole is told of each chapter that was asked for. */
async function planOrFail(
  { chapterIds, options, warn, run }: Download,
  client: ServiceClient,
  fail: (chapter: string, error: TankobonError) => void,
): Promise<Plan> {
  const { settings, signal } = run;
  const wish = {
    chapterIds,
    output: options.output ?? settings.output,
    quality: options.quality ?? (settings.quality as Quality),
    replace: options.force === true,
    metadata: (options.metadata ?? true) && settings.metadata,
    nameTemplate: options.name ?? (settings.name === '' ? DEFAULT_NAME_TEMPLATE : settings.name),
  };
  try {
    return await planChapters(wish, { client, warn, signal });
  } catch (error) {
    if (!(error instanceof TankobonError) || error instanceof UsageError) throw error;
    for (const id of chapterIds) fail(id, error);
    return { jobs: [], lost: [] };
  }
}

function chapterParts(
  { options, observer, run }: Download,
  service: Service,
  client: ServiceClient,
  reports: Reports | undefined,
): ChapterParts {
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

/** Reads the targets. Throws UsageError where not one of them is right; a bad one beside right ones is a warning. */
async function wantedChapters(options: DownloadOptions, run: Run): Promise<readonly string[]> {
  const sources: TargetSource[] = [{ name: 'command line', lines: options.targets }];
  for (const name of options.fromFile ?? []) sources.push(await readSource(name, run));
  const { targets, faults } = readTargets(sources);
  const [first, ...others] = faults;
  if (targets.length === 0) {
    throw first ?? new UsageError('bad-target', 'No chapter was named.');
  }
  for (const fault of first ? [first, ...others] : [])
    run.stderr.write(errorMessage(fault, run.env));
  return targets.map(({ id }) => id);
}

/** For each kind of failure, once, what to type next. */
function tellNextSteps(failures: readonly TankobonError[], run: Run): void {
  for (const hint of new Set(failures.map((failure) => failure.hint)))
    run.stderr.write(`  ${hint}\n`);
}
