/** A plan for which the service was asked what a download would ask it: a dry run, and what a sync reports. */
import type { ServiceClient } from '../service/client.js';
import { ChapterError } from '../core/errors.js';
import { fetchAtHomeMetadata } from '../service/at-home.js';
import type { Plan } from './plan.js';
import { whyLoaded, type PlannedChapter } from './plan-jobs.js';

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
      const { id, hasSamePages } = planned.job;
      const isRequested = !planned.chapter || hasSamePages !== undefined;
      const metadata = isRequested && (await fetchAtHomeMetadata(client, id, signal));
      const isSame = metadata && (await hasSamePages?.(metadata)) === true;
      if (isSame) samePages.push(planned);
      else chapters.push({ ...planned, why: whyLoaded(planned) });
    } catch (error) {
      if (!(error instanceof ChapterError)) throw error;
      failed.push({ id: planned.job.id, error });
    }
  }
  return { plan: { ...plan, chapters, failed }, samePages };
}
