/**
 * The second half of `tankobon download`: the planned chapters are loaded, packed and reported, and what was asked
 * for beside them follows.
 */
import { setImmediate } from 'node:timers/promises';
import { warmUpPacking } from '../../archive/cbz.js';
import { saveAll } from '../../download/batch.js';
import type { ChapterParts } from '../../download/chapter.js';
import { PageSlots } from '../../download/page-slots.js';
import type { Plan } from '../../download/plan.js';
import type { TankobonError } from '../../kernel/errors.js';
import type { Reports } from '../../reports/outbox.js';
import { warmUpOwnDomain } from '../../service/own-domain.js';
import { openReports } from '../compose.js';
import { youngMemoryCollector } from '../young-memory.js';
import { afterwards } from './download-extras.js';
import { isReporting, type DownloadSession, type Failure } from './download-session.js';

/** Whoever presses Ctrl-C wants to be gone within a second. */
const INTERRUPTED_PATIENCE_MS = 300;

export interface SavedChapters {
  readonly saved: number;
  readonly skipped: number;
  readonly failures: readonly Failure[];
  /** What stopped the run as a whole after its chapters were there. */
  readonly stopped: readonly TankobonError[];
  readonly reports: { readonly sent: number; readonly waiting: number };
}

/** Loads the libraries that come after the metadata, letting others have their turn in between. */
export async function warmUp(): Promise<void> {
  await setImmediate();
  await warmUpOwnDomain();
  await setImmediate();
  const steps = warmUpPacking();
  while (!(await steps.next()).done) await setImmediate();
}

/** Saves what can be had; what cannot is told to the observer and returned. */
export async function savePlanned(plan: Plan, session: DownloadSession): Promise<SavedChapters> {
  const { options, warn, run, service } = session;
  const reports = isReporting(options, run) ? await openReports(run, service, { warn }) : undefined;
  const parts = chapterParts(session, reports);
  const finish = async () => {
    await plan.whole;
    return reports?.finish(run.signal.aborted ? INTERRUPTED_PATIENCE_MS : undefined);
  };
  try {
    const planned = plan.chapters.map(({ job }) => job);
    const outcome = await saveAll(planned, parts, run.signal);
    const saved = plan.chapters.filter(({ job }) => outcome.saved.has(job.id));
    const stopped = await afterwards(saved, { ...session, loader: parts.loader });
    return {
      saved: outcome.saved.size,
      skipped: outcome.skipped + plan.skipped.length,
      failures: outcome.failed.map(({ job, error }) => ({ id: job.id, error })),
      stopped,
      reports: (await finish()) ?? { sent: 0, waiting: 0 },
    };
  } catch (error) {
    await finish();
    throw error;
  }
}

function chapterParts(
  { client, ahead, options, observer, run, service }: DownloadSession,
  reports: Reports | undefined,
): ChapterParts {
  const { clock, settings } = run;
  const collect = youngMemoryCollector();
  return {
    client,
    ahead,
    loader: {
      page: service.connections.page,
      admit: (line, signal) => client.admit(line, signal),
      clock,
      maxPageBytes: settings.maxPageBytes,
    },
    slots: new PageSlots(options.concurrency ?? settings.concurrency),
    reports,
    isOwn: service.isOwn,
    observe: (event) => {
      if (event.type === 'page-bytes') collect(event.bytes);
      observer.observe(event);
    },
    random: Math.random,
  };
}
