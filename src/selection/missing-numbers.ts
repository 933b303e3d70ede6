/** A typing error on the service, such as 10000 for 100, must not give thousands of gaps. */
import { maxOf, minOf } from '../core/extremes.js';
const MAX_NUMBERS = 5_000;

/** The whole numbers between the first and the last of these that none of them is, or begins with. */
export function missingWholeNumbers(numbers: Iterable<number>): readonly number[] {
  const whole = new Set([...numbers].map(Math.floor));
  const [first, last] = [minOf(whole), maxOf(whole)];
  if (whole.size === 0 || last - first > MAX_NUMBERS) return [];
  const between = Array.from({ length: last - first }, (_, index) => first + index);
  return between.filter((number) => !whole.has(number));
}
