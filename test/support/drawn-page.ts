/** Pages as statistics, drawn pixel by pixel, for tests of what becomes of a page. */
import {
  reducedSize,
  type Box,
  type PageStatistics,
} from '../../src/books/device/page-statistics.js';

export type Color = readonly [red: number, green: number, blue: number];
export interface Shape extends Box {
  readonly color: Color;
}
export const gray = (tone: number): Color => [tone, tone, tone];

/** Rectangles on paper, in pixels of a page of this size. */
export function drawnPage(
  size: { readonly width: number; readonly height: number; readonly isStrip?: boolean },
  paper: Color,
  shapes: readonly Shape[] = [],
): PageStatistics {
  const { width, height, isStrip = false } = size;
  const reduced = reducedSize({ width, height }, isStrip);
  const pixels = new Uint8Array(reduced.width * reduced.height * 3);
  const histogram = Array.from({ length: 256 }, () => 0);
  for (let row = 0; row < reduced.height; row += 1)
    for (let column = 0; column < reduced.width; column += 1) {
      const x = ((column + 0.5) * width) / reduced.width;
      const y = ((row + 0.5) * height) / reduced.height;
      const shape = shapes.findLast(
        (each) =>
          x >= each.left &&
          x < each.left + each.width &&
          y >= each.top &&
          y < each.top + each.height,
      );
      const [red, green, blue] = shape?.color ?? paper;
      pixels.set([red, green, blue], (row * reduced.width + column) * 3);
      const tone = (red * 77 + green * 150 + blue * 29) >> 8;
      histogram[tone] = (histogram[tone] ?? 0) + 1;
    }
  return { width, height, reduced: { ...reduced, channels: 3, pixels }, histogram };
}
