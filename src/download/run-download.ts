/**
 * One download, from targets to CBZ files, for the command line, the library and sync alike: plan the chapters, save
 * them, then binding, covers and read marks. Everything that happens is an event; the last one is the summary.
 */
import { resolve } from 'node:path';
import { TankobonError, thrownMessage, UsageError } from '../core/errors.js';
import type { ObserveBind } from '../events/bind-events.js';
import { addToIndex } from '../library/scan.js';
import { announceSaved, checkProgram } from './save/announce-saved.js';
import { checkOutputFile, checkOutputFolder } from '../core/output-folder.js';
import { replacedChapters } from '../plan/change.js';
import type { Target } from '../selection/target.js';
import type { AppContext } from '../config/context.js';
import { withLibraryLock } from '../config/library-lock.js';
import { shareServer } from '../config/ledger-location.js';
import type { DownloadRequest } from './download-request.js';
import {
  addEvent,
  emptyResult,
  failedEvent,
  summaryOf,
  type DownloadResult,
} from './download-result.js';
import { warningOnce } from '../events/warning-once.js';
import {
  withSession,
  type DownloadListeners,
  type DownloadSession,
  type ServiceSession,
} from './download-session.js';
import type { DownloadMessage, Observe } from '../events/download-events.js';
import { checkUsedFolder } from './download-archive.js';
import { planTargets, skippedEvents, type Plan } from './plan.js';
import { requireLogin } from '../service/login.js';

export interface PlanListeners extends DownloadListeners {
  /** Called before the first chapter starts. */
  readonly onPlan?: (plan: Plan) => void;
  /** Called before the first chapter starts; false ends the run without an error. */
  readonly confirm?: (plan: Plan) => Promise<boolean>;
}

/** Plans without saving. Throws TankobonError where the plan as a whole fails. */
export async function planDownload(
  context: AppContext,
  request: DownloadRequest,
  listeners: DownloadListeners,
  signal: AbortSignal,
): Promise<Plan> {
  await checkOutputFolder(request.output);
  const history = await openHistory(request, { isWritten: false });
  return withSession(context, request, listeners, signal, async (shared) => {
    const session = { ...shared, request, history };
    reportInvalidTargets(request, listeners.observe);
    return previewPlan(await planRequest(session), request, session);
  });
}

/** Compares the pages of files with those of the service, and says what becomes of those that have the same. */
export async function previewPlan(
  plan: Plan,
  request: DownloadRequest,
  session: Pick<ServiceSession, 'client' | 'signal'>,
): Promise<Plan> {
  const { previewChanges } = await import('./save/apply.js');
  return previewChanges(plan, request, session, session.signal);
}

/**
 * Throws UsageError, and StorageError for an unusable download archive or an output folder that is away, before anything
 * is sent; every other failure is in the result and among the events.
 */
export async function download(
  context: AppContext,
  request: DownloadRequest,
  { observe: observeAll, ...others }: PlanListeners,
  signal: AbortSignal,
): Promise<DownloadResult> {
  const { targets, output } = request;
  const listeners = { ...others, observe: warningOnce(observeAll) };
  if (targets.length === 0) {
    const result = emptyResult();
    const observe = recorder(result, listeners.observe);
    reportInvalidTargets(request, observe);
    observe(summaryOf(result, 0));
    return result;
  }
  await checkOutputFolder(output);
  if (request.share !== undefined) await shareServer(context);
  if (request.exec !== undefined) checkProgram(request.exec, context.env);
  const history = await openHistory(request, { isWritten: true });
  const result = await withSession(context, request, listeners, signal, (session) => {
    const lock = { isExclusive: false, signal, warn: session.warn };
    const underLock: RunSession['underLock'] = (action) =>
      withLibraryLock(output, context, lock, action);
    return runPlan({ ...session, listeners, request, history, underLock }, (shared) => {
      reportInvalidTargets(request, shared.listeners.observe);
      return planRequest(shared, { prefetches: true });
    });
  });
  const files = new Set([...result.savedFiles.values(), ...result.retaggedFiles.values()]);
  // Without it, the next scan opens them.
  if (files.size > 0) await addToIndex(context.paths.state, output, files).catch(() => undefined);
  return result;
}

