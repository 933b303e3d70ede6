/** The language of chapters whose files do not say theirs, as where another program tagged a part of a series. Pure. */
import { groupBy } from '../core/group-by.js';
import { codeOfName } from '../config/language-codes.js';
import { nameKey } from '../core/name-keys.js';
import { languageTag } from '../library/comic-info.js';
import { numberKey } from '../selection/reading-order.js';
import type { BookChapter } from './source-chapter.js';

/**
 * Gives them the only language of the other chapters of their series, unless both have a chapter of one number: these may
 * be translations. A name such as `English`, and the code `eng`, count as `en`.
 */
export function withKnownLanguage(chapters: readonly BookChapter[]): readonly BookChapter[] {
  const bySeries = groupBy(chapters, ({ metadata: { series } }) => nameKey(series ?? ''));
  const found = new Map<BookChapter, string>();
  const tags = new Map<string, string>();
  const tagOf = (text: string): string => {
    const tag = tags.get(text) ?? readTag(text);
    tags.set(text, tag);
    return tag;
  };
  for (const series of bySeries.values()) {
    for (const each of series) {
      const { language = '' } = each.metadata;
      if (tagOf(language) !== language) found.set(each, tagOf(language));
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

function readTag(text: string): string {
  const name = text.trim().toLowerCase();
  const code = name === '' ? undefined : codeOfName(name);
  return (code === undefined ? undefined : languageTag(code)) ?? text;
}

/** A chapter without a number is one of its own. */
function numberOf({ metadata: { number }, file }: BookChapter): string {
  return number === undefined ? file : numberKey(number);
}
