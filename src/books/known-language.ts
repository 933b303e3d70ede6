/** The language of chapters whose files do not say theirs, as where another program tagged a part of a series. Pure. */
import { groupBy } from '../core/group-by.js';
import { codeOfName } from '../config/language-codes.js';
import { seriesNameKey } from '../core/name-keys.js';
import { languageTag } from '../library/comic-info.js';
import { numberKey } from '../selection/reading-order.js';
import type { BookChapter } from './source-chapter.js';

/**
 * Gives them the only language of the other chapters of their series, unless both have a chapter of one number: these may
 * be translations. A name such as `English`, and the code `eng`, count as `en`.
 */
export function withKnownLanguage(chapters: readonly BookChapter[]): readonly BookChapter[] {
  const bySeries = groupBy(chapters, ({ metadata: { series } }) => seriesNameKey(series ?? ''));
  const found = new Map<BookChapter, string>();
  for (const series of bySeries.values()) {
    for (const each of series) {
      const { language = '' } = each.metadata;
      const tag = tagOf(language);
      if (tag !== language) found.set(each, tag);
    }
    const byLanguage = groupBy(series, (each) => found.get(each) ?? each.metadata.language ?? '');
    const untagged = byLanguage.get('') ?? [];
    byLanguage.delete('');
    const [[language, tagged] = [], ...others] = byLanguage;
    if (language === undefined || tagged === undefined || others.length > 0) continue;
    if (languageTag(language) === undefined) continue;
    const numbers = new Set(tagged.map(numberOf));
    if (untagged.some((each) => numbers.has(numberOf(each)))) continue;
    for (const each of untagged) found.set(each, language);
  }
  return chapters.map((chapter) => {
    const language = found.get(chapter);
    return language === undefined
      ? chapter
      : { ...chapter, metadata: { ...chapter.metadata, language } };
  });
}

/** The text itself if it names no language. */
function tagOf(text: string): string {
  const name = text.trim().toLowerCase();
  const tag = languageTag(name);
  if (tag?.toLowerCase() === name) return tag;
  const code = codeOfName(name);
  return (code === undefined ? undefined : languageTag(code)) ?? text;
}

/** A chapter without a number is one of its own. */
function numberOf({ metadata: { number }, file }: BookChapter): string {
  return number === undefined ? file : numberKey(number);
}
