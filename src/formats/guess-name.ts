/** Guesses series, volume and chapter from a file name, for archives without ComicInfo. */
import type { ChapterMetadata } from '../cbz/comic-info-reader.js';

export type GuessedName = Pick<ChapterMetadata, 'series' | 'volume' | 'number'>;

const NUMBER = String.raw`0*(\d{1,4}(?:\.\d{1,3})?[a-z]?)`;
const VOLUME = new RegExp(
  String.raw`(?:^|[\s_.\-(\[])v(?:ol(?:ume)?)?[\s._]*${NUMBER}(?![\w])`,
  'i',
);
const CHAPTER = new RegExp(
  String.raw`(?:^|[\s_.\-(\[])c(?:h(?:ap(?:ter)?)?)?[\s._]*${NUMBER}(?![\w])`,
  'i',
);
/** A number at the end, or before a dash or a bracket, as in `Series 012 [Group]`. */
const BARE = new RegExp(String.raw`[\s_#]${NUMBER}\s*(?:$|[-–(\[])`, 'i');

/**
 * Understands names such as `Series Vol.02 Ch.010.5 - Title [Group]`, `Series v02 c010` and `Series 012`. What comes
 * before the first number is the series.
 * @param name without folders and extension
 */
export function guessName(name: string): GuessedName {
  const volume = VOLUME.exec(name);
  const chapter = CHAPTER.exec(name) ?? (volume ? null : BARE.exec(name));
  const starts = [volume, chapter].flatMap((match) => (match ? [match.index] : []));
  if (starts.length === 0) return {};
  const series = name
    .slice(0, Math.min(...starts))
    .replace(/^\s*(\[[^\]]*\]\s*)+/, '')
    .replace(/[\s_.\-–]+$/, '')
    .replaceAll('_', ' ')
    .trim();
  return {
    series: series === '' ? undefined : series,
    volume: volume?.[1],
    number: chapter?.[1],
  };
}
