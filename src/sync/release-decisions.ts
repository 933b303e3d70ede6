/**
 * What a run does and says by the changes of one title: which releases are downloaded now, which wait, and what changed on
 * the service of the chapters that are there. With `upgrade` the files follow; otherwise each change is reported once. Pure.
 */
import type { Chapter } from '../service/chapters.js';
import type { UnreadTitle } from '../download/known-title.js';
import {
  comparedFile,
  replacedRelease,
  type Decision,
  type Skip,
  type UnnamedWrite,
} from '../plan/change.js';
import { writesOf, type Decided } from '../plan/decide.js';
import { isNewsSkip } from '../events/reasons.js';
import { mayBeTwo } from '../selection/same-chapter.js';
import { rulesText } from './sync-request.js';
import type { DueTitle, SyncSession } from './sync-session.js';

export interface ReleaseDecisions {
  /** To download now, in reading order. */
  readonly planned: readonly UnnamedWrite[];
  /** What becomes of the chapters that changed since the last comparison. None is replaced by another release. */
  readonly updates: readonly Decision[];
  /** All changed chapters as they are now, for the next run. */
  readonly compared: readonly string[];
  /** The best release so far of each chapter that waits for its preferred group. */
  readonly waiting: readonly Extract<Decision, { readonly kind: 'wait' }>[];
  /** Releases that are not downloaded, and that a person may miss. */
  readonly skipped: readonly Skip[];
  /** The known chapters that only the history has: their files were moved or removed. */
  readonly withoutFile: readonly Chapter[];
}

/**
 * @param outdated the chapters that changed on the service since their files were saved
 * @param updated the ids of those whose files were to get that
 */
export function releaseDecisions(
  { changes }: Pick<Decided, 'changes'>,
  { releases }: Pick<UnreadTitle, 'releases'>,
  outdated: readonly Chapter[],
  updated: ReadonlySet<string>,
): ReleaseDecisions {
  const writes = writesOf(changes);
  const planned = writes.filter((change) => !comparedFile(change));
  const handled = new Set(
    planned.flatMap((change) => [change.release.id, replacedRelease(change) ?? '']),
  );
  const compared = outdated.filter((chapter) => !handled.has(chapter.id));
  const waiting = changes.filter((change) => change.kind === 'wait');
  const allSkips = changes.filter((change) => change.kind === 'skip');
  const skips = allSkips.filter(({ id }) => !updated.has(id));
  const listed = new Set(releases);
  const news = skips.filter((skip) => isNews(skip, listed));
  const isExternal = ({ reason }: Skip) => reason === 'chapter-external';
  return {
    planned,
    updates: [
      ...writes.filter((change) => comparedFile(change)),
      ...allSkips.filter(({ id }) => updated.has(id)),
      ...changes.filter(({ kind }) => kind === 'keep'),
    ],
    compared: compared.map(revisionOf),
    waiting,
    skipped: [...news.filter(isExternal), ...news.filter((skip) => !isExternal(skip))],
    withoutFile: skips.flatMap(({ reason, chapter }) =>
      reason === 'in-download-archive' && chapter ? [chapter] : [],
    ),
  };
}

/** Whether a person may miss the release, since the one that is here may be taken for another chapter. */
function isNews({ reason, chapter, instead }: Skip, listed: ReadonlySet<Chapter>): boolean {
  if (!isNewsSkip(reason)) return false;
  if (reason === 'chapter-external') return instead === undefined;
  if (reason !== 'other-release-saved' || !chapter || !instead) return true;
  return (
    !listed.has(instead) || mayBeTwo(instead, chapter) || instead.language !== chapter.language
  );
}

/** The ids of the releases that changed on the service and were not compared yet. */
export function notCompared(
  { id, options }: Pick<DueTitle, 'id' | 'options'>,
  outdated: readonly Chapter[],
  { journal, context }: Pick<SyncSession, 'journal' | 'context'>,
): ReadonlySet<string> {
  const known = journal.state.titles[id];
  // With other rules, such as `upgrade`, what was only reported is dealt with again.
  const hasSameRules = known?.rules === rulesText(options, context.settings);
  const earlier = new Set(hasSameRules ? known.compared : []);
  const isNew = (chapter: Chapter) => !earlier.has(revisionOf(chapter));
  return new Set(outdated.filter(isNew).map((chapter) => chapter.id));
}

/** Another edit of the same chapter is another change. */
function revisionOf({ id, version, updatedAt }: Chapter): string {
  return `${id} ${version} ${updatedAt?.getTime() ?? ''}`;
}
