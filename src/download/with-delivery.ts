/** A plan for which the service was asked what a download would ask it: a dry run, and what a sync reports. */
import type { ServiceClient } from '../service/client.js';
import { ChapterError } from '../core/errors.js';
import { fetchAtHomeMetadata, type AtHomeMetadata } from '../service/at-home.js';
import { comparedFile } from '../plan/change.js';
import type { Plan } from './plan.js';
import type { PlannedChapter } from './plan-jobs.js';

/**
 * The plan for a dry run, which requests what the download would: chapters without metadata are dropped if they are
 * unavailable, and existing ones are not loaded if their pages are the same.
 */
export async function withDelivery(
  plan: Plan,
  client: ServiceClient,
  signal: AbortSignal,
): Promise<{ readonly plan: Plan; readonly samePages: readonly PlannedChapter[] }> {
  const chapters: PlannedChapter[] = [];
  const samePages: PlannedChapter[] = [];
  const failed = [...plan.failed];
  for (const planned of plan.chapters) {
    try {
      const { job } = planned;
      const isCompared = comparedFile(job.change) !== undefined;
      const isRequested = !planned.chapter || isCompared;
      const metadata = isRequested && (await fetchAtHomeMetadata(client, job.id, signal));
      const isSame = metadata && isCompared && (await hasSamePages(job, metadata));
      (isSame ? samePages : chapters).push(planned);
    } catch (error) {
      if (!(error instanceof ChapterError)) throw error;
      failed.push({ id: planned.job.id, error });
    }
  }
  return { plan: { ...plan, chapters, failed }, samePages };
}

async function hasSamePages(
  { change, quality }: PlannedChapter['job'],
  metadata: AtHomeMetadata,
): Promise<boolean> {
  const { comparePages } = await import('./read-saved.js');
  return comparePages(change, metadata, quality);
}