async function openHistory(
  { downloadArchive, newFolder, output }: DownloadRequest,
  { isWritten }: { readonly isWritten: boolean },
) {
  const folder = resolve(output);
  if (newFolder !== undefined) checkNewFolder(newFolder, folder, downloadArchive !== false);
  if (downloadArchive === false) return undefined;
  const file = resolve(downloadArchive);
  await checkOutputFile(file, '--download-archive');
  const { openDownloadArchive } = await import('./download-archive.js');
  const archive = await openDownloadArchive(file);
  if (newFolder === undefined) await checkUsedFolder(folder, archive);
  else if (isWritten) await archive.removeFolder(folder);
  return archive;
}

/** Throws UsageError `bad-option`. */
function checkNewFolder(newFolder: string, output: string, hasArchive: boolean): void {
  if (!hasArchive)
    throw new UsageError('bad-option', '--new-folder has no effect without --download-archive.', {
      hint: 'Leave out --new-folder.',
    });
  const given = resolve(newFolder);
  if (given === output) return;
  throw new UsageError('bad-option', `--new-folder is not the output folder: ${given}`, {
    hint: `The output folder is: ${output}`,
  });
}

function reportInvalidTargets({ invalidTargets }: DownloadRequest, observe: Observe): void {
  for (const { text: target, error } of invalidTargets) {
    const { code: reason, message } = error;
    observe({ type: 'target-failed', target, reason, message, error });
  }
}

/** Checks the login first: the account's titles need it, and read marks are set only at the end. */
async function planRequest(
  session: DownloadSession,
  options?: Parameters<typeof planTargets>[1],
): Promise<Plan> {
  const { request, login, signal } = session;
  if (request.targets.some(({ kind }) => kind === 'follows'))
    await requireLogin(login, 'follows', signal);
  if (request.markRead) await requireLogin(login, '--mark-read', signal);
  return planTargets(session, options);
}

interface RunSession extends DownloadSession {
  readonly listeners: PlanListeners;
  /** No file gets another name while the action looks at the existing ones, saves and binds. Not for a sync, which holds the lock. */
  readonly underLock?: <T>(action: () => Promise<T>) => Promise<T>;
}

/** For a sync, which holds the lock. */
async function withoutLock<T>(action: () => Promise<T>): Promise<T> {
  return action();
}

/** Saves what `plan` resolves with, within a session, and adds what it does to `result`. Throws UsageError as `download` does. */
export async function runPlan(
  outerSession: RunSession,
  plan: (session: DownloadSession) => Plan | Promise<Plan>,
  result = emptyResult(),
): Promise<DownloadResult> {
  const { request, context, listeners, history, underLock = withoutLock } = outerSession;
  let startedAtMs = context.clock.monotonicMs();
  let fields: Plan['fields'] = new Map();
  let replacedIds: ReadonlyMap<string, readonly string[]> = new Map();
  const additions: Promise<void>[] = [];
  const observe = recorder(result, (event) => {
    if (history && isInFolder(event)) {
      const { chapter } = event;
      const replaced = event.type === 'chapter-skipped' ? [] : (replacedIds.get(chapter) ?? []);
      for (const adding of [
        history.addFolder(resolve(request.output)),
        history.add([chapter]),
        history.addReplaced(replaced),
      ]) {
        // Reported at the end.
        adding.catch(() => undefined);
        additions.push(adding);
      }
    }
    listeners.observe(withChapterFields(event, fields));
  });
  const warn: DownloadSession['warn'] = (message, hint) => {
    observe({ type: 'warning', message, ...(hint !== undefined && { hint }) });
  };
  const books = new Map<string, string>();
  const observeBind: ObserveBind = (event) => {
    if (event.type === 'chapter-removed') books.set(event.file, event.book);
    listeners.observeBind?.(event);
  };
  const session = { ...outerSession, warn, listeners: { ...listeners, observe, observeBind } };
  try {
    const planOnce = async (shared: DownloadSession) => {
      const planned = await plan(shared);
      fields = planned.fields;
      replacedIds = new Map(
        planned.chapters.map(({ job }) => [job.id, replacedChapters(job.change)]),
      );
      return planned;
    };
    const planned = await underLock(async () => {
      const plannedOnce = await planOrStop(session, planOnce, result);
      if (!plannedOnce) return undefined;
      // Neither lists nor a user who thinks about a question say how fast chapters load.
      startedAtMs = context.clock.monotonicMs();
      const { savePlan } = await import('./save/save-plan.js');
      await savePlan(plannedOnce, session, result);
      await bindSaved(plannedOnce, session, result);
      return plannedOnce;
    });
    // The program may run another tankobon in the folder.
    if (planned) {
      const files = { saved: result.savedFiles, books };
      result.stoppedBy ??= await announceSaved(planned.chapters, files, session);
    }
  } finally {
    await Promise.all(additions).catch((error: unknown) => {
      // The chapters are saved.
      warn(`The download archive is incomplete: ${thrownMessage(error)}`);
    });
    if (!result.isCancelled) {
      if (!request.reports) warn('Health reports are turned off: none were made.');
      observe(summaryOf(result, Math.round(context.clock.monotonicMs() - startedAtMs)));
    }
  }
  return result;
}

