/**
 * Which releases of one title to download now, over time: one for each chapter, by the same preferences as a
 * single download. Until `waitForGroupMs` after the first release, only the preferred group's is selected; with
 * `upgrade`, a release of a better group (or language) replaces the downloaded one.
 */
import type { Chapter } from '../service/chapters.js';
import { groupBy } from '../core/group-by.js';
import {
  decideUpload,
  type EarlierUpload,
  type UploadSkipReason,
} from '../download/earlier-uploads.js';
import type { SavedState } from '../download/saved-state.js';
import { isInGroup } from '../selection/exclusions.js';
import { mayBeTwo, mayReplace } from '../selection/same-chapter.js';
import {
  rankOf,
  releaseKey,
  selectChapters,
  type ExcludedChapter,
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
  /** Undefined if the other release is not saved yet. */
  readonly file: string | undefined;
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
  /** Releases that are not saved beside another one of their chapter, and that a person may miss. */
  readonly doubled: readonly DoubledRelease[];
  /** The number of chapters that were downloaded before. */
  readonly known: number;
  /** The known chapters that only the history has: their files were moved or removed. */
  readonly withoutFile: readonly Chapter[];
  /** When to decide again although nothing new was released: a wait ends, or a chapter becomes readable. */
  readonly againAtMs: number | undefined;
}

export interface TitleReleases {
  /** All that the service lists in the requested languages. */
  readonly releases: readonly Chapter[];
  /** The releases that it listed before. */
  readonly earlier?: readonly Chapter[];
  /** Chapters in the output folder that the service does not list, of which there is a new release. */
  readonly uploads?: readonly EarlierUpload[];
}

/** @param stateOf whether a release was downloaded, and has its file */
export function decideReleases(
  { releases, earlier = [], uploads = [] }: TitleReleases,
  rules: ReleaseRules,
  stateOf: (chapterId: string) => SavedState,
  context: SelectionContext,
): ReleaseDecisions {
  const decisions = new Decisions(rules, stateOf, context, uploads);
  const keyOf = (chapter: Chapter) => releaseKey(chapter, rules.selection, context.keys);
  const earlierByKey = groupBy(earlier, keyOf);
  for (const [key, ofChapter] of groupBy(releases, keyOf))
    decisions.add(ofChapter, earlierByKey.get(key) ?? []);
  const next = decisions.againAtMs.filter((ms) => ms > context.nowMs);
  return {
    ...decisions.found,
    planned: decisions.found.planned.sort((a, b) => context.keys.compare(a.chapter, b.chapter)),
    known: decisions.known,
    againAtMs: next.length > 0 ? minOf(next) : undefined,
  };
}

class Decisions {
  readonly found = {
    planned: [] as PlannedRelease[],
    waiting: [] as WaitingRelease[],
    external: [] as Chapter[],
    unavailable: [] as Chapter[],
    doubled: [] as DoubledRelease[],
    withoutFile: [] as Chapter[],
  };
  readonly againAtMs: number[] = [];
  known = 0;

  constructor(
    private readonly rules: ReleaseRules,
    private readonly stateOf: (chapterId: string) => SavedState,
    private readonly context: SelectionContext,
    private readonly uploads: readonly EarlierUpload[],
  ) {}

