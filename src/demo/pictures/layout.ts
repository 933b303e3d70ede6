/** How a page is divided into panels: rows of slightly slanted boxes with gutters between. */
import type { Outline, Point } from './shapes.js';

export const PAGE_WIDTH = 800;
export const PAGE_HEIGHT = 1200;

const MARGIN = 38;
const FOOT_MARGIN = 62;
const GUTTER = 14;

interface Row {
  /** Its share of the page's height. */
  readonly height: number;
  /** The panels' shares of the row's width, in the order of reading. */
  readonly cells: readonly number[];
  /** How far the gutters between its panels lean, in pixels. */
  readonly lean?: number;
}

const LAYOUTS: readonly (readonly Row[])[] = [
  [
    { height: 4, cells: [1] },
    { height: 3, cells: [3, 2], lean: 26 },
    { height: 3, cells: [1, 1] },
  ],
  [
    { height: 3, cells: [2, 3] },
    { height: 4, cells: [1] },
    { height: 3, cells: [3, 2], lean: -22 },
  ],
  [
    { height: 5, cells: [1, 1], lean: 40 },
    { height: 5, cells: [1] },
  ],
  [
    { height: 3, cells: [1] },
    { height: 3, cells: [1, 1], lean: -30 },
    { height: 4, cells: [2, 3] },
  ],
  [
    { height: 6, cells: [1] },
    { height: 4, cells: [1, 1], lean: 24 },
  ],
  [
    { height: 3, cells: [1, 1] },
    { height: 3, cells: [1] },
    { height: 3, cells: [1, 1], lean: 18 },
  ],
  [
    { height: 4, cells: [3, 2], lean: -34 },
    { height: 6, cells: [1] },
  ],
  [
    { height: 4, cells: [1] },
    { height: 6, cells: [1] },
  ],
];

/** The panels of a layout in the order of reading. */
export function panels(layout: number, rightToLeft: boolean): Outline[] {
  const rows = LAYOUTS[layout % LAYOUTS.length] ?? [];
  const total = rows.reduce((sum, row) => sum + row.height, 0);
  const room = PAGE_HEIGHT - MARGIN - FOOT_MARGIN - GUTTER * (rows.length - 1);
  let top = MARGIN;
  return rows.flatMap((row) => {
    const height = (room * row.height) / total;
    const cells = rowPanels(row, top, height);
    top += height + GUTTER;
    return rightToLeft ? cells.map(mirrored) : cells;
  });
}

function rowPanels({ cells, lean = 0 }: Row, top: number, height: number): Outline[] {
  const shares = cells.reduce((sum, cell) => sum + cell, 0);
  const room = PAGE_WIDTH - 2 * MARGIN - GUTTER * (cells.length - 1);
  let left = MARGIN;
  return cells.map((cell, index) => {
    const width = (room * cell) / shares;
    const right = left + width;
    const leanLeft = index > 0 ? lean / 2 : 0;
    const leanRight = index < cells.length - 1 ? lean / 2 : 0;
    const outline: Outline = [
      [left + leanLeft, top],
      [right + leanRight, top],
      [right - leanRight, top + height],
      [left - leanLeft, top + height],
    ];
    left = right + GUTTER;
    return outline;
  });
}

const mirrored = (outline: Outline): Outline =>
  outline.map(([x, y]): Point => [PAGE_WIDTH - x, y]).reverse();
