/**
 * The second half of `tankobon download`: the planned chapters are loaded, packed and reported, and what was asked
 * for beside them follows.
 */
import { setImmediate } from 'node:timers/promises';
import { PACKING_LIBRARIES } from '../../cbz/cbz-writer.js';
import { saveChapters } from '../../download/batch.js';
import type { ChapterDeps } from '../../download/chapter.js';
import { PageSlots } from '../../download/page-slots.js';
import type { Plan } from '../../download/plan.js';
import type { Reports } from '../../health-reports/health-report.js';
import { preloadDomainList } from '../../api/first-party-domain.js';
import { imageLoader, openHealthReports } from '../../app/service.js';
import { youngMemoryCollector } from '../../download/gc-tuning.js';
import { afterwards } from './download-extras.js';
import { isReporting, type DownloadContext, type Tally } from './download-session.js';

/** Whoever presses Ctrl-C wants to be gone within a second. */
const INTERRUPTED_PATIENCE_MS = 300;

/** Loads the libraries that come after the metadata, letting others have their turn in between. */
export async function warmUp(signal: AbortSignal): Promise<void> {
  for (const load of [preloadDomainList, ...PACKING_LIBRARIES]) {
    await setImmediate();
    if (signal.aborted) return;
    await load();
  }
}

/** Saves what can be had; what cannot is told to the observer. All that has become of it is in the tally. */
export async function savePlanned(
  plan: Plan,
  session: DownloadContext,
  tally: Tally,
): Promise<void> {
  const { options, warn, run, service } = session;
  const reports = isReporting(options, run)
    ? await openHealthReports(run, service, { warn })
    : undefined;
  try {
    const parts = chapterParts(session, reports);
    const planned = plan.chapters.map(({ job }) => job);
    const outcome = await saveChapters(planned, parts, run.signal);
    tally.saved = outcome.saved.size;
    tally.skipped = outcome.skipped + plan.skipped.length;
    tally.notStarted += outcome.notStarted.length;
    tally.stoppedBy ??= outcome.stoppedBy;
    tally.failures.push(...outcome.failed.map(({ job, error }) => ({ id: job.id, error })));
    if (outcome.saved.size === 0) return;
    // Each chapter that was saved has waited for it.
    const trouble = await plan.rest;
    if (trouble) tally.stopped.push(trouble);
    const saved = plan.chapters.filter(({ job }) => outcome.saved.has(job.id));
    tally.stopped.push(...(await afterwards(saved, { ...session, loader: parts.loader })));
  } finally {
    const patienceMs = run.signal.aborted ? INTERRUPTED_PATIENCE_MS : undefined;
    tally.reports = (await reports?.finish(patienceMs)) ?? tally.reports;
  }
}

function chapterParts(
  { client, ahead, options, observer, run, service }: DownloadContext,
  reports: Reports | undefined,
): ChapterDeps {
  const collect = youngMemoryCollector();
  return {
    client,
    ahead,
    loader: imageLoader(run, service, client),
    slots: new PageSlots(options.concurrency ?? run.settings.concurrency),
    reports,
    isOwn: service.isOwn,
    outages: service.outages,
    observe: (event) => {
      if (event.type === 'page-bytes') collect(event.bytes);
      observer.observe(event);
    },
    random: Math.random,
  };
}
