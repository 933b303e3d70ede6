/** Saves the chapters of a plan, sends their health reports, then saves what belongs to them. */
import { removeExpired } from '../../library/replaced-files.js';
import { applyChanges } from './apply.js';
import { waitingEvent } from '../../events/download-events.js';
import { removeLeftovers } from '../leftovers.js';
import { PageQueue } from './page-queue.js';
import type { Plan } from '../plan.js';
import { openChapterShare } from './chapter-share.js';
import type { DownloadResult } from '../download-result.js';
import type { DownloadSession } from '../download-session.js';
import { saveExtras } from '../extras/save-extras.js';
import { imageLoader, openHealthReports } from '../../service/service.js';

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
  const { output, keepReplaced: maxAgeMs } = request;
  const nowMs = context.clock.wallMs();
  await removeExpired({ output, maxAgeMs, nowMs }, plan.hiddenFolders);
  const { observe } = listeners;
  const reports = request.reports ? await openHealthReports(context, service, { warn }) : undefined;
  const share =
    request.share === undefined
      ? undefined
      : await openChapterShare(context, request.share, (wait) => {
          observe(waitingEvent(wait));
        });
  const loader = imageLoader(context, service, client);
  const deps = {
    client,
    share,
    loader,
    queue: new PageQueue(request.concurrency),
    reports,
    isFirstParty: service.isFirstParty,
    outages: service.outages,
    minFreeBytes: context.settings.minFree || 0,
    observe,
    random: Math.random,
    onClaimedElsewhere: session.onClaimedElsewhere,
    checkOutput: session.checkOutput,
  };
  try {
    result.stoppedBy ??= await applyChanges(plan.chapters, deps, session);
    const saved = plan.chapters.filter(({ job }) => result.savedFiles.has(job.id));
    // Already settled: each saved chapter has waited for it.
    const planError = saved.length > 0 ? await plan.metadataError : undefined;
    if (planError) result.otherErrors.push(planError);
    const present = result.stoppedBy ? [] : presentAfter(plan, result);
    const chapterless = result.stoppedBy ? [] : plan.chapterless;
    if (!userSignal.aborted && saved.length + present.length + chapterless.length > 0) {
      await session.checkOutput?.();
      await saveExtras({ saved, present, chapterless }, session, loader);
    }
  } finally {
    const maxWaitMs = userSignal.aborted ? MAX_REPORT_WAIT_WHEN_STOPPED_MS : undefined;
    await share?.close();
    const sent = await reports?.finish(maxWaitMs);
    if (sent) result.reports = { ...sent, sent: result.reports.sent + sent.sent };
  }
}

/** The chapters that the run did not save, with the files that they have by now. */
function presentAfter({ present }: Plan, { savedFiles, retaggedFiles }: DownloadResult) {
  return present.flatMap(({ file, ...each }) => {
    const { id } = each.chapter;
    return savedFiles.has(id) ? [] : { ...each, file: retaggedFiles.get(id) ?? file };
  });
}
