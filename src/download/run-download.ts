/**
 * One download, from targets to CBZ files, for the command line and the library alike: plan the chapters, save them,
 * then binding, covers and read marks. Everything that happens is an event; the last one is the summary.
 */
import { resolve } from 'node:path';
import { TankobonError, UsageError } from '../core/errors.js';
import { statIfExists } from '../core/files.js';
import type { Observe } from './events.js';
import { planChapters, withoutUnavailable, type Plan, type PlanDeps } from './plan.js';
import type { AppContext } from '../config/context.js';
import type { DownloadRequest } from './download-request.js';
import { emptyResult, observeSummary, recordEvents } from './download-result.js';
import type { DownloadListeners, DownloadResult, DownloadSession } from './download-session.js';
import { requireLogin } from './stored-login.js';
import { checkOutputFolder } from './output-folder.js';
import { shareServer } from './chapter-share.js';
import { withSession } from './with-session.js';

/** Plans without saving. Throws TankobonError where the plan as a whole fails. */
export async function planDownload(
  context: AppContext,
  request: DownloadRequest,
  listeners: DownloadListeners,
  signal: AbortSignal,
): Promise<Plan> {
  await checkOutputFolder(request.plan.output);
  const history = await openHistory(request);
  return withSession(context, request, listeners, signal, async (shared) => {
    const session = { ...shared, request, history };
    reportInvalidTargets(session);
    return withoutUnavailable(
      await plan(session, planDeps(session)),
      session.client,
      session.signal,
    );
  });
}

function reportInvalidTargets({
  request,
  listeners,
}: Pick<DownloadSession, 'request' | 'listeners'>): void {
  for (const { text, error } of request.invalidTargets) {
    const { code, message } = error;
    listeners.observe({ type: 'target-failed', target: text, reason: code, message });
  }
}

/**
 * Throws UsageError, and StorageError for an unusable download archive, before anything is sent; every other failure is
 * in the result and among the events.
 */
export async function download(
  context: AppContext,
  request: DownloadRequest,
  listeners: DownloadListeners,
  signal: AbortSignal,
): Promise<DownloadResult> {
  if (request.plan.targets.length === 0) {
    reportInvalidTargets({ request, listeners });
    const result = emptyResult(request.invalidTargets);
    observeSummary(result, listeners);
    return result;
  }
  await checkOutputFolder(request.plan.output);
  if (request.share !== undefined) await shareServer(context);
  const history = await openHistory(request);
  return withSession(context, request, listeners, signal, (session) =>
    downloadInSession({ ...session, request, history }),
  );
}

async function openHistory({ downloadArchive }: DownloadRequest) {
  if (downloadArchive === undefined) return undefined;
  const file = resolve(downloadArchive);
  if ((await statIfExists(file))?.isDirectory()) {
    const hint = 'Name a file: --download-archive FILE';
    throw new UsageError('bad-option', `The download archive is a folder: ${file}`, { hint });
  }
  const { openDownloadArchive } = await import('./download-archive.js');
  return openDownloadArchive(file);
}

/** One download within a session. Throws UsageError as `download` does. */
export async function downloadInSession(outerSession: DownloadSession): Promise<DownloadResult> {
  const { request, prefetcher, context, listeners } = outerSession;
  const { clock } = context;
  const startedAtMs = clock.monotonicMs();
  const { loaded, observe, finish } = recordEvents(outerSession);
  const session = { ...outerSession, listeners: { ...listeners, observe } };
  const result = emptyResult(request.invalidTargets);
  try {
    reportInvalidTargets(session);
    const planned = await planOrStop(session, result);
    if (planned) {
      prefetcher.cancelExcept(new Set(planned.chapters.map(({ job }) => job.id)));
      const { savePlan } = await import('./save-plan.js');
      await savePlan(planned, session, result);
      await bindSaved(planned, session, result);
    }
  } finally {
    await finish();
    if (!result.isCancelled) {
      if (!request.reports) session.warn('Health reports are turned off: none were made.');
      const elapsedMs = Math.round(clock.monotonicMs() - startedAtMs);
      observeSummary(result, session.listeners, { ...loaded, elapsedMs });
    }
  }
  return result;
}

/** Skipped if the run was stopped: the next run binds. */
async function bindSaved(
  planned: Plan,
  session: DownloadSession,
  result: DownloadResult,
): Promise<void> {
  if (!session.request.bind || result.stoppedBy || session.userSignal.aborted) return;
  const { bindDownloaded } = await import('./bind-downloaded.js');
  result.errorsAfterSaving.push(...(await bindDownloaded(planned, session)));
}

/** The user is not asked if there is nothing to download. */
async function isConfirmed(plan: Plan, { confirm }: DownloadListeners): Promise<boolean> {
  return plan.chapters.length === 0 || !confirm || confirm(plan);
}

/** The plan, with an event for each chapter that it skips or cannot resolve. */
async function planOrStop(
  session: DownloadSession,
  result: DownloadResult,
): Promise<Plan | undefined> {
  const { request, listeners, prefetcher } = session;
  const { observe } = listeners;
  try {
    const prefetch = (chapterId: string): void => {
      prefetcher.start(chapterId);
    };
    const planned = await plan(session, { ...planDeps(session), prefetch });
    result.isPlanned = true;
    result.isCancelled = !(await isConfirmed(planned, listeners));
    if (result.isCancelled) return undefined;
    for (const { id, reason, file } of planned.skipped) {
      observe({ type: 'chapter-skipped', chapter: id, reason, file });
    }
    listeners.onPlan?.(planned);
    for (const { id, error } of planned.failed) fail(id, error, result, observe);
    return planned;
  } catch (error) {
    if (!(error instanceof TankobonError) || error instanceof UsageError) throw error;
    // The user cancelled a prompt; nothing was started.
    result.isCancelled = error.code === 'interrupted' && !session.userSignal.aborted;
    if (result.isCancelled) throw error;
    const [first, ...others] = request.plan.targets;
    if (first) fail(first.id, error, result, observe, { unfinished: true });
    for (const { id } of others)
      observe({ type: 'chapter-skipped', chapter: id, reason: 'not-started' });
    result.notStarted = others.length;
    result.stoppedBy = error;
    return undefined;
  }
}

function fail(
  id: string,
  error: TankobonError,
  result: DownloadResult,
  observe: Observe,
  more: { readonly unfinished?: true } = {},
): void {
  const { code, message } = error;
  result.failed.push({ id, error });
  observe({ type: 'chapter-failed', chapter: id, reason: code, message, ...more });
}

/** Checks the login before the download, since read marks are set after it. */
async function plan({ request, login, signal }: DownloadSession, deps: PlanDeps): Promise<Plan> {
  if (request.markRead) await requireLogin(login, 'marking chapters as read', signal);
  return planChapters(request.plan, deps);
}

function planDeps(session: DownloadSession): PlanDeps {
  const { client, warn, context, signal, history, library, listeners } = session;
  return {
    client,
    warn,
    nowMs: context.clock.wallMs(),
    signal,
    history,
    library,
    onActivity: listeners.onActivity,
    chooseLanguages: listeners.chooseLanguages,
    describeWrongClock: session.describeWrongClock,
  };
}
