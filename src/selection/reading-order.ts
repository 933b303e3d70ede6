/** The reading order of chapters, and which releases are of the same chapter. */
import type { Chapter } from '../api/chapters.js';
import { parseNumber } from './ranges.js';

/**
 * Returns one key for all releases of a chapter. Numbers are compared numerically; the volume counts only if numbers restart
 * in each one, since groups disagree on volumes. Chapters without a number are distinguished by volume and title.
 */
export function chapterKey(
  chapter: Pick<Chapter, 'number' | 'volume' | 'title'>,
  numbersRestart: boolean,
): string {
  const { number, volume, title } = chapter;
  const volumeKey = volume === undefined ? '' : numberKey(volume);
  if (number === undefined) return `unnumbered ${volumeKey} ${(title ?? '').trim().toLowerCase()}`;
  return numbersRestart ? `${volumeKey} ${numberKey(number)}` : numberKey(number);
}

/** Compares by volume if numbers restart, then by number, unnumbered ones last, then by date of publication. */
export function compareReadingOrder(numbersRestart: boolean): (a: Chapter, b: Chapter) => number {
  return (a, b) =>
    (numbersRestart ? compareNumbers(a.volume, b.volume) : 0) ||
    compareNumbers(a.number, b.number) ||
    compareNumbers(a.volume, b.volume) ||
    (a.publishAt?.getTime() ?? 0) - (b.publishAt?.getTime() ?? 0) ||
    (a.id < b.id ? -1 : 1);
}

function compareNumbers(a: string | undefined, b: string | undefined): number {
  const [first, second] = [parseNumber(a), parseNumber(b)];
  if (first !== undefined && second !== undefined && first !== second) return first - second;
  if (first === undefined || second === undefined)
    return Number(first === undefined) - Number(second === undefined);
  return (a ?? '') < (b ?? '') ? -1 : Number(a !== b);
}

/** `010` and `10.0` become `10`, `7A` becomes `7a`. */
export function numberKey(text: string): string {
  const trimmed = text.trim().toLowerCase();
  return /^\d+(\.\d+)?$/.test(trimmed) ? String(Number(trimmed)) : trimmed;
}