/** Whether the event says that a chapter is in the output folder. */
function isInFolder(
  event: DownloadMessage,
): event is Extract<DownloadMessage, { readonly chapter: string }> {
  return (
    event.type === 'chapter-saved' ||
    event.type === 'chapter-retagged' ||
    (event.type === 'chapter-skipped' && event.reason === 'already-there')
  );
}

/** The event with what is known of its chapter. */
function withChapterFields(event: DownloadMessage, fields: Plan['fields']): DownloadMessage {
  // Events for the bytes of a page arrive by the thousand and are not printed.
  if (event.type === 'page-bytes' || !('chapter' in event)) return event;
  return { ...event, ...fields.get(event.chapter ?? '') };
}

/** Passes all events on, and adds them to the result. */
function recorder(result: DownloadResult, next: Observe): Observe {
  return (event) => {
    addEvent(result, event);
    next(event);
  };
}

/** Skipped if the run was stopped: the next run binds. */
async function bindSaved(
  planned: Plan,
  session: DownloadSession,
  result: DownloadResult,
): Promise<void> {
  if (session.request.bind === false || result.stoppedBy || session.userSignal.aborted) return;
  const { bindDownloaded } = await import('./bind-titles.js');
  for (const each of await bindDownloaded(planned, session)) result.otherErrors.push(each);
}

/** The plan, with an event for each chapter that it skips or cannot resolve; undefined if it stops the run. */
async function planOrStop(
  session: RunSession,
  plan: (session: DownloadSession) => Promise<Plan>,
  result: DownloadResult,
): Promise<Plan | undefined> {
  const { request, listeners, userSignal } = session;
  const { observe, confirm, onPlan } = listeners;
  try {
    const planned = await plan(session);
    result.isPlanned = true;
    // The user is not asked if there is nothing to download.
    result.isCancelled = planned.chapters.length > 0 && confirm ? !(await confirm(planned)) : false;
    if (result.isCancelled) return undefined;
    for (const event of skippedEvents(planned)) observe(event);
    onPlan?.(planned);
    for (const each of planned.failed) observe(failedEvent(each));
    return planned;
  } catch (error) {
    if (!(error instanceof TankobonError) || error instanceof UsageError) throw error;
    // The user cancelled a prompt; nothing was started.
    result.isCancelled = error.code === 'interrupted' && !userSignal.aborted;
    if (result.isCancelled) throw error;
    failAll(request.targets, error, observe);
    result.stoppedBy = error;
    return undefined;
  }
}

/** The first target failed; the others were not started. */
function failAll([first, ...others]: readonly Target[], error: TankobonError, observe: Observe) {
  if (first) {
    const { code: reason, message } = error;
    observe({
      type: 'chapter-failed',
      chapter: first.id,
      reason,
      message,
      unfinished: true,
      error,
    });
  }
  for (const { id } of others)
    observe({ type: 'chapter-skipped', chapter: id, reason: 'not-started' });
}
