/** Matches request paths against route patterns such as `/upload/{id}/batch`. */

export interface RouteMatch<T> {
  readonly route: T;
  /** The segments at the pattern's `{…}`, percent-decoded. */
  readonly ids: readonly string[];
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Sorts before another pattern if its first differing segment is literal. `~` sorts after every literal. */
const sortKey = (pattern: string): string => pattern.replace(/\{\w+\}/g, '~');

/** The matching route with the most specific path. */
export function matchRoute<T extends { readonly path: string }>(
  routes: Iterable<T>,
  path: string,
): RouteMatch<T> | undefined {
  let best: RouteMatch<T> | undefined;
  for (const route of routes) {
    const match = new RegExp(`^${route.path.replace(/\{\w+\}/g, '([^/]+)')}$`).exec(path);
    if (match && (!best || sortKey(route.path) < sortKey(best.route.path))) {
      best = { route, ids: match.slice(1).map(decode) };
    }
  }
  return best;
}
