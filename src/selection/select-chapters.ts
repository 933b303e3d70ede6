/**
 * Selects the releases of a title to download. A chapter usually has several releases, by group and language; some are
 * only links to other sites. Unless all are requested, one is selected for each chapter (same-chapter.ts): by the order
 * of languages, then of groups, then the latest upload. The version does not count: it numbers the edits (spec 2.6).
 */
import type { Chapter } from '../service/chapters.js';
import { groupBy } from '../core/group-by.js';
import { formatLocalTime } from '../core/human-format.js';
import {
  isInGroup,
  mismatchReason,
  readableSince,
  unavailableReason,
  type Criteria,
  type Exclusion,
} from './exclusions.js';
import type { ChapterKeys } from './same-chapter.js';

export interface SelectionOptions extends Criteria {
  /** Names or ids in order of preference; if none of them has the chapter, any other group is accepted. */
  readonly groups: readonly string[];
  /** Ids in lower case: these releases come before all others of their chapters, of several the last one. */
  readonly pinned?: readonly string[] | undefined;
  readonly allReleases?: boolean;
  /** Only this many, the last published. */
  readonly latest?: number;
}

/** Why a release was selected. */
type SelectionReason = 'all-asked' | 'only-release' | Criterion;

interface SelectedChapter {
  readonly chapter: Chapter;
  readonly reason: SelectionReason;
  /** The reason in words. */
  readonly explanation: string;
}

export interface ExcludedChapter extends Exclusion {
  readonly chapter: Chapter;
}

export interface Selection {
  /** The selected releases, in reading order. */
  readonly selected: readonly SelectedChapter[];
  readonly excluded: readonly ExcludedChapter[];
}

export interface SelectionContext {
  /** Milliseconds since the epoch: chapters published later are excluded. */
  readonly nowMs: number;
  /** The keys of all known releases of the title. */
  readonly keys: Pick<ChapterKeys, 'keyOf' | 'compare'>;
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
    : selectOneOfEach(candidates, options, context.keys, excluded);
  const latest = selectLatest(selected, options.latest, excluded);
  const { compare } = context.keys;
  return { selected: latest.sort((a, b) => compare(a.chapter, b.chapter)), excluded };
}

const CRITERIA = ['pin', 'language', 'group', 'created', 'readable'] as const;
type Criterion = (typeof CRITERIA)[number];
/** Lower is better for all criteria: the times are negated. A file has only the date of its ComicInfo.xml. */
type Rank = Readonly<Record<Criterion, number>>;

export function rankOf(chapter: Chapter, options: SelectionOptions): Rank {
  const group = options.groups.findIndex((name) =>
    chapter.groups.some((chapterGroup) => isInGroup(chapterGroup, name)),
  );
  const { languages, pinned = [] } = options;
  const language = languages.indexOf(chapter.language);
  return {
    // Without one, 0: the last one is the lowest.
    pin: -(pinned.lastIndexOf(chapter.id) + 1),
    // A saved release may be in a language that is not requested any more.
    language: language === -1 ? languages.length : language,
    group: group === -1 ? options.groups.length : group,
    created: -(chapter.createdAt?.getTime() ?? 0),
    readable: -(readableSince(chapter)?.getTime() ?? 0),
  };
}

/** The first criterion in which they differ. */
function firstDifference(a: Rank, b: Rank): Criterion | undefined {
  return CRITERIA.find((criterion) => a[criterion] !== b[criterion]);
}

/** Equal for releases among which one is selected. */
export function releaseKey(
  chapter: Chapter,
  { languages }: Pick<SelectionOptions, 'languages'>,
  { keyOf }: Pick<ChapterKeys, 'keyOf'>,
): string {
  return `${languages.length > 0 ? '' : chapter.language} ${keyOf(chapter)}`;
}

function selectOneOfEach(
  candidates: readonly Chapter[],
  options: SelectionOptions,
  keys: Pick<ChapterKeys, 'keyOf'>,
  excluded: ExcludedChapter[],
): SelectedChapter[] {
  const ranked = candidates.map((chapter) => ({ chapter, rank: rankOf(chapter, options) }));
  const byChapter = groupBy(ranked, ({ chapter }) => releaseKey(chapter, options, keys));
  return [...byChapter.values()].flatMap((releases) => {
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
    case 'pin':
      return 'pinned';
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
