/** Path shapes such as `/upload/{id}/batch`: which of several a path has, and what is at their `{…}`. */

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const PARAMETER = /\{\w+\}/g;

/** Orders shapes: the first segment, from the left, that one names and the other leaves open decides. */
const order = (shape: string): string =>
  shape
    .split('/')
    .map((segment) => (segment.startsWith('{') ? 'open' : 'named'))
    .join('/');

export interface Matched<T> {
  readonly row: T;
  /** What is at the `{…}` of its shape, percent-encoding undone. */
  readonly ids: readonly string[];
}

/** The row with the most specific shape that `path` has, or `undefined` where no row fits. */
export function mostSpecific<T extends { readonly path: string }>(
  rows: Iterable<T>,
  path: string,
): Matched<T> | undefined {
  let best: Matched<T> | undefined;
  for (const row of rows) {
    const found = new RegExp(`^${row.path.replace(PARAMETER, '([^/]+)')}$`).exec(path);
    if (found && (!best || order(row.path) < order(best.row.path))) {
      best = { row, ids: found.slice(1).map(decoded) };
    }
  }
  return best;
}
