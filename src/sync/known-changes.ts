/**
 * What changed on the service of the chapters that a collection has: other pages, other metadata, a restoration. With
 * `upgrade` the files follow; otherwise each change is reported once.
 */
import type { Chapter } from '../service/chapters.js';
import type { LibraryIndex } from '../library/scan.js';
import { savedState } from '../download/saved-state.js';
import { withDelivery } from '../download/with-delivery.js';
import { chapterFields } from '../selection/chapter-fields.js';
import { unavailableReason } from '../selection/exclusions.js';
import type { PlannedRelease } from './release-decisions.js';
import { rulesText } from './sync-request.js';
import { planReleases, type FoundReleases } from './sync-save.js';
import type { SyncSession } from './sync-session.js';
import type { DueTitle } from './sync-titles.js';

export interface KnownChanges {
  /** The chapters that changed since a run last compared them, of which none is replaced by another release. */
  readonly changed: readonly PlannedRelease[];
  /** All changed chapters as they are now, for the next run. */
  readonly compared: readonly string[];
}

/** `planned`: what the run downloads anyway. Reads the records of the title's files, and sends nothing. */
export async function findChanges(
  { id, options }: DueTitle,
  releases: readonly Chapter[],
  planned: readonly PlannedRelease[],
  library: LibraryIndex,
  { journal, userSignal, context }: SyncSession,
): Promise<KnownChanges> {
  const { readSaved } = await import('../download/read-saved.js');
  const nowMs = context.clock.wallMs();
  const archives = releases.flatMap((chapter) => library.find(chapter.id) ?? []);
  const saved = await readSaved(archives, userSignal);
  const handled = new Set(planned.flatMap(({ chapter, replaces = '' }) => [chapter.id, replaces]));
  const all = releases.filter((chapter) => {
    if (!saved.has(chapter.id) || handled.has(chapter.id)) return false;
    const now = savedState(chapter, { library, saved });
    const isChanged = now.state === 'saved' && now.isOutdated;
    return isChanged && !unavailableReason(chapter, nowMs);
  });
  const known = journal.state.titles[id];
  // With other rules, such as `upgrade`, what was only reported is dealt with again.
  const hasSameRules = known?.rules === rulesText(options, context.settings);
  const earlier = new Set(hasSameRules ? known.compared : []);
  return {
    changed: all
      .filter((chapter) => !earlier.has(revisionOf(chapter)))
      .map((chapter) => ({ chapter, why: 'it changed on MangaDex', isUpdate: true })),
    compared: all.map(revisionOf),
  };
}

/** Another edit of the same chapter is another change. */
function revisionOf({ id, version, updatedAt }: Chapter): string {
  return `${id} ${version} ${updatedAt?.getTime() ?? ''}`;
}

/** Compares the pages, by one request for each chapter, and reports what changed. */
export async function reportChanges(
  due: DueTitle,
  changed: readonly PlannedRelease[],
  found: FoundReleases,
  session: SyncSession,
): Promise<void> {
  if (changed.length === 0) return;
  const { previewUpdates } = await import('../download/update-metadata.js');
  const { request, plan: planAll } = await planReleases(due, changed, found, session);
  const everything = await planAll(session);
  const { plan, samePages } = await withDelivery(everything, session.client, session.userSignal);
  for (const { job } of plan.chapters) report(job.id, ['pages']);
  for (const event of await previewUpdates(samePages, request, session.userSignal))
    if (event.type === 'chapter-retagged') report(event.chapter, event.changed);

  function report(id: string, what: readonly string[]): void {
    const chapter = found.releases.find((each) => each.id === id);
    session.listeners.observe({
      type: 'chapter-changed',
      title: due.id,
      chapter: id,
      changed: what,
      ...(chapter && chapterFields(chapter, due.label)),
    });
  }
}

/** Reports the chapters that were taken down when the title was last read, and that the service has again. */
export function reportRestored(
  { id, label }: DueTitle,
  releases: readonly Chapter[],
  library: LibraryIndex,
  { journal, listeners, context }: SyncSession,
): void {
  const nowMs = context.clock.wallMs();
  const takenDown = new Set(journal.state.titles[id]?.takenDown);
  for (const chapter of releases) {
    const isBack = takenDown.has(chapter.id) && !unavailableReason(chapter, nowMs);
    if (!isBack || !library.find(chapter.id)) continue;
    const fields = chapterFields(chapter, label);
    listeners.observe({ type: 'chapter-restored', title: id, chapter: chapter.id, ...fields });
  }
}
