/** What is said of several runs: the median, so that one slow or one lucky run does not move it. */

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}

/** The median of a/b, pair by pair: it stays meaningful while the machine's speed drifts. */
export function medianRatio(a: readonly number[], b: readonly number[]): number {
  return median(a.map((value, index) => value / (b[index] ?? NaN)));
}

/** Rounded to this many significant digits. */
export function rounded(value: number, digits = 3): number {
  return Number(value.toPrecision(digits));
}
