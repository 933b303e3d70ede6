/**
 * Selects the releases of a title to download. A chapter usually has several releases, by group and language; some are
 * only links to other sites. Unless all are requested, one is selected for each chapter number: by the order of
 * languages, then of groups, then the latest upload. The version does not count: it numbers the edits (spec 2.6).
 */
import type { Chapter, Group } from '../api/chapters.js';
import { groupBy } from '../core/group-by.js';
import { formatLocalTime } from '../core/human-format.js';
import { webAddress } from '../core/web-address.js';
import { isWithin, type Ranges } from './ranges.js';
import { chapterKey, compareReadingOrder } from './reading-order.js';
import { firstMsOf, lastMsOf, type TimeBound } from './time-bound.js';

export interface SelectionOptions {
  /** Codes in order of preference; if empty, one release is selected in each language. */
  readonly languages: readonly string[];
  /** Names or ids in order of preference; if none of them has the chapter, any other group is accepted. */
  readonly groups: readonly string[];
  readonly chapters?: Ranges;
  readonly volumes?: Ranges;
  /** Names or ids: releases of these groups are excluded. */
  readonly excludedGroups?: readonly string[];
  /** Only chapters that are readable since then. */
  readonly since?: TimeBound;
  readonly until?: TimeBound;
  readonly allReleases?: boolean;
  /** Only this many, the last published. */
  readonly latest?: number;
}

/** Why a release was selected. */
export type SelectionReason = 'all-asked' | 'only-release' | Criterion;

export type ExclusionReason =
  | 'not-in-languages'
  | 'not-in-chapters'
  | 'not-in-volumes'
  | 'excluded-group'
  | 'before-since'
  | 'after-until'
  | 'chapter-external'
  | 'chapter-unavailable'
  | 'chapter-unpublished'
  | 'other-release'
  | 'not-latest';

export interface SelectedChapter {
  readonly chapter: Chapter;
  readonly reason: SelectionReason;
  /** The reason in words. */
  readonly explanation: string;
}

export interface ExcludedChapter {
  readonly chapter: Chapter;
  readonly reason: ExclusionReason;
  readonly explanation: string;
}

export interface Selection {
  /** The selected releases, in reading order. */
  readonly selected: readonly SelectedChapter[];
  readonly excluded: readonly ExcludedChapter[];
}

export interface SelectionContext {
  /** Milliseconds since the epoch: chapters published later are excluded. */
  readonly nowMs: number;
  /** Whether chapter numbers restart in each volume. */
  readonly numbersRestart: boolean;
}

/** Selects among the chapters of one title. The order of `chapters` does not matter. */
export function selectChapters(
  chapters: readonly Chapter[],
  options: SelectionOptions,
  context: SelectionContext,
): Selection {
  const excluded: ExcludedChapter[] = [];
  const candidates: Chapter[] = [];
  for (const chapter of chapters) {
    const reason =
      mismatchReason(chapter, options, context.nowMs) ?? unavailableReason(chapter, context.nowMs);
    if (reason) excluded.push({ chapter, ...reason });
    else candidates.push(chapter);
  }
  const selected = options.allReleases
    ? candidates.map((chapter) => withReason(chapter, 'all-asked'))
    : selectOnePerNumber(candidates, options, context.numbersRestart, excluded);
  const latest = selectLatest(selected, options.latest, excluded);
  const order = compareReadingOrder(context.numbersRestart);
  return { selected: latest.sort((a, b) => order(a.chapter, b.chapter)), excluded };
}

type Reason = Pick<ExcludedChapter, 'reason' | 'explanation'>;

function mismatchReason(
  chapter: Chapter,
  options: SelectionOptions,
  nowMs: number,
): Reason | undefined {
  if (options.languages.length > 0 && !options.languages.includes(chapter.language)) {
    return { reason: 'not-in-languages', explanation: `its language is ${chapter.language}` };
  }
  if (options.chapters && !isWithin(chapter.number, options.chapters)) {
    return { reason: 'not-in-chapters', explanation: `its number is ${chapter.number ?? 'none'}` };
  }
  if (options.volumes && !isWithin(chapter.volume, options.volumes)) {
    return { reason: 'not-in-volumes', explanation: `its volume is ${chapter.volume ?? 'none'}` };
  }
  const excluded = chapter.groups.find((group) =>
    options.excludedGroups?.some((name) => isInGroup(group, name)),
  );
  if (excluded)
    return {
      reason: 'excluded-group',
      explanation: `its group is excluded: ${excluded.name || excluded.id}`,
    };
  return dateMismatch(chapter, options, nowMs);
}

/** A chapter whose date is not known is in no period. */
function dateMismatch(
  chapter: Chapter,
  { since, until }: SelectionOptions,
  nowMs: number,
): Reason | undefined {
  if (!since && !until) return undefined;
  const readableMs = readableSince(chapter)?.getTime() ?? NaN;
  const explanation = Number.isNaN(readableMs)
    ? 'its date is not known'
    : `it is readable since ${new Date(readableMs).toISOString().slice(0, 16)}Z`;
  if (since && !(readableMs >= firstMsOf(since, nowMs)))
    return { reason: 'before-since', explanation };
  if (until && !(readableMs <= lastMsOf(until, nowMs)))
    return { reason: 'after-until', explanation };
  return undefined;
}

/** What says whether a chapter can be downloaded. */
type Availability = Pick<
  Chapter,
  'pages' | 'externalUrl' | 'isUnavailable' | 'publishAt' | 'readableAt'
