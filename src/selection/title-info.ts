/** What the service has of a title, by its list of all releases: `tankobon info`. Pure. */
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import { groupBy } from '../core/group-by.js';
import type { Quality } from '../config/quality.js';
import { chapterFields } from './chapter-fields.js';
import { missingWholeNumbers, numberKey } from './reading-order.js';
import { parseNumber } from '../config/ranges.js';
import { chapterKeys, type ChapterKeys } from './same-chapter.js';
import { titleWebUrl } from '../config/service-addresses.js';
import type { ExclusionReason } from '../events/reasons.js';
import { selectChapters, type SelectionContext, type SelectionOptions } from './select-chapters.js';
import { estimatedBytes } from '../service/estimate.js';
import type { ListedChapters, ListedSize, TitleInfo } from '../events/info-events.js';

export interface TitleInfoOptions {
  readonly selection: Pick<SelectionOptions, 'languages' | 'chapters' | 'volumes'>;
  readonly quality: Quality;
  readonly nowMs: number;
  /** Only the releases of one group are known. */
  readonly isPartial?: boolean | undefined;
}

/** @param releases of the title, as the service lists them */
export function titleInfo(
  titleId: string,
  title: Title | undefined,
  releases: readonly Chapter[],
  { selection, quality, nowMs, isPartial = false }: TitleInfoOptions,
): TitleInfo {
  const { numbersRestart = false } = title ?? {};
  const context = { nowMs, keys: chapterKeys(releases, { numbersRestart, nowMs }), isPartial };
  const options = { ...selection, groups: [] };
  const { selected, excluded } = selectChapters(
    releases,
    { ...options, allReleases: true },
    context,
  );
  const available = selected.map(({ chapter }) => chapter);
  const without = (reason: ExclusionReason) =>
    excluded.filter((each) => each.reason === reason).map(({ chapter }) => chapter);
  const languages = [...groupBy(available, ({ language }) => language)]
    .map(([language, chapters]) => ({
      language,
      ...listedChapters(chapters, context),
      ...sizeOf(chapters, context, quality),
    }))
    .sort((a, b) => b.chapters - a.chapters || (a.language < b.language ? -1 : 1));
  return {
    type: 'title-info',
    title: titleId,
    name: title?.name ?? '',
    names: [...(title?.localizedNames ?? [])],
    url: titleWebUrl(titleId),
    authors: title?.authors ?? [],
    artists: title?.artists ?? [],
    year: title?.year,
    status: title?.status,
    contentRating: title?.contentRating,
    originalLanguage: title?.originalLanguage,
    tags: [...(title?.genres ?? []), ...(title?.tags ?? [])],
    volumeCount: title?.volumeCount,
    ...listedChapters(available, context),
    quality,
    pages: sum(languages.map(({ pages }) => pages)),
    bytes: sum(languages.map(({ bytes }) => bytes)),
    languages,
    groups: groupsOf(available),
    external: without('chapter-external')
      .sort(context.keys.compare)
      .map((chapter) => ({ chapter: chapter.id, ...chapterFields(chapter) })),
    takenDown: without('chapter-unavailable').length,
    unpublished: without('chapter-unpublished').length,
  };
}

/** @param releases in reading order */
function listedChapters(
  releases: readonly Chapter[],
  { keys, isPartial }: { readonly keys: ChapterKeys; readonly isPartial: boolean },
): ListedChapters {
  const numbers = distinctNumbers(releases.map(({ number }) => number));
  const values = numbers.map(parseNumber).filter((value) => value !== undefined);
  const volumes = distinctNumbers(releases.map(({ volume }) => volume));
  const volumeOrder = (a: string, b: string) =>
    (parseNumber(a) ?? Infinity) - (parseNumber(b) ?? Infinity);
  return {
    chapters: new Set(releases.map(keys.keyOf)).size,
    releases: releases.length,
    numbers,
    // Where numbers begin again, those of all volumes together show no gap.
    missing: keys.hasSeveralRuns || isPartial ? [] : missingWholeNumbers(values).map(String),
    volumes: [...volumes].sort(volumeOrder),
  };
}

/** One text for each number: `01` and `1.0` are `1`. */
function distinctNumbers(texts: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(texts.flatMap((text) => (text === undefined ? [] : numberKey(text))))];
}

/** @param releases in one language */
function sizeOf(
  releases: readonly Chapter[],
  context: SelectionContext,
  quality: Quality,
): ListedSize {
  const { selected } = selectChapters(releases, { languages: [], groups: [] }, context);
  const pages = sum(selected.map(({ chapter }) => chapter.pages ?? 0));
  return { pages, bytes: estimatedBytes(pages, quality) };
}

function groupsOf(releases: readonly Chapter[]): TitleInfo['groups'] {
  const named = releases.flatMap(({ groups, language }) =>
    groups.map(({ id, name }) => ({ id, name, language })),
  );
  return [...groupBy(named, ({ id }) => id)]
    .map(([id, entries]) => ({
      id,
      name: entries[0]?.name ?? '',
      releases: entries.length,
      languages: [...new Set(entries.map(({ language }) => language))].sort(),
    }))
    .sort((a, b) => b.releases - a.releases || a.name.localeCompare(b.name, 'en'));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