  /** The releases of one chapter; `earlier`: those that the service does not list any more. */
  add(releases: readonly Chapter[], earlier: readonly Chapter[]): void {
    const { rules, context } = this;
    const allowed = releases.filter((chapter) => !isExcluded(chapter, rules));
    // A saved release that is excluded by now is not doubled.
    const had = [...releases, ...earlier.filter(({ id }) => this.stateOf(id).state === 'recorded')];
    const knownReleases = had.filter(
      (chapter) =>
        this.#isDownloaded(chapter) ||
        (allowed.includes(chapter) && isBefore(chapter, rules.sinceMs)),
    );
    const { selected, excluded } = selectChapters(allowed, rules.selection, context);
    for (const { chapter, reason } of excluded) {
      if (reason === 'chapter-unpublished') this.againAtMs.push(firstReadableMs([chapter]));
      if (
        reason === 'chapter-unavailable' &&
        (this.#isDownloaded(chapter) || !isBefore(chapter, rules.sinceMs))
      )
        this.found.unavailable.push(chapter);
      if (reason === 'chapter-external' && selected.length === 0 && knownReleases.length === 0)
        this.found.external.push(chapter);
    }
    for (const { chapter, explanation } of selected) {
      const instead =
        knownReleases.length > 0
          ? this.#addKnown(chapter, explanation, knownReleases)
          : this.#addNew(chapter, explanation, releases);
      if (instead) this.#nameLeftOut(instead, excluded);
    }
  }

  #isDownloaded({ id }: Chapter): boolean {
    return this.stateOf(id).state !== 'missing';
  }

  /** The release whose file is there, or will be; undefined if the owner has removed it, or never wanted it. */
  #addKnown(chapter: Chapter, why: string, knownReleases: readonly Chapter[]): Chapter | undefined {
    const { rules, found } = this;
    this.known += 1;
    if (knownReleases.every(({ id }) => this.stateOf(id).state === 'recorded'))
      found.withoutFile.push(chapter);
    const old = bestOf(
      knownReleases.filter(({ id }) => this.stateOf(id).state === 'saved'),
      rules,
    );
    if (!old || knownReleases.includes(chapter)) return old;
    const isReplaced = rules.upgrade && mayReplace(old, chapter, this.context.keys);
    if (isReplaced && rankIn(rules, chapter) < rankIn(rules, old)) {
      found.planned.push({ chapter, why, replaces: old.id });
      return chapter;
    }
    if (mayBeTwo(old, chapter) || old.language !== chapter.language)
      found.doubled.push(this.#doubled(chapter, old));
    return old;
  }

  /** Undefined if it waits for a preferred group. */
  #addNew(chapter: Chapter, why: string, releases: readonly Chapter[]): Chapter | undefined {
    const { rules, found, context } = this;
    const decision = decideUpload(chapter, this.uploads, {
      selection: rules.selection,
      replaces: rules.upgrade ? 'all' : 'none',
      keys: context.keys,
    });
    const untilMs = waitUntilMs(chapter, releases, rules);
    if (decision?.kind === 'replaces')
      found.planned.push({ chapter, why: 'uploaded again', replaces: decision.archive.chapterId });
    else if (decision?.reason === 'already-there') this.known += 1;
    else if (decision)
      found.doubled.push({ chapter, reason: decision.reason, file: decision.file });
    else if (untilMs > context.nowMs) {
      found.waiting.push({ chapter, untilMs });
      this.againAtMs.push(untilMs);
      return undefined;
    } else found.planned.push({ chapter, why });
    return chapter;
  }

  /** Other releases that a person may take for chapters of their own. */
  #nameLeftOut(instead: Chapter, excluded: readonly ExcludedChapter[]): void {
    for (const { chapter, reason } of excluded)
      if (reason === 'other-release' && !this.#isDownloaded(chapter) && mayBeTwo(instead, chapter))
        this.found.doubled.push(this.#doubled(chapter, instead));
  }

  #doubled(chapter: Chapter, other: Chapter): DoubledRelease {
    const saved = this.stateOf(other.id);
    const file = saved.state === 'saved' ? saved.archive.file : undefined;
    return { chapter, reason: 'other-release-saved', file };
  }
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

function bestOf(releases: readonly Chapter[], rules: ReleaseRules): Chapter | undefined {
  return [...releases].sort((a, b) => rankIn(rules, a) - rankIn(rules, b))[0];
}

/** By language, then by group; excluded releases come last. Lower is better. */
function rankIn(rules: ReleaseRules, chapter: Chapter): number {
  if (isExcluded(chapter, rules)) return Number.POSITIVE_INFINITY;
  const { language, group } = rankOf(chapter, rules.selection);
  return language * (rules.selection.groups.length + 1) + group;
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
