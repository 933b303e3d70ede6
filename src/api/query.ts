/** What the catalogue's queries have in common. */

/** All of them: the service leaves the last one out where it is not asked for. */
const RATINGS = ['safe', 'suggestive', 'erotica', 'pornographic'] as const;

/** Asks for things of every content rating: what a user names is what the user gets. */
export function withRatings(query: URLSearchParams): URLSearchParams {
  for (const rating of RATINGS) query.append('contentRating[]', rating);
  return query;
}

/** The list in pieces of at most so many. */
export function chunk<T>(list: readonly T[], most: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / most) }, (_, index) =>
    list.slice(index * most, (index + 1) * most),
  );
}

/** A moment as the service's `…Since` filters want it: UTC, whole seconds, without a zone. */
export function formatSince(moment: Date): string {
  return moment.toISOString().slice(0, 'YYYY-MM-DDThh:mm:ss'.length);
}
