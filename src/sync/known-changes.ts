/**
 * What changed on the service of the chapters that a collection has: other pages, other metadata, a restoration. With
 * `upgrade` the files follow; otherwise each change is reported once.
 */
import type { Chapter } from '../service/chapters.js';
import type { LibraryIndex } from '../library/scan.js';
import { decideChanges, readOutdated, type UnreadTitle } from '../download/decide-changes.js';
import { previewPlan } from '../download/run-download.js';
import { replacedFile, type Decision, type UnnamedWrite } from '../plan/change.js';
import type { KnownFiles, DecisionOptions } from '../plan/decide.js';
import { chapterFields } from '../selection/chapter-fields.js';
import { unavailableReason } from '../selection/exclusions.js';
import { replacedRelease } from './release-decisions.js';
import { rulesText } from './sync-request.js';
import { planReleases, type TitleChanges } from './sync-save.js';
import type { SyncSession } from './sync-session.js';
import type { DueTitle } from './sync-titles.js';

interface KnownChanges {
  /** What becomes of the chapters that changed since the last comparison. None is replaced by another release. */
  readonly updates: readonly Decision[];
  /** All changed chapters as they are now, for the next run. */
  readonly compared: readonly string[];
}

/** `planned`: what the run downloads anyway. Reads the records of the title's files. */
export async function findChanges(
  { id, options }: DueTitle,
  title: UnreadTitle,
  planned: readonly UnnamedWrite[],
  decisionOptions: DecisionOptions,
  { library, history }: KnownFiles & { readonly library: LibraryIndex },
  session: SyncSession,
): Promise<KnownChanges> {
  const { journal, userSignal, context, client } = session;
  const { nowMs } = decisionOptions;
  const { outdated, saved } = await readOutdated(title, library, nowMs, userSignal);
  const handled = new Set(
    planned.flatMap((change) => [change.release.id, replacedRelease(change) ?? '']),
  );
  const all = outdated.filter((chapter) => !handled.has(chapter.id));
  const known = journal.state.titles[id];
  // With other rules, such as `upgrade`, what was only reported is dealt with again.
  const hasSameRules = known?.rules === rulesText(options, context.settings);
  const earlier = new Set(hasSameRules ? known.compared : []);
  const changed = all.filter((chapter) => !earlier.has(revisionOf(chapter)));
  const compared = all.map(revisionOf);
  if (changed.length === 0) return { updates: [], compared };
  const taken = new Set(planned.map((change) => replacedFile(change)?.file));
  const unlisted = title.unlisted.filter(({ archive }) => !taken.has(archive.file));
  const named = changed.map((chapter) => {
    return { id: chapter.id, chapter, why: 'it changed on MangaDex' };
  });
  const { changes } = await decideChanges(
    { named, titles: [{ ...title, selected: [], excluded: [], unlisted }] },
    { ...decisionOptions, update: true },
    { library, history, saved },
    { client, signal: userSignal },
  );
  return { updates: changes, compared };
}

/** Another edit of the same chapter is another change. */
function revisionOf({ id, version, updatedAt }: Chapter): string {
  return `${id} ${version} ${updatedAt?.getTime() ?? ''}`;
}

/** Compares the pages, by one request for each chapter, and reports what changed. */
export async function reportChanges(
  due: DueTitle,
  changes: TitleChanges,
  releases: readonly Chapter[],
  session: SyncSession,
): Promise<void> {
  if (changes.updates.length === 0) return;
  const { request, plan: planAll } = await planReleases(
    due,
    { ...changes, added: [] },
    releases,
    session,
  );
  const planned = await planAll(session);
  const plan = await previewPlan(planned, request, { ...session, signal: session.userSignal });
  for (const { job } of plan.chapters) report(job.id, ['pages']);
  for (const event of plan.updates)
    if (event.type === 'chapter-retagged') report(event.chapter, event.changed);

  function report(id: string, what: readonly string[]): void {
    const chapter = releases.find((each) => each.id === id);
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
