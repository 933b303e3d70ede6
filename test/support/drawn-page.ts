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
  const rowBytes = reduced.width * 3;
  const pixels = Buffer.alloc(rowBytes * reduced.height, Uint8Array.from(paper));
  for (const { left, top, width: columns, height: rows, color } of shapes) {
    const [firstColumn, endColumn] = covered(left, columns, reduced.width, width);
    const [firstRow, endRow] = covered(top, rows, reduced.height, height);
    const line = Buffer.alloc(Math.max(0, endColumn - firstColumn) * 3, Uint8Array.from(color));
    for (let row = firstRow; row < endRow; row += 1)
      pixels.set(line, row * rowBytes + firstColumn * 3);
  }
  const histogram = new Array<number>(256).fill(0);
  for (let at = 0; at < pixels.length; at += 3) {
    const red = pixels.readUInt8(at);
    const tone = (red * 77 + pixels.readUInt8(at + 1) * 150 + pixels.readUInt8(at + 2) * 29) >> 8;
    histogram[tone] = (histogram[tone] ?? 0) + 1;
  }
  return { width, height, reduced: { ...reduced, channels: 3, pixels }, histogram };
}

/** The first of `count` pixels whose middle is within the shape, and the one after the last. */
function covered(from: number, length: number, count: number, size: number): [number, number] {
  const first = (edge: number): number =>
    Math.min(count, Math.max(0, Math.ceil((edge * count) / size - 0.5)));
  return [first(from), first(from + length)];
}
