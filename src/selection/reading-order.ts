/** Numbers of chapters and volumes: which are equal, their order, and the gaps between them. */
import { leadingNumber } from '../config/ranges.js';

/** By value; texts without one come last. */
export function compareNumbers(a: string | undefined, b: string | undefined): number {
  const [first, second] = [leadingNumber(a), leadingNumber(b)];
  if (first !== undefined && second !== undefined && first !== second) return first - second;
  if (first === undefined || second === undefined)
    return Number(first === undefined) - Number(second === undefined);
  return (a ?? '') < (b ?? '') ? -1 : Number(a !== b);
}

/**
 * `010` and `10.0` become `10`, `7A` becomes `7a`; empty for undefined. `10.10` is not `10.1`: it may be the tenth part, and
 * is lost if both are taken for one chapter.
 */
export function numberKey(text = ''): string {
  const trimmed = text.trim().toLowerCase();
  if (!/^\d+(\.\d+)?$/.test(trimmed)) return trimmed;
  return trimmed.replace(/^0+(?=\d)/, '').replace(/\.0+$/, '');
}

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
