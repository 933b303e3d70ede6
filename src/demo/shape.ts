/** Path shapes such as `/upload/{id}/batch`: whether a path has one, and which of several is the most specific. */

const isPlace = (segment: string | undefined): boolean =>
  segment?.startsWith('{') === true && segment.endsWith('}');

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** What stands at the `{…}` places of `shape`, percent-encoding undone; `undefined` where the path has another shape. */
function matchShape(shape: string, path: string): readonly string[] | undefined {
  const wanted = shape.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const ids: string[] = [];
  for (const [index, segment] of given.entries()) {
    if (isPlace(wanted[index]) && segment !== '') ids.push(decoded(segment));
    else if (wanted[index] !== segment) return undefined;
  }
  return ids;
}

/** The first place, from the left, where one names its segment and the other takes any, decides. */
function moreSpecific(shape: string, than: string): boolean {
  const other = than.split('/');
  for (const [index, segment] of shape.split('/').entries()) {
    if (isPlace(segment) !== isPlace(other[index])) return !isPlace(segment);
  }
  return false;
}

export interface Matched<T> {
  readonly row: T;
  readonly ids: readonly string[];
}

/** The row whose shape says most of `path`, or `undefined` where none has its shape. */
export function mostSpecific<T extends { readonly path: string }>(
  rows: Iterable<T>,
  path: string,
): Matched<T> | undefined {
  let best: Matched<T> | undefined;
  for (const row of rows) {
    const ids = matchShape(row.path, path);
    if (ids && (!best || moreSpecific(row.path, best.row.path))) best = { row, ids };
  }
  return best;
}
