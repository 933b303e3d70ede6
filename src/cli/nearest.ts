/** The word that was probably meant, for a word that is none. Pure. */

/** At most so many letters of ten may differ. */
const MOST_DIFFERENCE = 0.4;

/** The candidate that differs least, in any case of letters; `undefined` where none is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const [best] = candidates
    .map((candidate) => ({ candidate, steps: editSteps(lower, candidate.toLowerCase()) }))
    .filter(
      ({ candidate, steps }) =>
        steps <= Math.ceil(Math.max(word.length, candidate.length) * MOST_DIFFERENCE),
    )
    .sort((one, other) => one.steps - other.steps);
  return best?.candidate;
}

/** How many letters must be put in, taken out, changed, or swapped with the next one. */
function editSteps(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const differs = from[row - 1] === to[column - 1] ? 0 : 1;
      const swapped =
        row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
          ? (before[column - 2] ?? Infinity) + 1
          : Infinity;
      current[column] = Math.min(
        (last[column] ?? Infinity) + 1,
        (current[column - 1] ?? Infinity) + 1,
        (last[column - 1] ?? Infinity) + differs,
        swapped,
      );
    }
    before = last;
    last = current;
  }
  return last[to.length] ?? Infinity;
}
