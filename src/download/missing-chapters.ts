import type { ServiceClient } from '../api/client.js';
import { ChapterError } from '../core/errors.js';
import { fetchAtHomeMetadata } from '../image/at-home.js';
import type { Plan, PlannedChapter } from './plan.js';

/** The plan for a dry run: asks for each chapter that the catalogue does not know, as the download would. */
export async function withoutMissing(
  plan: Plan,
  client: ServiceClient,
  signal: AbortSignal,
): Promise<Plan> {
  const chapters: PlannedChapter[] = [];
  const failed = [...plan.failed];
  for (const planned of plan.chapters) {
    try {
      if (!planned.chapter) await fetchAtHomeMetadata(client, planned.job.id, signal);
      chapters.push(planned);
    } catch (error) {
      if (!(error instanceof ChapterError)) throw error;
      failed.push({ id: planned.job.id, error });
    }
  }
  return { ...plan, chapters, failed };
}
