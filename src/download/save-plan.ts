/** Saves the chapters of a plan, sends their health reports, then saves what belongs to them. */
import type { TankobonError } from '../core/errors.js';
import { toTankobonError } from '../core/system-errors.js';
import { saveChapters } from './batch.js';
import { waitingEvent, type Observe, type UpdateEvent } from './events.js';
import { removeLeftovers } from './leftovers.js';
import { PageQueue } from './page-queue.js';
import type { Plan } from './plan.js';
import { openChapterShare } from './chapter-share.js';
import type { DownloadResult } from './download-result.js';
import type { DownloadSession } from './download-session.js';
import { saveExtras } from './save-extras.js';
import { imageLoader, openHealthReports } from './service.js';

/** How long health reports may delay the end of a run that the user stopped. */
const MAX_REPORT_WAIT_WHEN_STOPPED_MS = 300;

/** Saves the chapters; events say what happened to each. What it sets of `result` is right even when this throws. */
export async function savePlan(
  plan: Plan,
  session: DownloadSession,
  result: DownloadResult,
): Promise<void> {
  const { context, request, listeners, service, client, userSignal, warn } = session;
  await removeLeftovers(plan.leftovers, context.clock);
  const reports = request.reports ? await openHealthReports(context, service, { warn }) : undefined;
  const share =
    request.share === undefined
      ? undefined
      : await openChapterShare(context, request.share, (wait) => {
          listeners.observe(waitingEvent(wait));
        });
  const loader = imageLoader(context, service, client);
  const savedIds = new Set<string>();
  const samePageIds = new Set<string>();
  const observe: Observe = (event) => {
    if (event.type === 'chapter-saved') savedIds.add(event.chapter);
    listeners.observe(event);
  };
  try {
    result.stoppedBy = await saveChapters(
      plan.chapters.map(({ job }) => job),
      {
        client,
        share,
        loader,
        queue: new PageQueue(request.concurrency),
        reports,
        isFirstParty: service.isFirstParty,
        outages: service.outages,
        observe,
        random: Math.random,
        onClaimedElsewhere: session.onClaimedElsewhere,
        onSamePages: (id) => {
          samePageIds.add(id);
        },
      },
      userSignal,
    );
    const updateError = await updateUnchanged(plan, samePageIds, session);
    result.stoppedBy ??= updateError;
    const saved = plan.chapters.filter(({ job }) => savedIds.has(job.id));
    if (saved.length === 0) return;
    // Already settled: each saved chapter has waited for it.
    const planError = await plan.metadataError;
    if (planError) result.otherErrors.push(planError);
    if (!userSignal.aborted) await saveExtras(saved, session, loader);
  } finally {
    const maxWaitMs = userSignal.aborted ? MAX_REPORT_WAIT_WHEN_STOPPED_MS : undefined;
    await share?.close();
    result.reports = (await reports?.finish(maxWaitMs)) ?? result.reports;
  }
}

/**
 * Updates the metadata of the chapters whose pages did not change. Resolves with the interruption that stopped it; what
 * is not updated then counts as not started.
 */
async function updateUnchanged(
  { chapters }: Plan,
  ids: ReadonlySet<string>,
  { request, listeners, userSignal }: DownloadSession,
): Promise<TankobonError | undefined> {
  if (ids.size === 0) return undefined;
  const { updateMetadata } = await import('./update-metadata.js');
  const remaining = new Set(ids);
  const observe = (event: UpdateEvent): void => {
    remaining.delete(event.chapter);
    listeners.observe(event);
  };
  const unchanged = chapters.filter(({ job }) => ids.has(job.id));
  try {
    await updateMetadata(unchanged, request, observe, userSignal);
    return undefined;
  } catch (error) {
    if (!userSignal.aborted) throw error;
    for (const chapter of remaining)
      listeners.observe({ type: 'chapter-skipped', chapter, reason: 'not-started' });
    return toTankobonError(error);
  }
}
