/** Gaps between numbers. */

/** A number further above the one before it is not the next one: a special of the year 2024, or a typing error. */
const MAX_STEP = 100;

/** The whole numbers between neighbors of these, in order. 10.5 counts as 10, and 6.1 with 6.2 as 6. */
export function missingWholeNumbers(numbers: Iterable<number>): readonly number[] {
  const whole = [...new Set([...numbers].map(Math.floor))].sort((a, b) => a - b);
  return whole.slice(1).flatMap((number, index) => {
    const first = (whole[index] ?? number) + 1;
    const isNext = number - first < MAX_STEP;
    return isNext ? Array.from({ length: number - first }, (_, step) => first + step) : [];
  });
}
