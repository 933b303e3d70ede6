/**
 * Which of a title's chapters are taken, and why each was or was not. A chapter usually has several releases:
 * one for each group and language, and some of them are only links to elsewhere. Unless all are asked for, one
 * is taken for each chapter number: by the order of languages, then of groups, then the newest version, then
 * the latest published.
 */
import type { Chapter } from '../api/chapters.js';
import { isWithin, type Ranges } from './ranges.js';
import { chapterKey, compareReadingOrder } from './reading-order.js';

export interface SelectionOptions {
  /** Language codes in order of preference; none: every language is for itself, and each gets its release. */
  readonly languages: readonly string[];
  /** Names or ids of groups in order of preference; where none of them has the chapter, another's is taken. */
  readonly groups: readonly string[];
  readonly chapters?: Ranges;
  readonly volumes?: Ranges;
  readonly allReleases?: boolean;
  /** Only so many, the last published. */
  readonly latest?: number;
}

/** What decided for a release. */
export type SelectionReason =
  'all-asked' | 'only-release' | 'language' | 'group' | 'version' | 'date';

export type ExclusionReason =
  | 'not-in-languages'
  | 'not-in-chapters'
  | 'not-in-volumes'
  | 'chapter-external'
  | 'chapter-unavailable'
  | 'chapter-unpublished'
  | 'other-release'
  | 'not-latest';

export interface SelectedChapter {
  readonly chapter: Chapter;
  readonly reason: SelectionReason;
  /** The same for a person to read. */
  readonly explanation: string;
}

export interface ExcludedChapter {
  readonly chapter: Chapter;
  readonly reason: ExclusionReason;
  readonly explanation: string;
}

export interface Selection {
  /** In reading order. */
  readonly selected: readonly SelectedChapter[];
  readonly excluded: readonly ExcludedChapter[];
}

export interface SelectionContext {
  /** Milliseconds since the epoch: what is published later is not taken. */
  readonly nowMs: number;
  /** Whether the title counts its chapters anew in each volume. */
  readonly numbersRestart?: boolean;
}

/** Chooses among the chapters of one title. The same chapters in any order give the same choice. */
export function selectChapters(
  chapters: readonly Chapter[],
  wish: SelectionOptions,
  facts: SelectionContext,
): Selection {
  const passedOver: ExcludedChapter[] = [];
  const asked: Chapter[] = [];
  for (const chapter of chapters) {
    const reason = notAsked(chapter, wish) ?? unavailableReason(chapter, facts.nowMs);
    if (reason) passedOver.push({ chapter, ...reason });
    else asked.push(chapter);
  }
  const chosen = wish.allReleases
    ? asked.map((chapter): SelectedChapter => ({
        chapter,
        reason: 'all-asked',
        explanation: 'all releases are asked for',
      }))
    : onePerNumber(asked, wish, facts.numbersRestart ?? false, passedOver);
  const latest = lastPublished(chosen, wish.latest, passedOver);
  const order = compareReadingOrder(facts.numbersRestart ?? false);
  return { selected: latest.sort((a, b) => order(a.chapter, b.chapter)), excluded: passedOver };
}

type Reason = Pick<ExcludedChapter, 'reason' | 'explanation'>;

function notAsked(chapter: Chapter, wish: SelectionOptions): Reason | undefined {
  if (wish.languages.length > 0 && !wish.languages.includes(chapter.language)) {
    return { reason: 'not-in-languages', explanation: `it is in ${chapter.language}` };
  }
  if (wish.chapters && !isWithin(chapter.number, wish.chapters)) {
    return { reason: 'not-in-chapters', explanation: `its number is ${chapter.number ?? 'none'}` };
  }
  if (wish.volumes && !isWithin(chapter.volume, wish.volumes)) {
    return { reason: 'not-in-volumes', explanation: `its volume is ${chapter.volume ?? 'none'}` };
  }
  return undefined;
}

