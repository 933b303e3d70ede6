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
type EachRow = (y: number, first: number, end: number) => void;

export class Coverage {
  /** The changes of the row at hand. Whoever reads them puts them back to zero. */
  readonly changes: Int32Array;
  /** Of each row its latest crossing, counted from 1; 0 for none. */
  readonly #latest: Int32Array;
  /** Of each crossing the one before it in its row, where it is in parts of a pixel, and 1 down or -1 up. */
  #before = new Int32Array(0);
  #places = new Int32Array(0);
  #directions = new Int8Array(0);

  constructor(width: number, height: number) {
    this.changes = new Int32Array(width + 2);
    this.#latest = new Int32Array(height);
  }

  /**
   * Goes through the rows of the outline that the stencil leaves open. The sum of changes is the coverage times
   * how often the outline goes round there, below zero where it goes round to the left.
   */
  rows(outline: Outline, stencil: Stencil, eachRow: EachRow): void {
    const edges = edgesOf(outline);
    let highest = stencil.bottom;
    let lowest = stencil.top;
    let samples = 0;
    for (let at = 0; at < edges.length; at += EDGE_NUMBERS) {
      const top = max(stencil.top, edges[at] ?? 0);
      const bottom = min(stencil.bottom, edges[at + 1] ?? 0);
      highest = min(highest, top);
      lowest = max(lowest, bottom);
      samples += max(0, ceil((bottom - top) * SAMPLES)) + 1;
    }
    this.#makeRoom(samples);
    this.#cross(edges, stencil);
    const end = ceil(lowest);
    for (let y = floor(highest); y < end; y += 1) {
      this.#row(y, stencil, eachRow);
    }
  }

  #makeRoom(crossings: number): void {
    if (this.#places.length <= crossings) {
      const room = 2 * crossings + 1_000;
      this.#before = new Int32Array(room);
      this.#places = new Int32Array(room);
      this.#directions = new Int8Array(room);
    }
  }

  /** Notes for each row where edges cross it. */
  #cross(edges: Float64Array, stencil: Stencil): void {
    const latest = this.#latest;
    const before = this.#before;
    const places = this.#places;
    const directions = this.#directions;
    let count = 0;
    for (let at = 0; at < edges.length; at += EDGE_NUMBERS) {
      const top = edges[at] ?? 0;
      const start = edges[at + 2] ?? 0;
      const step = edges[at + 3] ?? 0;
      const direction = edges[at + 4] ?? 0;
      // The sample `n` is taken at y = (n + 0.5) / SAMPLES.
      const first = ceil(max(stencil.top, top) * SAMPLES - 0.5);
      const end = ceil(min(stencil.bottom, edges[at + 1] ?? 0) * SAMPLES - 0.5);
      for (let sample = first; sample < end; sample += 1) {
        const y = sample >> 2;
        const x = (start + ((sample + 0.5) / SAMPLES - top) * step) * PARTS + 0.5;
        const left = (stencil.lefts[y] ?? 0) * PARTS;
        const right = (stencil.rights[y] ?? 0) * PARTS;
        count += 1;
        places[count] = x <= left ? left : x >= right ? right : x;
        directions[count] = direction;
        before[count] = latest[y] ?? 0;
        latest[y] = count;
      }
    }
  }

  /** Turns the crossings of a row into changes of coverage. */
  #row(y: number, stencil: Stencil, eachRow: EachRow): void {
    const { changes } = this;
    let first = changes.length;
    let last = -1;
    for (let at = this.#latest[y] ?? 0; at > 0; at = this.#before[at] ?? 0) {
      const place = this.#places[at] ?? 0;
      const direction = this.#directions[at] ?? 0;
      const column = place >> 6;
      const beyond = place & (PARTS - 1);
      changes[column] = (changes[column] ?? 0) + direction * (PARTS - beyond);
      changes[column + 1] = (changes[column + 1] ?? 0) + direction * beyond;
      first = column < first ? column : first;
      last = column > last ? column : last;
    }
    this.#latest[y] = 0;
    if (last >= 0 && (stencil.lefts[y] ?? 0) < (stencil.rights[y] ?? 0)) {
      eachRow(y, first, last + 2);
    } else if (last >= 0) {
      changes.fill(0, first, last + 2);
    }
  }
}