>;

/** Why the pages of a chapter are not available, if they are not. */
export function unavailableReason(chapter: Availability, nowMs: number): Reason | undefined {
  if (chapter.externalUrl !== undefined && chapter.pages === 0) {
    const address = webAddress(chapter.externalUrl);
    const explanation = `it is only on the publisher's site${address === undefined ? '' : `: ${address}`}`;
    return { reason: 'chapter-external', explanation };
  }
  if (chapter.isUnavailable) {
    return { reason: 'chapter-unavailable', explanation: 'it was taken down' };
  }
  const date = readableSince(chapter);
  if (date && date.getTime() > nowMs) {
    return {
      reason: 'chapter-unpublished',
      explanation: `it will be published on ${formatLocalTime(date.getTime(), nowMs)}`,
    };
  }
  if (isEmpty(chapter)) {
    return { reason: 'chapter-unavailable', explanation: 'the service has no pages for it' };
  }
  return undefined;
}

/** Whether the service lists the chapter without pages, although it is neither external nor taken down. */
function isEmpty({ pages, externalUrl, isUnavailable }: Availability): boolean {
  return pages === 0 && externalUrl === undefined && !isUnavailable;
}

const CRITERIA = ['language', 'group', 'created', 'readable'] as const;
type Criterion = (typeof CRITERIA)[number];
/** Lower is better for all criteria: the times are negated. A file has only the date of its ComicInfo.xml. */
type Rank = Readonly<Record<Criterion, number>>;

export function rankOf(chapter: Chapter, options: SelectionOptions): Rank {
  const group = options.groups.findIndex((name) =>
    chapter.groups.some((chapterGroup) => isInGroup(chapterGroup, name)),
  );
  return {
    language: options.languages.indexOf(chapter.language),
    group: group === -1 ? options.groups.length : group,
    created: -(chapter.createdAt?.getTime() ?? 0),
    readable: -(readableSince(chapter)?.getTime() ?? 0),
  };
}

export const readableSince = ({ readableAt, publishAt }: Availability) => readableAt ?? publishAt;

/** Whether the user's name or id is that of the group. */
export function isInGroup({ id, name }: Group, idOrName: string): boolean {
  return [id, name].some((text) => normalize(text) === normalize(idOrName));
}

function normalize(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
}

/** The first criterion in which they differ. */
function firstDifference(a: Rank, b: Rank): Criterion | undefined {
  return CRITERIA.find((criterion) => a[criterion] !== b[criterion]);
}

/** Equal for releases among which one is selected. */
export function releaseKey(
  chapter: Chapter,
  { languages }: Pick<SelectionOptions, 'languages'>,
  numbersRestart: boolean,
): string {
  return `${languages.length > 0 ? '' : chapter.language} ${chapterKey(chapter, numbersRestart)}`;
}

function selectOnePerNumber(
  candidates: readonly Chapter[],
  options: SelectionOptions,
  numbersRestart: boolean,
  excluded: ExcludedChapter[],
): SelectedChapter[] {
  const ranked = candidates.map((chapter) => ({ chapter, rank: rankOf(chapter, options) }));
  const byNumber = groupBy(ranked, ({ chapter }) => releaseKey(chapter, options, numbersRestart));
  return [...byNumber.values()].flatMap((releases) => {
    const [best, ...others] = releases.sort((a, b) => {
      const criterion = firstDifference(a.rank, b.rank);
      if (criterion) return a.rank[criterion] - b.rank[criterion];
      return a.chapter.id < b.chapter.id ? -1 : 1;
    });
    if (!best) return [];
    const explanation = `release ${best.chapter.id} is selected instead`;
    for (const { chapter } of others)
      excluded.push({ chapter, reason: 'other-release', explanation });
    const [second] = others;
    const reason = second
      ? (firstDifference(best.rank, second.rank) ?? 'readable')
      : 'only-release';
    return [withReason(best.chapter, reason)];
  });
}

function withReason(chapter: Chapter, reason: SelectionReason): SelectedChapter {
  return { chapter, reason, explanation: explain(reason, chapter) };
}

function explain(reason: SelectionReason, chapter: Chapter): string {
  const group = chapter.groups.map(({ name }) => name).join(' + ');
  switch (reason) {
    case 'all-asked':
      return 'all releases are requested';
    case 'only-release':
      return 'the only release';
    case 'language':
      return `preferred language ${chapter.language}`;
    case 'group':
      return `preferred group ${group}`;
    case 'created':
      return `latest uploaded, ${describeTime(chapter.createdAt)}`;
    case 'readable':
      return `latest published, ${describeTime(readableSince(chapter))}`;
  }
}

function describeTime(date: Date | undefined): string {
  return date ? formatLocalTime(date.getTime(), 0) : 'at an unknown date';
}

function selectLatest(
  selected: readonly SelectedChapter[],
  latest: number | undefined,
  excluded: ExcludedChapter[],
): SelectedChapter[] {
  if (latest === undefined) return [...selected];
  const newestFirst = [...selected].sort(
    (a, b) =>
      (b.chapter.publishAt?.getTime() ?? 0) - (a.chapter.publishAt?.getTime() ?? 0) ||
      (a.chapter.id < b.chapter.id ? -1 : 1),
  );
  for (const { chapter } of newestFirst.slice(latest)) {
    const explanation = `not among the latest ${latest}`;
    excluded.push({ chapter, reason: 'not-latest', explanation });
  }
  return newestFirst.slice(0, latest);
}
