/** Saves the chapters of a plan, sends their health reports, then the covers and read marks that were asked for. */
import { setImmediate } from 'node:timers/promises';
import { coversBaseUrl } from '../api/covers.js';
import { preloadDomainList } from '../api/first-party-domain.js';
import { markRead } from '../api/read-markers.js';
import { PACKING_MODULE_LOADERS } from '../cbz/cbz-writer.js';
import { TankobonError } from '../core/errors.js';
import { EXIT } from '../core/exit-codes.js';
import { groupBy } from '../core/group-by.js';
import { saveChapters } from './batch.js';
import { saveCovers } from './cover.js';
import { waitingEvent } from './events.js';
import { removeLeftovers } from './leftovers.js';
import { PageQueue } from './page-queue.js';
import type { Plan } from './plan.js';
import type { PlannedChapter } from './plan-jobs.js';
import type { ImageLoaderDeps } from '../image/load-image.js';
import { openChapterShare } from './chapter-share.js';
import type { DownloadResult, DownloadSession } from './download-session.js';
import { imageLoader, openHealthReports } from './service.js';

/** How long health reports may delay the end of a run that the user stopped. */
const MAX_REPORT_WAIT_WHEN_STOPPED_MS = 300;

/** Loads the libraries that are needed after the metadata, and yields to other work in between. */
export async function preload(signal: AbortSignal): Promise<void> {
  for (const load of [preloadDomainList, ...PACKING_MODULE_LOADERS]) {
    await setImmediate();
    if (signal.aborted) return;
    await load();
  }
}

/** Adds what happened to `result`, which is up to date even when this throws. */
export async function savePlan(
  plan: Plan,
  session: DownloadSession,
  result: DownloadResult,
): Promise<void> {
  const { context, request, listeners, service, client, prefetcher, userSignal, warn } = session;
  await removeLeftovers(plan.leftovers, context.clock);
  const reports = request.reports ? await openHealthReports(context, service, { warn }) : undefined;
  const share =
    request.share === undefined
      ? undefined
      : await openChapterShare(context, request.share, {
          maxOutage: request.maxOutage,
          onWait: (wait) => {
            listeners.observe(waitingEvent(wait));
          },
        });
  const loader = imageLoader(context, service, client, request.bytesPerSecond);
  try {
    const outcome = await saveChapters(
      plan.chapters.map(({ job }) => job),
      {
        client,
        prefetcher,
        share,
        loader,
        queue: new PageQueue(request.concurrency),
        reports,
        isFirstParty: service.isFirstParty,
        outages: service.outages,
        observe: listeners.observe,
        random: Math.random,
      },
      userSignal,
    );
    result.saved = outcome.saved.size;
    result.skipped = outcome.skipped + plan.skipped.length;
    result.notStarted = outcome.notStarted.length;
    result.stoppedBy = outcome.stoppedBy;
    result.failed.push(...outcome.failed.map(({ job, error }) => ({ id: job.id, error })));
    if (outcome.saved.size === 0) return;
    // Already settled: each saved chapter has waited for it.
    const planError = await plan.metadataError;
    if (planError) result.errorsAfterSaving.push(planError);
    const saved = plan.chapters.filter(({ job }) => outcome.saved.has(job.id));
    if (userSignal.aborted) return;
    result.errorsAfterSaving.push(...(await saveExtras(saved, session, loader)));
  } finally {
    const maxWaitMs = userSignal.aborted ? MAX_REPORT_WAIT_WHEN_STOPPED_MS : undefined;
    await share?.close();
    result.reports = (await reports?.finish(maxWaitMs)) ?? result.reports;
  }
}

/** Covers and read marks. Their failures are warnings; those that stop any run, such as a ban, are returned. */
async function saveExtras(
  saved: readonly PlannedChapter[],
  session: DownloadSession,
  loader: ImageLoaderDeps,
): Promise<readonly TankobonError[]> {
  const { cover, markRead: wantsReadMarks } = session.request;
  const extras = [
    ...(cover ? [['Cover not saved', () => covers(saved, session, loader)] as const] : []),
    ...(wantsReadMarks ? [['Not marked as read', () => readMarks(saved, session)] as const] : []),
  ];
  const stopErrors: TankobonError[] = [];
  for (const [what, save] of extras) {
    try {
      await save();
    } catch (error) {
      if (!(error instanceof TankobonError) || error.code === 'interrupted') throw error;
      session.warn(`${what}: ${error.message}`, error.hint);
      if (error.exitCode === EXIT.cooldown || error.exitCode === EXIT.captcha)
        stopErrors.push(error);
    }
  }
  return stopErrors;
}

async function covers(
  saved: readonly PlannedChapter[],
  { client, service, userSignal, listeners, warn, request }: DownloadSession,
  loader: ImageLoaderDeps,
): Promise<void> {
  const files = await saveCovers(saved, request.cover === 'all' ? 'all' : 'one', {
    client,
    loader,
    coversUrl: coversBaseUrl(service.addresses.apiUrl),
    signal: userSignal,
    warn,
  });
  for (const file of files) listeners.note?.(`cover saved: ${file}`);
}

async function readMarks(
  saved: readonly PlannedChapter[],
  { client, userSignal }: DownloadSession,
): Promise<void> {
  for (const [titleId, chapters] of groupBy(saved, ({ chapter }) => chapter?.titleId)) {
    const ids = chapters.map(({ job }) => job.id);
    await markRead(client, titleId, ids, userSignal);
  }
}
