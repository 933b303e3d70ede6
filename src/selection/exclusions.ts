/** Why a chapter is not downloaded: it is not what was requested, or the service does not have its pages. Pure. */
import { nameKey } from '../core/name-keys.js';
import type { Chapter } from '../service/chapters.js';
import { formatLocalTime } from '../core/human-format.js';
import { webAddress } from '../core/web-address.js';
import { isWithin, type Ranges } from '../config/ranges.js';
import { firstMsOf, lastMsOf, type TimeBound } from '../config/time-bound.js';
import type { ExclusionReason } from '../events/reasons.js';

/** What a chapter must be. */
export interface Criteria {
  /** Codes in order of preference; if empty, one release is selected in each language. */
  readonly languages: readonly string[];
  readonly chapters?: Ranges;
  readonly volumes?: Ranges;
  /** Names or ids: releases of these groups are excluded. */
  readonly excludedGroups?: readonly string[];
  /** Only chapters that are readable since then. */
  readonly since?: TimeBound;
  readonly until?: TimeBound;
}

export interface Exclusion {
  readonly reason: ExclusionReason;
  readonly explanation: string;
}

/** `languages`: none stand for all. */
export function isInLanguages(
  { language }: Pick<Chapter, 'language'>,
  languages: readonly string[],
): boolean {
  return languages.length === 0 || languages.includes(language);
}

export function mismatchReason(
  chapter: Chapter,
  criteria: Criteria,
  nowMs: number,
): Exclusion | undefined {
  if (!isInLanguages(chapter, criteria.languages)) {
    return { reason: 'not-in-languages', explanation: `its language is ${chapter.language}` };
  }
  if (criteria.chapters && !isWithin(chapter.number, criteria.chapters)) {
    return { reason: 'not-in-chapters', explanation: `its number is ${chapter.number ?? 'none'}` };
  }
  if (criteria.volumes && !isWithin(chapter.volume, criteria.volumes)) {
    return { reason: 'not-in-volumes', explanation: `its volume is ${chapter.volume ?? 'none'}` };
  }
  const excluded = excludedGroup(chapter, criteria);
  if (excluded)
    return {
      reason: 'excluded-group',
      explanation: `its group is excluded: ${excluded.name || excluded.id}`,
    };
  return dateMismatch(chapter, criteria, nowMs);
}

/** The group for which a chapter is excluded, if it is. */
export function excludedGroup(
  { groups }: Pick<Chapter, 'groups'>,
  { excludedGroups }: Pick<Criteria, 'excludedGroups'>,
): Chapter['groups'][number] | undefined {
  return groups.find((group) => excludedGroups?.some((name) => isInGroup(group, name)));
}

/** A chapter whose date is not known is in no period. */
function dateMismatch(
  chapter: Chapter,
  { since, until }: Criteria,
  nowMs: number,
): Exclusion | undefined {
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
export function unavailableReason(chapter: Availability, nowMs: number): Exclusion | undefined {
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

export const readableSince = ({ readableAt, publishAt }: Availability) => readableAt ?? publishAt;

/** Whether the user's name or id is that of the group. */
export function isInGroup({ id, name }: Chapter['groups'][number], idOrName: string): boolean {
  return [id, name].some((text) => nameKey(text) === nameKey(idOrName));
}