/** Why a chapter has no pages to load: it is hosted elsewhere, taken down, empty or not published yet. */
export function unavailableReason(chapter: Chapter, nowMs: number): Reason | undefined {
  if (chapter.externalUrl !== undefined && chapter.pages === 0) {
    return { reason: 'chapter-external', explanation: `it is hosted at ${chapter.externalUrl}` };
  }
  if (chapter.isUnavailable) {
    return { reason: 'chapter-unavailable', explanation: 'the service has taken it down' };
  }
  const out = chapter.readableAt ?? chapter.publishAt;
  if (out && out.getTime() > nowMs) {
    return { reason: 'chapter-unpublished', explanation: `it comes out on ${out.toISOString()}` };
  }
  if (isEmpty(chapter)) {
    return { reason: 'chapter-unavailable', explanation: 'the service has no pages of it' };
  }
  return undefined;
}

/** Whether the service lists the chapter without pages, here or elsewhere, and without having taken it down. */
export function isEmpty({ pages, externalUrl, isUnavailable }: Chapter): boolean {
  return pages === 0 && externalUrl === undefined && !isUnavailable;
}

interface Rank {
  readonly language: number;
  readonly group: number;
  /** Negated, so that less is better everywhere. */
  readonly version: number;
  readonly date: number;
}

const CRITERIA = ['language', 'group', 'version', 'date'] as const;

function rankOf(chapter: Chapter, wish: SelectionOptions): Rank {
  const names = chapter.groups.flatMap(({ id, name }) => [folded(id), folded(name)]);
  const group = wish.groups.findIndex((wanted) => names.includes(folded(wanted)));
  return {
    language: wish.languages.indexOf(chapter.language),
    group: group === -1 ? wish.groups.length : group,
    version: -chapter.version,
    date: -(chapter.publishAt?.getTime() ?? 0),
  };
}

function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
}

/** The first criterion in which the two differ; undefined if there is none. */
function decidedBy(a: Rank, b: Rank): (typeof CRITERIA)[number] | undefined {
  return CRITERIA.find((criterion) => a[criterion] !== b[criterion]);
}

function onePerNumber(
  asked: readonly Chapter[],
  wish: SelectionOptions,
  numbersRestart: boolean,
  passedOver: ExcludedChapter[],
): SelectedChapter[] {
  const byNumber = new Map<string, { chapter: Chapter; rank: Rank }[]>();
  for (const chapter of asked) {
    const language = wish.languages.length > 0 ? '' : chapter.language;
    const key = `${language} ${chapterKey(chapter, numbersRestart)}`;
    byNumber.set(key, [...(byNumber.get(key) ?? []), { chapter, rank: rankOf(chapter, wish) }]);
  }
  return [...byNumber.values()].flatMap((releases) => {
    const [best, second, ...others] = releases.sort((a, b) => {
      const criterion = decidedBy(a.rank, b.rank);
      if (criterion) return a.rank[criterion] - b.rank[criterion];
      return a.chapter.id < b.chapter.id ? -1 : 1;
    });
    if (!best) return [];
    for (const other of second ? [second, ...others] : []) {
      const why = `release ${best.chapter.id} is taken instead`;
      passedOver.push({ chapter: other.chapter, reason: 'other-release', explanation: why });
    }
    const reason = second ? (decidedBy(best.rank, second.rank) ?? 'date') : 'only-release';
    return [{ chapter: best.chapter, reason, explanation: explain(reason, best.chapter) }];
  });
}

function explain(reason: SelectionReason, chapter: Chapter): string {
  const group = chapter.groups.map(({ name }) => name).join(' + ');
  switch (reason) {
    case 'all-asked':
      return 'all releases are asked for';
    case 'only-release':
      return 'the only release';
    case 'language':
      return `preferred language ${chapter.language}`;
    case 'group':
      return `preferred group ${group}`;
    case 'version':
      return `newest version, ${chapter.version}`;
    case 'date':
      return `latest published, ${chapter.publishAt?.toISOString() ?? 'at a time unknown'}`;
  }
}

function lastPublished(
  chosen: readonly SelectedChapter[],
  latest: number | undefined,
  passedOver: ExcludedChapter[],
): SelectedChapter[] {
  if (latest === undefined) return [...chosen];
  const newestFirst = [...chosen].sort(
    (a, b) =>
      (b.chapter.publishAt?.getTime() ?? 0) - (a.chapter.publishAt?.getTime() ?? 0) ||
      (a.chapter.id < b.chapter.id ? -1 : 1),
  );
  for (const { chapter } of newestFirst.slice(latest)) {
    passedOver.push({
      chapter,
      reason: 'not-latest',
      explanation: `not among the latest ${latest}`,
    });
  }
  return newestFirst.slice(0, latest);
}
