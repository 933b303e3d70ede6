/** Where to cut a long strip into screens. Pure. */
import type { ImageDimensions } from '../../core/image-dimensions.js';
import { luminances, type Box, type PageStatistics } from './page-statistics.js';

/** A row whose tones differ less is empty. */
const MAX_EMPTY_DIFFERENCE = 24;
/** A screen is cut at an empty row if that leaves at least this share of the screen filled. */
const MIN_FILLED = 0.5;
/** Without an empty row, the next screen repeats this share. */
const OVERLAP = 0.1;
/** A rest of less than this share of a screen is added to the last screen, which is scaled down. */
const MIN_REST = 0.08;

/** The screens in reading order, in pixels of the image. */
export function stripScreens(statistics: PageStatistics, screen: ImageDimensions): Box[] {
  const { width, height, reduced } = statistics;
  // What fills the screen when the strip has the width of the screen; a narrower one is not enlarged.
  const scale = Math.min(1, screen.width / width);
  const screenHeight = Math.max(1, Math.floor(screen.height / scale));
  const rowHeight = height / reduced.height;
  const empty = emptyRows(statistics);
  const boxes: Box[] = [];
  for (let top = 0; top < height;) {
    const limit = top + screenHeight;
    if (limit + screenHeight * MIN_REST >= height) {
      boxes.push({ left: 0, top, width, height: height - top });
      break;
    }
    const first = Math.ceil((top + screenHeight * MIN_FILLED) / rowHeight);
    const cut = lastEmptyRow(empty, first, Math.floor(limit / rowHeight) - 1);
    const bottom = cut === undefined ? limit : Math.round((cut + 0.5) * rowHeight);
    boxes.push({ left: 0, top, width, height: bottom - top });
    top = cut === undefined ? bottom - Math.floor(screenHeight * OVERLAP) : bottom;
  }
  return boxes;
}

/** For each row of the reduced copy, whether all of it has one tone. */
function emptyRows(statistics: PageStatistics): boolean[] {
  const { width, height } = statistics.reduced;
  const gray = luminances(statistics);
  return Array.from({ length: height }, (_, row) => {
    let [min, max] = [255, 0];
    for (const tone of gray.subarray(row * width, (row + 1) * width))
      [min, max] = [Math.min(min, tone), Math.max(max, tone)];
    return max - min <= MAX_EMPTY_DIFFERENCE;
  });
}

/** The middle of the last run of empty rows between `first` and `last`. */
function lastEmptyRow(empty: readonly boolean[], first: number, last: number): number | undefined {
  let end = last;
  while (end >= first && empty[end] !== true) end -= 1;
  if (end < first) return undefined;
  let start = end;
  while (start > first && empty[start - 1] === true) start -= 1;
  return (start + end) >> 1;
}
