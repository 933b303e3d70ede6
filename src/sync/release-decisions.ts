/**
 * Which releases of one title to download now, over time: one for each chapter number, by the same preferences as a
 * single download. Until `waitForGroupMs` after the first release, only the preferred group's is selected; with
 * `upgrade`, a release of a better group (or language) replaces the downloaded one.
 */
import type { Chapter } from '../api/chapters.js';
import { groupBy } from '../core/group-by.js';
import {
  decideUpload,
  type EarlierUpload,
  type UploadSkipReason,
} from '../download/earlier-uploads.js';
import type { SavedState } from '../download/saved-state.js';
import { compareReadingOrder } from '../selection/reading-order.js';
import { isInGroup } from '../selection/exclusions.js';
import {
  rankOf,
  releaseKey,
  selectChapters,
  type SelectionContext,
  type SelectionOptions,
} from '../selection/select-chapters.js';
import { minOf } from '../core/extremes.js';

export interface ReleaseRules {
  readonly selection: Omit<SelectionOptions, 'allReleases' | 'latest'>;
  /** How long to wait for the first of the preferred groups after the first release of a chapter. */
  readonly waitForGroupMs: number;
  /** Replace a downloaded release when a better group's release appears. */
  readonly upgrade: boolean;
  /** Names or ids. */
  readonly excludedGroups: readonly string[];
  readonly excludedUploaders: readonly string[];
  /** The id of the group whose releases alone count. */
  readonly onlyGroup?: string | undefined;
  /** Releases that were readable before this time count as known, and are not downloaded. */
  readonly sinceMs?: number | undefined;
}

export interface PlannedRelease {
  readonly chapter: Chapter;
  /** Why this release, for people. */
  readonly why: string;
  /** The id of the downloaded release that it replaces. */
  readonly replaces?: string;
  /** The release itself was downloaded, and changed since. */
  readonly isUpdate?: boolean;
}

export interface WaitingRelease {
  readonly chapter: Chapter;
  readonly untilMs: number;
}

export interface DoubledRelease {
  readonly chapter: Chapter;
  readonly reason: Exclude<UploadSkipReason, 'already-there'>;
  readonly file: string;
}

export interface ReleaseDecisions {
  /** To download now, in reading order. */
  readonly planned: readonly PlannedRelease[];
  /** The best release so far of each chapter that waits for its preferred group. */
  readonly waiting: readonly WaitingRelease[];
  /** Releases that the publisher hosts elsewhere, of chapters without any other release. */
  readonly external: readonly Chapter[];
  /** Releases that were taken down, or that have no pages; of those before `sinceMs` only what was downloaded. */
  readonly unavailable: readonly Chapter[];
  /** Chapters whose number a file has, of a chapter that was deleted or renumbered since. */
  readonly doubled: readonly DoubledRelease[];
  /** The number of chapters that were downloaded before. */
  readonly known: number;
  /** The known chapters that only the history has: their files were moved or removed. */
  readonly withoutFile: readonly Chapter[];
  /** When to decide again although nothing new was released: a wait ends, or a chapter becomes readable. */
  readonly againAtMs: number | undefined;
}

/**
 * @param releases all known releases of the title
 * @param stateOf whether a release was downloaded, and has its file
 * @param uploads those in the output folder that the service has deleted or renumbered
 */
