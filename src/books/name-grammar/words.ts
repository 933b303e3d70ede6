/** The words beside numbers in names of files, and what they say of the number. Without accents and in lower case. */

/**
 * `chapter`: proves a chapter. `episode`: says a chapter, unless a title contains it, as in `Episode 3 - Fog #02`.
 * `other`: of an edition, a season or a part, so that the number is hardly that of the chapter.
 */
export type Label = 'chapter' | 'episode' | 'volume' | 'version' | 'season' | 'page' | 'other';

const CHAPTER_WORDS =
  'c ch chs chp chap chaps chapter chapters cap caps capitulo capitulos capitolo capitoli chapitre chapitres kap kapitel ' +
  'hoofdstuk rozdzial rozdział bolum bab chuong глава главы ตอน ตอนท issue issues';
const LABELS: Readonly<Record<Label, string>> = {
  chapter: CHAPTER_WORDS,
  episode: 'ep eps episode episodes episodio епизод эпизод no nr n num number',
  volume:
    'v vol vols volume volumes volumen volumenes tome tomes tomo tomos t band bd cilt jilid deel kotet svazek tap том тома томa เลม เลมท',
  version: 'ver version rev',
  season: 's season saison temporada сезон',
  page: 'p pg pgs page pages',
  other:
    'part parts pt book books act arc game disc disk round sp special specials extra extras omake bonus side story ' +
    'annual anniversary under of',
};

const LABEL_OF: ReadonlyMap<string, Label> = new Map(
  Object.entries(LABELS).flatMap(([label, words]) =>
    words.split(' ').map((word) => [word, label as Label] as const),
  ),
);

/** Before the number: `Ch. 7`. */
export function labelBefore(word: string): Label | undefined {
  const key = wordKey(word);
  const label = LABEL_OF.get(key);
  if (label !== undefined) return label;
  if (/[卷巻册冊]$/u.test(key)) return 'volume';
  // The key of シーズン has no voicing mark.
  return /(시즌|シースン)$/u.test(key) ? 'season' : undefined;
}

const KANJI_DIGITS = '〇一二三四五六七八九';
const KANJI_UNITS: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1000 };
const CHAPTER_COUNTERS = '話话回章화회장편';
const VOLUME_COUNTERS = '卷巻册冊集권';
/** Characters after a number that say what it counts: `7話`, `2巻`. */
export const COUNTERS = CHAPTER_COUNTERS + VOLUME_COUNTERS;
/** They count seasons and parts of a series. */
const SEASON_COUNTERS = '期季部부';
const OF_CHAPTER = new RegExp(`^[${CHAPTER_COUNTERS}]`, 'u');
const OF_VOLUME = new RegExp(`^[${VOLUME_COUNTERS}]`, 'u');
const OF_SEASON = new RegExp(`^[${SEASON_COUNTERS}]`, 'u');
/** A number in kanji is one only between the mark of an ordinal and a counter: `第十一話`. */
export const KANJI_NUMBER = `(?<=第)[${KANJI_DIGITS}十百千]{1,7}(?=[${COUNTERS}${SEASON_COUNTERS}])`;

/** `11` for `十一` and for `一一`. */
export function kanjiValue(text: string): number {
  let [total, digits] = [0, 0];
  for (const character of text) {
    const unit = KANJI_UNITS[character];
    if (unit === undefined) digits = digits * 10 + KANJI_DIGITS.indexOf(character);
    else [total, digits] = [total + (digits || 1) * unit, 0];
  }
  return total + digits;
}

/** After the number, and for most of them only right after it: `7話`, `7 Глава`. */
export function labelAfter(word: string, isGlued: boolean): Label | undefined {
  const key = wordKey(word);
  if (/^(глава|главы|bolum)$/u.test(key)) return 'chapter';
  if (/^(том|тома)$/u.test(key)) return 'volume';
  if (/^(pages?|pgs?)$/u.test(key)) return 'page';
  if (!isGlued) return undefined;
  if (OF_CHAPTER.test(key)) return 'chapter';
  if (OF_VOLUME.test(key)) return 'volume';
  if (OF_SEASON.test(key)) return 'season';
  if (/^(st|nd|rd|th)$/.test(key)) return 'other';
  return key === 'p' ? 'page' : undefined;
}

/** Whether the word makes the chapter an extra of the number beside it: `4.extra`, `404 extravol002`, `番外編 第1話`. */
export function isExtraWord(word: string): boolean {
  return /^(extra|omake|special|bonus|番外|特別|外伝|おまけ|외전)/u.test(wordKey(word));
}

export function isSideStory(words: readonly string[]): boolean {
  return /\bside story\b/i.test(words.join(' '));
}

/** Whether the words are those of an extra alone, and not of a series, as in `Special A`. */
export function isExtraName(words: readonly string[]): boolean {
  return words.length > 0 && (words.every(isExtraWord) || /^side story$/i.test(words.join(' ')));
}

function wordKey(word: string): string {
  return word.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '').normalize('NFC');
}
