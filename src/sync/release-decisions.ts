/**
 * Which releases of one title to download now, over time: one for each chapter, by the same preferences as a
 * single download. Until `waitForGroupMs` after the first release, only the preferred group's is selected; with
 * `upgrade`, a release of a better group (or language) replaces the downloaded one.
 */
import type { Chapter } from '../service/chapters.js';
import type { UnreadTitle } from '../download/decide-changes.js';
import { replacedChapters, type Skip, type UnnamedWrite } from '../plan/change.js';
import { firstReadableMs, writesOf, type Decided, type DecisionOptions } from '../plan/decide.js';
import type { readKnownTitle } from '../download/known-title.js';
import { isInGroup } from '../selection/exclusions.js';
import { isNewsSkip } from '../events/reasons.js';
import { mayBeTwo } from '../selection/same-chapter.js';
import {
  selectChapters,
  type ExcludedChapter,
  type SelectionOptions,
} from '../selection/select-chapters.js';
import { minOf } from '../core/extremes.js';

export type KnownTitle = Awaited<ReturnType<typeof readKnownTitle>>;

export interface ReleaseRules {
  readonly selection: Omit<SelectionOptions, 'allReleases' | 'latest'>;
  /** How long to wait for the first of the preferred groups after the first release of a chapter. */
  readonly waitForGroupMs: number;
  /** Replace a downloaded release when a better group's release appears. */
  readonly upgrade: boolean;
  /** Names or ids. */
  readonly excludedGroups: readonly string[];
  readonly excludedUploaders: readonly string[];
  /** Ids in lower case. */
  readonly blocked?: readonly string[] | undefined;
  /** The id of the group whose releases alone count. */
  readonly onlyGroup?: string | undefined;
  /** They decide which chapters are kept (plan/retire.ts). */
  readonly keepLatest?: number | undefined;
  readonly keepUnread?: boolean | undefined;
  /** Releases that were readable before this time count as known, and are not downloaded. */
  readonly sinceMs?: number | undefined;
}

/** @param isLeft whether the subscription does not keep the chapter of a release: it is not downloaded */
export function toDecisionOptions(
  rules: ReleaseRules,
  nowMs: number,
  isLeft: (chapter: Chapter) => boolean = () => false,
): DecisionOptions {
  const { selection, waitForGroupMs, upgrade, sinceMs } = rules;
  return {
    selection,
    update: false,
    force: false,
    better: upgrade ? 'replaces' : 'left-out',
    waitForGroupMs,
    isUnwanted: (chapter) => isExcluded(chapter, rules),
    isOwnersChoice: (chapter, saved) => isPinned(chapter, rules) || isBlocked(saved, rules),
    countsAsSaved: (chapter) =>
      isLeft(chapter) ||
      (sinceMs !== undefined &&
        firstReadableMs(chapter) < sinceMs &&
        !isExcluded(chapter, rules) &&
        !isPinned(chapter, rules)),
    nowMs,
  };
}

/** @param releases all that the service lists in the requested languages */
export function selectReleases(
  releases: readonly Chapter[],
  known: KnownTitle,
  rules: ReleaseRules,
  nowMs: number,
): UnreadTitle {
  const allowed = releases.filter((chapter) => !isExcluded(chapter, rules));
  const { keys } = known;
  const { selected, excluded } = selectChapters(allowed, rules.selection, { nowMs, keys });
  return {
    ...known,
    releases,
    excluded,
    selected: selected.map(({ chapter, explanation: why }) => ({ id: chapter.id, chapter, why })),
  };
}

export interface ReleaseDecisions {
  /** To download now, in reading order. */
  readonly planned: readonly UnnamedWrite[];
  /** The best release so far of each chapter that waits for its preferred group. */
  readonly waiting: readonly Extract<Decided['changes'][number], { readonly kind: 'wait' }>[];
  /** Releases that are not downloaded, and that a person may miss. */
  readonly skipped: readonly Skip[];
  /** The number of chapters that were downloaded before. */
  readonly known: number;
  /** The known chapters that only the history has: their files were moved or removed. */
  readonly withoutFile: readonly Chapter[];
  /** When to decide again although nothing new was released: a wait ends, or a chapter becomes readable. */
  readonly againAtMs: number | undefined;
}

/** What a run says of the decisions for a title, and what it does. */
export function releaseDecisions(
  { changes, known }: Pick<Decided, 'changes' | 'known'>,
  { releases, excluded }: Pick<UnreadTitle, 'releases' | 'excluded'>,
  nowMs: number,
): ReleaseDecisions {
  const waiting = changes.flatMap((change) => (change.kind === 'wait' ? [change] : []));
  const skips = changes.flatMap((change) => (change.kind === 'skip' ? [change] : []));
  const listed = new Set(releases);
  const news = skips.filter((skip) => isNews(skip, listed));
  const isExternal = ({ reason }: Skip) => reason === 'chapter-external';
  const ofReason = (reason: Skip['reason']) => skips.filter((skip) => skip.reason === reason);
  const again = [...waiting.map(({ untilMs }) => untilMs), ...publicationsMs(excluded)];
  const next = again.filter((ms) => ms > nowMs);
  return {
    planned: writesOf(changes),
    waiting,
    skipped: [...news.filter(isExternal), ...news.filter((skip) => !isExternal(skip))],
    known,
    withoutFile: ofReason('in-download-archive').flatMap(({ chapter }) => chapter ?? []),
    againAtMs: next.length > 0 ? minOf(next) : undefined,
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

function publicationsMs(excluded: readonly ExcludedChapter[]): readonly number[] {
  return excluded.flatMap(({ chapter, reason }) =>
    reason === 'chapter-unpublished' ? [firstReadableMs(chapter)] : [],
  );
}

/** The id of the downloaded release that this one takes the place of. */
export function replacedRelease(change: UnnamedWrite): string | undefined {
  if (change.kind === 'save') return change.betterThan?.chapterId;
  return change.kind === 'replace' ? replacedChapters({ ...change, removes: [] })[0] : undefined;
}

/** Why the release is downloaded, for people. */
export function whyPlanned(change: UnnamedWrite): string {
  const reason = change.kind === 'save' ? change.betterThan?.why : undefined;
  const why = change.kind === 'replace' ? change.why : reason;
  return why === 'uploaded-again' ? 'uploaded again' : change.release.why;
}

function isPinned({ id }: Chapter, { selection: { pinned = [] } }: ReleaseRules): boolean {
  return pinned.includes(id);
}

function isBlocked({ id }: Chapter, { blocked = [] }: ReleaseRules): boolean {
  return blocked.includes(id);
}

function isExcluded(chapter: Chapter, rules: ReleaseRules): boolean {
  const { excludedGroups, excludedUploaders, onlyGroup } = rules;
  if (isPinned(chapter, rules)) return false;
  return (
    isBlocked(chapter, rules) ||
    (onlyGroup !== undefined && !chapter.groups.some(({ id }) => id === onlyGroup)) ||
    excludedGroups.some((name) => chapter.groups.some((group) => isInGroup(group, name))) ||
    excludedUploaders.some((id) => id.toLowerCase() === chapter.uploaderId)
  );
}
