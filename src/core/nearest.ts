/** At most this share of the letters may differ. */
const MAX_DIFFERENCE = 0.4;

/** The candidate with the smallest edit distance to a mistyped word; `undefined` if none is similar. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((candidate) => ({
      candidate,
      distance: editDistance(word.toLowerCase(), candidate.toLowerCase()),
      maxDistance: Math.max(
        1,
        Math.floor(Math.max(word.length, candidate.length) * MAX_DIFFERENCE),
      ),
    }))
    .filter(({ distance, maxDistance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance);
  return best?.candidate;
}

/** Such as `Did you mean quality? `, for the start of a hint; empty if no candidate is similar. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const similar = nearest(word, candidates);
  return similar === undefined ? '' : `Did you mean ${similar}? `;
}

/** Levenshtein distance, row by row; two letters that changed places are one mistake. */
function editDistance(from: string, to: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of from.split('').entries()) {
    const next = [index + 1];
    for (const [column, other] of to.split('').entries()) {
      const substitution = (row[column] ?? 0) + (letter === other ? 0 : 1);
      const isSwapped = letter === to[column - 1] && from[index - 1] === other;
      const swap = isSwapped ? (before[column - 1] ?? 0) + 1 : Infinity;
      next.push(Math.min(substitution, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1, swap));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
