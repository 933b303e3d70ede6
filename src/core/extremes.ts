/** The extremes of lists of any length: `Math.max(...list)` overflows the stack from about 120,000 numbers on. */

/** -Infinity if there are none. */
export function maxOf(numbers: Iterable<number>): number {
  let max = -Infinity;
  for (const number of numbers) max = Math.max(max, number);
  return max;
}

/** Infinity if there are none. */
export function minOf(numbers: Iterable<number>): number {
  let min = Infinity;
  for (const number of numbers) min = Math.min(min, number);
  return min;
}
