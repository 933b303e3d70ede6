/** The names of pages in archives and folders. */
import type { ImageExtension } from '../core/image-format.js';

const MIN_DIGITS = 3;

/** Such as `012.png`. `index` counts from 0. */
export function pageName(index: number, pages: number, extension: ImageExtension): string {
  return `${paddedNumber(index, pages)}.${extension}`;
}

/** Such as `012` for index 11, with more digits if `count` has more, so that names sort in reading order. */
export function paddedNumber(index: number, count: number): string {
  return String(index + 1).padStart(Math.max(MIN_DIGITS, String(count).length), '0');
}
