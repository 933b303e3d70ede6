/** Finds the margins of a page, and the page number in them. Pure. */
import { luminances, type Box, type PageStatistics } from './page-statistics.js';

/** At most this share of the width or height is cut at each side. */
const MAX_CUT = 0.1;
/** A pixel that differs more from the margin is drawn. */
const MIN_DIFFERENCE = 32;
/** A line of a margin may have this share of drawn pixels: dust, and noise of JPEG. */
const MAX_DUST = 0.004;
/** How far a cut is moved out of something drawn that is thin enough for dust, such as the edge of a letter. */
const MAX_RETREAT_LINES = 12;
/** A page number is at most so high, and so wide without gaps, as a share of the page; a spread has two. */
const MAX_NUMBER_HEIGHT = 0.04;
const MAX_NUMBER_WIDTH = 0.08;
/** The margin between the page number and the drawing is at least this share of the page. */
const MIN_NUMBER_DISTANCE = 0.008;
/** Margins are white or black; a tone between them is part of a drawing. */
const MIN_WHITE = 192;
const MAX_BLACK = 64;

/** The part of the image without its margins, in pixels of the image. */
export function contentBox(statistics: PageStatistics): Box {
  const { width, height, reduced } = statistics;
  const gray = luminances(statistics);
  const at = (x: number, y: number) => gray[y * reduced.width + x] ?? 0;
  const { width: columns, height: rows } = reduced;
  const top = cutOf(rows, columns, (y, x) => at(x, y));
  const bottom = cutOf(rows, columns, (y, x) => at(x, rows - 1 - y));
  const left = cutOf(columns, rows, (x, y) => at(x, y));
  const right = cutOf(columns, rows, (x, y) => at(columns - 1 - x, y));
  // An empty page is kept as it is.
  if (isEmpty(gray)) return { left: 0, top: 0, width, height };
  const [leftCut, rightCut] = [left, right].map((cut) => Math.floor((cut * width) / columns));
  const [topCut, bottomCut] = [top, bottom].map((cut) => Math.floor((cut * height) / rows));
  return {
    left: leftCut ?? 0,
    top: topCut ?? 0,
    width: width - (leftCut ?? 0) - (rightCut ?? 0),
    height: height - (topCut ?? 0) - (bottomCut ?? 0),
  };
}

function isEmpty(gray: Uint8Array): boolean {
  let [min, max] = [255, 0];
  for (const tone of gray) [min, max] = [Math.min(min, tone), Math.max(max, tone)];
  return max - min <= MIN_DIFFERENCE;
}

/**
 * How many lines to cut at one side. `toneAt` counts lines from that side inwards; `across` is the length of a line,
 * `depth` the number of lines.
 */
function cutOf(
  depth: number,
  across: number,
  toneAt: (line: number, position: number) => number,
): number {
  const margin = marginTone(across, (position) => toneAt(0, position));
  if (margin > MAX_BLACK && margin < MIN_WHITE) return 0;
  const maxCut = Math.floor(depth * MAX_CUT);
  const isDrawn = (line: number, position: number) =>
    Math.abs(toneAt(line, position) - margin) > MIN_DIFFERENCE;
  // Counted on demand: a margin is short.
  const counts: number[] = [];
  const drawn = (line: number) =>
    (counts[line] ??= countOf(across, (position) => isDrawn(line, position)));
  const isMargin = (line: number) => drawn(line) <= across * MAX_DUST;
  const endOfMargin = (start: number) => {
    let line = start;
    while (line < maxCut && isMargin(line)) line += 1;
    return line;
  };
  // One line of margin stays.
  const cutBefore = (line: number) => {
    let cut = line - 1;
    while (cut > 0 && line - cut < MAX_RETREAT_LINES && drawn(cut) !== 0) cut -= 1;
    return Math.max(0, cut);
  };
  const first = endOfMargin(0);
  if (first === 0 || first === maxCut) return cutBefore(first);
  // A page number: a few lines with something narrow, and margin behind it.
  const maxHeight = Math.max(1, depth * MAX_NUMBER_HEIGHT);
  let end = first;
  while (end < maxCut && end - first <= maxHeight && !isMargin(end)) end += 1;
  if (end - first > maxHeight) return cutBefore(first);
  const second = endOfMargin(end);
  const lines = Array.from({ length: end - first }, (_, index) => first + index);
  const width = countOf(across, (position) => lines.some((line) => isDrawn(line, position)));
  const isNumber =
    width <= across * MAX_NUMBER_WIDTH && second - end >= Math.max(1, depth * MIN_NUMBER_DISTANCE);
  return cutBefore(isNumber ? second : first);
}

/** The median of the outermost line. */
function marginTone(across: number, toneAt: (position: number) => number): number {
  const sorted = Array.from({ length: across }, (_, position) => toneAt(position)).sort(
    (a, b) => a - b,
  );
  return sorted[across >> 1] ?? 0;
}

function countOf(across: number, isCounted: (position: number) => boolean): number {
  let count = 0;
  for (let position = 0; position < across; position += 1) if (isCounted(position)) count += 1;
  return count;
}
