/** Which volumes are complete, by the list of chapters of the service. */
import type { Chapter } from '../api/chapters.js';
import { chapterKey } from '../selection/reading-order.js';
import { parseNumber } from '../selection/ranges.js';

export interface TitleChapters {
  /** All releases that the service lists. */
  readonly chapters: readonly Chapter[];
  /** Whether chapter numbers restart in each volume. */
  readonly numbersRestart: boolean;
}

/**
 * The chapters of a volume that are in the service's list in this language and not among `presentIds`, by number; empty if
 * the volume is complete. One release of a chapter is enough, and one release that names the volume.
 */
export function missingChapters(
  { chapters, numbersRestart }: TitleChapters,
  { language, volume }: { readonly language: string; readonly volume: string },
  presentIds: ReadonlySet<string>,
): readonly string[] {
  const ofLanguage = chapters.filter((chapter) => chapter.language === language);
  const keyOf = (chapter: Chapter) => chapterKey(chapter, numbersRestart);
  const present = new Set(ofLanguage.filter(({ id }) => presentIds.has(id)).map(keyOf));
  const missing = new Map<string, string>();
  for (const chapter of ofLanguage) {
    const key = keyOf(chapter);
    if (!isSameVolume(chapter.volume, volume) || present.has(key)) continue;
    missing.set(key, chapter.number ?? chapter.title ?? 'without a number');
  }
  return [...missing.values()].sort((a, b) => (parseNumber(a) ?? 0) - (parseNumber(b) ?? 0));
}

function isSameVolume(a: string | undefined, b: string): boolean {
  return a !== undefined && (a === b || Number(a) === Number(b));
}
