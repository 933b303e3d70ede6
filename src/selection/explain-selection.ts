/** The message when nothing matches the selection: which option excludes everything, and what there is. */
import type { Chapter } from '../service/chapters.js';
import { formatCount } from '../core/human-format.js';
import { shellQuoted } from '../core/shell-quoted.js';
import { parseNumber } from '../config/ranges.js';
import { isInGroup, readableSince } from './exclusions.js';
import { type SelectionOptions } from './select-chapters.js';

interface EmptySelection {
  /** Undefined if the title is unknown. */
  readonly titleName: string | undefined;
  readonly options: SelectionOptions;
  /** The chapters in the languages of the options. */
  readonly chapters: readonly Chapter[];
  /** The number in all languages; undefined if unknown. */
  readonly total?: number;
  /** The languages of the title. */
  readonly languages: readonly string[];
}

/** Such as `0 of 1,680 releases match --language de; available: en, pt-br`. */
export function explainEmptySelection(empty: EmptySelection): string {
  const { titleName, options, chapters, languages } = empty;
  const prefix = titleName === undefined || titleName === '' ? '' : `${titleName}: `;
  const byLanguage = options.languages.length > 0 && `--language ${options.languages.join(',')}`;
  if (chapters.length === 0) {
    if (!byLanguage) return `${prefix}the title has no chapters`;
    const available = languages.length === 0 ? 'none' : [...languages].sort().join(', ');
    return `${prefix}${noneOf(empty.total)} ${byLanguage}; available: ${available}`;
  }
  const flags = [
    ...(byLanguage ? [byLanguage] : []),
    ...(options.chapters ? [`--chapters ${options.chapters.text}`] : []),
    ...(options.volumes ? [`--volumes ${options.volumes.text}`] : []),
    ...(isExcluding(options, chapters)
      ? [`--exclude-group ${shellQuoted(options.excludedGroups?.join(',') ?? '')}`]
      : []),
    ...(options.since ? [`--since ${shellQuoted(options.since.text)}`] : []),
    ...(options.until ? [`--until ${shellQuoted(options.until.text)}`] : []),
  ];
  const ends = [
    ...(options.chapters ? [lastOf('chapter', chapters, ({ number }) => number)] : []),
    ...(options.volumes ? [lastOf('volume', chapters, ({ volume }) => volume)] : []),
    ...(options.since || options.until ? [describeDates(chapters)] : []),
    ...(isExcluding(options, chapters) ? [`the groups are: ${groupNames(chapters)}`] : []),
  ];
  return `${prefix}${noneOf(chapters.length)} ${flags.join(' ')}; ${ends.join(', ')}`;
}

/** The names of `groups` that no chapter has, and those that there are; undefined if all are known. */
export function explainUnknownGroups(
  groups: readonly string[],
  chapters: readonly Chapter[],
): string | undefined {
  const known = new Map<string, Chapter['groups'][number]>();
  for (const group of chapters.flatMap((chapter) => chapter.groups)) known.set(group.id, group);
  const isKnown = (name: string) => [...known.values()].some((group) => isInGroup(group, name));
  const unknown = groups.filter((name) => !isKnown(name));
  if (unknown.length === 0 || chapters.length === 0) return undefined;
  return `No chapter is by the group ${unknown.join(', ')}; the groups are: ${groupNames(chapters)}`;
}

function groupNames(chapters: readonly Chapter[]): string {
  const all = chapters.flatMap(({ groups }) => groups.map(({ id, name }) => name || id));
  const names = [...new Set(all)].sort();
  const shown = names.slice(0, MAX_SHOWN_GROUPS).join(', ');
  const rest =
    names.length > MAX_SHOWN_GROUPS ? `, and ${names.length - MAX_SHOWN_GROUPS} more` : '';
  return `${shown || 'none'}${rest}`;
}

/** Whether a group of the title is excluded: a setting may name groups of other titles. */
function isExcluding({ excludedGroups = [] }: SelectionOptions, chapters: readonly Chapter[]) {
  return chapters.some(({ groups }) =>
    groups.some((group) => excludedGroups.some((name) => isInGroup(group, name))),
  );
}

/** Such as `the chapters are of 2024-01-05 to 2024-03-08`. */
function describeDates(chapters: readonly Chapter[]): string {
  const days = chapters
    .flatMap((chapter) => readableSince(chapter)?.toISOString().slice(0, 'YYYY-MM-DD'.length) ?? [])
    .sort();
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined) return 'no chapter has a date';
  return `the chapters are of ${first === last ? first : `${first} to ${last}`}`;
}

const MAX_SHOWN_GROUPS = 20;

function noneOf(total: number | undefined): string {
  if (total === undefined) return 'no releases match';
  return total === 1 ? '0 of 1 release matches' : `0 of ${formatCount(total)} releases match`;
}

function lastOf(
  what: 'chapter' | 'volume',
  chapters: readonly Chapter[],
  numberOf: (chapter: Chapter) => string | undefined,
): string {
  const numbers = chapters.map(numberOf).filter((number) => parseNumber(number) !== undefined);
  const last = numbers.reduce<string | undefined>(
    (highest, number) =>
      (parseNumber(number) ?? 0) > (parseNumber(highest) ?? -1) ? number : highest,
    undefined,
  );
  return last === undefined ? `no ${what} has a number` : `the last ${what} is ${last}`;
}