export function decideReleases(
  releases: readonly Chapter[],
  rules: ReleaseRules,
  stateOf: (chapterId: string) => SavedState['state'],
  context: SelectionContext,
  uploads: readonly EarlierUpload[] = [],
): ReleaseDecisions {
  const { selection, upgrade } = rules;
  const isDownloaded = (chapterId: string) => stateOf(chapterId) !== 'missing';
  const { numbersRestart } = context;
  const uploadRules = { selection, isReplacing: upgrade, numbersRestart };
  const doubled: DoubledRelease[] = [];
  const planned: PlannedRelease[] = [];
  const waiting: WaitingRelease[] = [];
  const external: Chapter[] = [];
  const unavailable: Chapter[] = [];
  const againAtMs: number[] = [];
  const withoutFile: Chapter[] = [];
  let known = 0;
  const allowed = releases.filter((chapter) => !isExcluded(chapter, rules));
  const byKey = groupBy(allowed, (chapter) => releaseKey(chapter, selection, numbersRestart));
  for (const group of byKey.values()) {
    const knownReleases = group.filter(
      (chapter) => isDownloaded(chapter.id) || isBefore(chapter, rules.sinceMs),
    );
    const { selected, excluded } = selectChapters(group, selection, context);
    for (const { chapter, reason } of excluded) {
      if (reason === 'chapter-unpublished') againAtMs.push(firstReadableMs([chapter]));
      if (
        reason === 'chapter-unavailable' &&
        (isDownloaded(chapter.id) || !isBefore(chapter, rules.sinceMs))
      )
        unavailable.push(chapter);
      if (reason === 'chapter-external' && selected.length === 0 && knownReleases.length === 0)
        external.push(chapter);
    }
    for (const { chapter, explanation } of selected) {
      if (knownReleases.length > 0) {
        known += 1;
        const old = knownReleases.includes(chapter)
          ? undefined
          : findReplacedRelease(chapter, knownReleases, rules, isDownloaded);
        if (old) planned.push({ chapter, why: explanation, replaces: old.id });
        else if (knownReleases.every(({ id }) => stateOf(id) === 'recorded'))
          withoutFile.push(chapter);
        continue;
      }
      const decision = decideUpload(chapter, uploads, uploadRules);
      const untilMs = waitUntilMs(chapter, group, rules);
      if (decision?.kind === 'replaces')
        planned.push({ chapter, why: 'uploaded again', replaces: decision.archive.chapterId });
      else if (decision?.reason === 'already-there') known += 1;
      else if (decision) doubled.push({ chapter, reason: decision.reason, file: decision.file });
      else if (untilMs > context.nowMs) {
        waiting.push({ chapter, untilMs });
        againAtMs.push(untilMs);
      } else planned.push({ chapter, why: explanation });
    }
  }
  const order = compareReadingOrder(numbersRestart);
  planned.sort((a, b) => order(a.chapter, b.chapter));
  const next = againAtMs.filter((ms) => ms > context.nowMs);
  return {
    planned,
    waiting,
    external,
    unavailable,
    doubled,
    known,
    withoutFile,
    againAtMs: next.length > 0 ? minOf(next) : undefined,
  };
}

function isExcluded(
  chapter: Chapter,
  { excludedGroups, excludedUploaders, onlyGroup }: ReleaseRules,
): boolean {
  return (
    (onlyGroup !== undefined && !chapter.groups.some(({ id }) => id === onlyGroup)) ||
    excludedGroups.some((name) => chapter.groups.some((group) => isInGroup(group, name))) ||
    excludedUploaders.some((id) => id.toLowerCase() === chapter.uploaderId)
  );
}

function isBefore(chapter: Chapter, sinceMs: number | undefined): boolean {
  return sinceMs !== undefined && firstReadableMs([chapter]) < sinceMs;
}

/** The best downloaded release, if `better` is better than it by language or group. */
function findReplacedRelease(
  better: Chapter,
  knownReleases: readonly Chapter[],
  { upgrade, selection }: ReleaseRules,
  isDownloaded: (chapterId: string) => boolean,
): Chapter | undefined {
  if (!upgrade) return undefined;
  const rank = (chapter: Chapter) => {
    const { language, group } = rankOf(chapter, selection);
    return language * (selection.groups.length + 1) + group;
  };
  const [best] = knownReleases
    .filter(({ id }) => isDownloaded(id))
    .sort((a, b) => rank(a) - rank(b));
  return best && rank(better) < rank(best) ? best : undefined;
}

/** Until when the chapter waits for the first of the preferred groups; 0 if this is its release. */
function waitUntilMs(
  best: Chapter,
  releases: readonly Chapter[],
  { selection, waitForGroupMs }: ReleaseRules,
): number {
  const [preferred] = selection.groups;
  if (preferred === undefined || waitForGroupMs === 0) return 0;
  if (best.groups.some((group) => isInGroup(group, preferred))) return 0;
  const inLanguages = releases.filter(
    ({ language }) => selection.languages.length === 0 || selection.languages.includes(language),
  );
  return firstReadableMs(inLanguages) + waitForGroupMs;
}

/** A release without a time counts as old. */
function firstReadableMs(releases: readonly Chapter[]): number {
  const times = releases.map(({ readableAt, publishAt, createdAt }) =>
    (readableAt ?? publishAt ?? createdAt)?.getTime(),
  );
  return minOf(times.map((ms) => ms ?? 0));
}
