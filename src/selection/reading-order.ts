/** In what order chapters are read, and which releases are of the same chapter. */
import type { Chapter } from '../api/chapters.js';
import { parseNumber } from './ranges.js';

/**
 * The same text for releases of the same chapter. Numbers decide, however they are written; a volume is asked
 * only where each starts with a chapter 1 of its own, since groups disagree on volumes. Chapters without a
 * number are told apart by volume and title.
 */
export function chapterKey(chapter: Chapter, numbersRestart: boolean): string {
  const { number, volume, title } = chapter;
  const volumeKey = volume === undefined ? '' : plain(volume);
  if (number === undefined) return `unnumbered ${volumeKey} ${(title ?? '').trim().toLowerCase()}`;
  return numbersRestart ? `${volumeKey} ${plain(number)}` : plain(number);
}

/** Compares for reading: by volume where numbers restart, by number, the unnumbered last, then as published. */
export function compareReadingOrder(numbersRestart: boolean): (a: Chapter, b: Chapter) => number {
  return (a, b) =>
    (numbersRestart ? compared(a.volume, b.volume) : 0) ||
    compared(a.number, b.number) ||
    compared(a.volume, b.volume) ||
    (a.publishAt?.getTime() ?? 0) - (b.publishAt?.getTime() ?? 0) ||
    (a.id < b.id ? -1 : 1);
}

function compared(a: string | undefined, b: string | undefined): number {
  const [first, second] = [parseNumber(a), parseNumber(b)];
  if (first !== undefined && second !== undefined && first !== second) return first - second;
  if (first === undefined || second === undefined) return Number(!first) - Number(!second);
  return (a ?? '') < (b ?? '') ? -1 : Number(a !== b);
}

/** `010` and `10.0` are `10`; `7A` is `7a`. */
function plain(text: string): string {
  const trimmed = text.trim().toLowerCase();
  return /^\d+(\.\d+)?$/.test(trimmed) ? String(Number(trimmed)) : trimmed;
}
