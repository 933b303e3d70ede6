/** The slanted edges of an outline, laid flat in numbers for the inner loops, and where rows of pixels cross them. */
import type { Outline } from './shapes.js';

/** So many numbers stand for an edge: its top, its bottom, x at the top, the step of x for each y, and 1 down or -1 up. */
export const EDGE_NUMBERS = 5;

/** The edges one after the other; a level one is left out, since no row crosses it. */
export function edgesOf(outline: Outline): Float64Array {
  const edges = new Float64Array(outline.length * EDGE_NUMBERS);
  let count = 0;
  let previous = outline.at(-1);
  for (const point of outline) {
    if (previous !== undefined && previous[1] !== point[1]) {
      const down = previous[1] < point[1];
      const [upper, lower] = down ? [previous, point] : [point, previous];
      edges[count] = upper[1];
      edges[count + 1] = lower[1];
      edges[count + 2] = upper[0];
      edges[count + 3] = (lower[0] - upper[0]) / (lower[1] - upper[1]);
      edges[count + 4] = down ? 1 : -1;
      count += EDGE_NUMBERS;
    }
    previous = point;
  }
  return edges.subarray(0, count);
}
