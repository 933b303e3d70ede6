/**
 * How much of each pixel an outline covers, row by row and in whole numbers: where an edge crosses a row, the
 * change is noted in the pixel where it happens, so that a pixel's coverage is the sum of the changes up to it.
 */
import { EDGE_NUMBERS, edgesOf } from './edges.js';
import type { Outline } from './shapes.js';
import type { Stencil } from './stencil.js';

/** Taken out once: in the inner loops a module's own name is found faster than a global's member. */
const { ceil, floor, max, min } = Math;

/** Each row of pixels is looked at this many times, for soft edges. */
const SAMPLES = 4;
/** A crossing's place is taken to this part of a pixel. */
const PARTS = 64;
/** The coverage of a pixel that lies inside whole. */
export const FULL = SAMPLES * PARTS;

/** Where something changes in a row: the first column, and the one after the last. */
export type EachRow = (y: number, first: number, end: number) => void;

export class Coverage {
  /** The changes of the row at hand. Whoever reads them puts them back to zero. */
  readonly changes: Int32Array;

  constructor(width: number) {
    this.changes = new Int32Array(width + 2);
  }

  /**
   * Goes through the rows of the outline that the stencil leaves open. The sum of changes is the coverage times
   * how often the outline goes round there, below zero where it goes round to the left.
   */
  rows(outline: Outline, stencil: Stencil, eachRow: EachRow): void {
    const edges = edgesOf(outline);
    let [highest, lowest] = [Infinity, -Infinity];
    for (let at = 0; at < edges.length; at += EDGE_NUMBERS) {
      highest = min(highest, edges[at] ?? 0);
      lowest = max(lowest, edges[at + 1] ?? 0);
    }
    const to = min(stencil.bottom, ceil(lowest));
    for (let y = max(stencil.top, floor(highest)); y < to; y += 1) {
      const [left, right] = [stencil.lefts[y] ?? 0, stencil.rights[y] ?? 0];
      if (left < right) {
        this.#row(edges, y, left, right, eachRow);
      }
    }
  }

  #row(edges: Float64Array, y: number, left: number, right: number, eachRow: EachRow): void {
    const { changes } = this;
    const [leftmost, rightmost] = [left * PARTS, right * PARTS];
    let first = rightmost;
    let last = -1;
    for (let at = 0; at < edges.length; at += EDGE_NUMBERS) {
      const top = edges[at] ?? 0;
      const bottom = edges[at + 1] ?? 0;
      if (top >= y + 1 || bottom <= y) {
        continue;
      }
      const start = edges[at + 2] ?? 0;
      const step = edges[at + 3] ?? 0;
      const direction = edges[at + 4] ?? 0;
      for (let sample = 0; sample < SAMPLES; sample += 1) {
        const place = y + (sample + 0.5) / SAMPLES;
        if (place >= top && place < bottom) {
          const x = (start + (place - top) * step) * PARTS + 0.5;
          const part = x <= leftmost ? leftmost : x >= rightmost ? rightmost : x | 0;
          const column = part >> 6;
          const beyond = part & (PARTS - 1);
          changes[column] = (changes[column] ?? 0) + direction * (PARTS - beyond);
          changes[column + 1] = (changes[column + 1] ?? 0) + direction * beyond;
          first = part < first ? part : first;
          last = part > last ? part : last;
        }
      }
    }
    if (last >= 0) {
      eachRow(y, first >> 6, (last >> 6) + 2);
    }
  }
}
