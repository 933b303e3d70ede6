/** Which volumes are complete, by the list of chapters of the service. */
import { type Chapter } from '../service/chapters.js';
import { isSameVolume, parseNumber } from '../config/ranges.js';
import type { Title } from '../service/titles.js';
import { unavailableReason } from '../selection/exclusions.js';
import { chapterKeys } from '../selection/same-chapter.js';

export interface TitleChapters extends Pick<Title, 'numbersRestart' | 'volumeCount'> {
  /** All releases that the service lists. */
  readonly chapters: readonly Chapter[];
}

/** Chapters of a volume, by number. */
export interface MissingChapters {
  /** The volume is complete if there are none. */
  readonly missing: readonly string[];
  /** The service has no pages of them: they are hosted elsewhere, or taken down. */
  readonly unavailable: readonly string[];
}

export interface PresentChapters {
  readonly presentIds: ReadonlySet<string>;
  /** The chapters in the files of the volume, also those that the service has deleted. */
  readonly chapters?: readonly Chapter[];
  readonly nowMs: number;
}

/**
 * The chapters of a volume that are in the service's list in this language and not among `presentIds`. One release of a
 * chapter is enough, and one release that names the volume. A chapter that will be published is missing.
 */
export function missingChapters(
  { chapters, numbersRestart }: TitleChapters,
  { language, volume }: { readonly language: string; readonly volume: string },
  { presentIds, chapters: own = [], nowMs }: PresentChapters,
): MissingChapters {
  const inLanguage = chapters.filter((chapter) => chapter.language === language);
  const { keyOf } = chapterKeys([...chapters, ...own], { numbersRestart, nowMs });
  const present = new Set(
    [...own, ...inLanguage.filter(({ id }) => presentIds.has(id))].map(keyOf),
  );
  const obtainable = new Set(
    inLanguage.filter((chapter) => isObtainable(chapter, nowMs)).map(keyOf),
  );
  const missing = new Map<string, string>();
  const unavailable = new Map<string, string>();
  for (const chapter of inLanguage) {
    const key = keyOf(chapter);
    if (!isSameVolume(chapter.volume, volume) || present.has(key)) continue;
    const name = chapter.number ?? chapter.title ?? 'without a number';
    (obtainable.has(key) ? missing : unavailable).set(key, name);
  }
  return { missing: byNumber(missing), unavailable: byNumber(unavailable) };
}

function isObtainable(chapter: Chapter, nowMs: number): boolean {
  const { reason } = unavailableReason(chapter, nowMs) ?? {};
  return reason === undefined || reason === 'chapter-unpublished';
}

function byNumber(names: ReadonlyMap<string, string>): readonly string[] {
  return [...names.values()].sort((a, b) => (parseNumber(a) ?? 0) - (parseNumber(b) ?? 0));
}
