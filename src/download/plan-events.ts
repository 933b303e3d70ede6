/** What a plan says as events, for a dry run with `--json`, and of the chapters that it skips in any run. */
import type { DRY_RUN_EVENTS, SkippedEvent } from '../events/download-events.js';
import type { EventsOf } from '../events/fields.js';
import { whyLoaded } from '../plan/change.js';
import { chapterFields } from '../selection/chapter-fields.js';
import { minTimeMs } from '../service/estimate.js';
import { failedEvent } from './download-result.js';
import type { Plan } from './plan.js';

/** All of a plan; the last event is its sum. */
export function planEvents(plan: Plan): readonly EventsOf<typeof DRY_RUN_EVENTS>[] {
  const { fields } = plan;
  return [
    ...plan.chapters.map(({ job, chapter, seriesName }) => ({
      type: 'planned' as const,
      chapter: job.id,
      file: job.file,
      why: whyLoaded(job.change),
      ...(chapter && chapterFields(chapter, seriesName)),
      groups: chapter?.groups.map(({ name }) => name),
    })),
    ...skippedEvents(plan),
    ...plan.updates.map((event) => ({ ...event, ...fields.get(event.chapter) })),
    ...plan.excluded.map(({ chapter, reason, explanation }) => ({
      type: 'passed-over' as const,
      chapter: chapter.id,
      reason,
      why: explanation,
      ...fields.get(chapter.id),
    })),
    ...plan.failed.map((each) => ({ ...failedEvent(each), ...fields.get(each.id) })),
    {
      type: 'plan',
      chapters: plan.chapters.length,
      requests: requestsOf(plan),
      leastTimeMs: minPlanTimeMs(plan),
    },
  ];
}

/** An event for each chapter that the plan skips. */
export function skippedEvents({ changes, fields }: Plan): readonly SkippedEvent[] {
  const skips = changes.flatMap((change) => (change.kind === 'skip' ? [change] : []));
  return skips.map(({ id, reason, file }) => ({
    type: 'chapter-skipped',
    chapter: id,
    reason,
    file,
    ...fields.get(id),
  }));
}

/** The least time that the service's limits allow for the chapters of a plan. */
export function minPlanTimeMs(plan: Plan): number {
  return minTimeMs(requestsOf(plan));
}

/** Each chapter that is loaded or compared takes one request. */
function requestsOf({ chapters, updates }: Plan): number {
  return chapters.length + updates.length;
}
