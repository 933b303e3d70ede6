/** A stencil says which part of a sheet may be drawn on: one stretch of each row. */
import { EDGE_NUMBERS, edgesOf } from './edges.js';
import { boundsOf, type Outline } from './shapes.js';

/** Taken out once: in the inner loops a module's own name is found faster than a global's member. */
const { ceil, floor, max, min, round } = Math;

/** Farther than any sheet reaches, in pixels. */
const BEYOND = 1e9;

export interface Stencil {
  /** The first row that is open, and the one after the last. */
  readonly top: number;
  readonly bottom: number;
  /** Of each row of the sheet the first column that is open, and the one after the last. */
  readonly lefts: Int32Array;
  readonly rights: Int32Array;
}

/** A sheet of so many pixels, all open. */
export function wholeSheet(width: number, height: number): Stencil {
  return {
    top: 0,
    bottom: height,
    lefts: new Int32Array(height),
    rights: new Int32Array(height).fill(width),
  };
}

/**
 * What is open in the stencil and lies inside the outline, to whole pixels: a line along the outline hides the
 * steps. A row stays open from the outline's first edge to its last, so an outline with bays is not followed.
 */
export function cutOut(stencil: Stencil, outline: Outline): Stencil {
  const edges = edgesOf(outline);
  const lefts = new Int32Array(stencil.lefts.length);
  const rights = new Int32Array(stencil.rights.length);
  const bounds = boundsOf(outline);
  const top = max(stencil.top, floor(bounds.y));
  const bottom = min(stencil.bottom, ceil(bounds.y + bounds.height));
  for (let y = top; y < bottom; y += 1) {
    const [from, to] = reachAt(edges, y + 0.5);
    lefts[y] = max(stencil.lefts[y] ?? 0, round(from));
    rights[y] = min(stencil.rights[y] ?? 0, round(to));
  }
  return { top, bottom, lefts, rights };
}

/** Where the level line at `y` first meets an edge, and where last; the other way round where it meets none. */
function reachAt(edges: Float64Array, y: number): [number, number] {
  let from = BEYOND;
  let to = -BEYOND;
  for (let at = 0; at < edges.length; at += EDGE_NUMBERS) {
    const top = edges[at] ?? 0;
    if (top <= y && y < (edges[at + 1] ?? 0)) {
      const x = (edges[at + 2] ?? 0) + (y - top) * (edges[at + 3] ?? 0);
      from = min(from, x);
      to = max(to, x);
    }
  }
  return [from, to];
}
