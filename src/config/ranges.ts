/**
 * Ranges of chapter and volume numbers, such as `1-10,12.5,20-` or `none`. Numbers are compared numerically: 10.5 is
 * within 1-11 and not within 1-10.
 */
import { UsageError } from '../core/errors.js';
import { printableLine } from '../core/printable.js';

interface NumberRange {
  readonly from: number;
  readonly to: number;
}

export interface Ranges {
  /** What the user wrote. */
  readonly text: string;
  readonly numbers: readonly NumberRange[];
  /** `none` was given. */
  readonly includesUnnumbered: boolean;
}

const RANGE = /^(\d+(?:\.\d+)?)?\s*(-|\.\.)?\s*(\d+(?:\.\d+)?)?$/;
const LEADING_NUMBER = /^\d+(\.\d+)?/;
const NUMBER = /^(\d+(?:\.\d+)?)[a-z]*$/i;

/** Throws UsageError `bad-option`, with the name of the option. */
export function parseRanges(text: string, option: string): Ranges {
  const words = text.split(',').map((word) => word.trim());
  const numbers: NumberRange[] = [];
  for (const word of words) {
    if (word.toLowerCase() !== 'none') numbers.push(parseRange(word, option));
  }
  return { text, numbers, includesUnnumbered: numbers.length < words.length };
}

/** Whether the ranges include a number as the service writes it. `7a` counts as 7. */
export function isWithin(number: string | undefined, ranges: Ranges): boolean {
  const value = parseNumber(number);
  if (value === undefined) return ranges.includesUnnumbered;
  return ranges.numbers.some(({ from, to }) => from <= value && value <= to);
}

/** The number in the service's text, if there is one. */
export function parseNumber(text: string | undefined): number | undefined {
  const digits = NUMBER.exec(text ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The number with which the text begins: 10 of `10b`, 6.1 of `6.1-6.2`. */
export function leadingNumber(text: string | undefined): number | undefined {
  const digits = LEADING_NUMBER.exec(text ?? '')?.[0];
  return digits === undefined ? undefined : Number(digits);
}

function parseRange(word: string, option: string): NumberRange {
  const [, first, dash, second] = RANGE.exec(word) ?? [];
  const isSingle = dash === undefined;
  const from = Number(first ?? 0);
  const to = isSingle ? from : Number(second ?? Infinity);
  const isEmpty = first === undefined && second === undefined;
  if (from > to) {
    throw new UsageError('bad-option', `Reversed range for ${option}: "${word.slice(0, 80)}"`, {
      hint: `Write the smaller number first: ${option} ${second}-${first}`,
    });
  }
  if (isEmpty || (isSingle && second !== undefined)) {
    throw new UsageError('bad-option', `Invalid range for ${option}: "${word.slice(0, 80)}"`, {
      hint: `Use numbers and ranges separated by commas, such as ${option} 1-10,12.5,20-,none`,
    });
  }
  return { from, to };
}

/** Such as `3, 7-9, 10.5`; further ranges than `maxRanges` are only counted: `3, 7-9, … (12 more)`. */
export function numberRanges(numbers: readonly string[], maxRanges = Infinity): string {
  const ranges = toRanges(numbers);
  const rest = ranges.length - maxRanges;
  const more = rest > 0 ? [`… (${rest} more)`] : [];
  return [...ranges.slice(0, maxRanges), ...more].join(', ');
}

/** Such as `3` and `7-9`. */
export function toRanges(numbers: readonly string[]): string[] {
  const parts: { first: string; last: string }[] = [];
  for (const number of numbers.map((text) => printableLine(text))) {
    const previous = parts.at(-1);
    const isNext =
      previous !== undefined && parseNumber(number) === (parseNumber(previous.last) ?? NaN) + 1;
    if (isNext) previous.last = number;
    else parts.push({ first: number, last: number });
  }
  return parts.map(({ first, last }) => (first === last ? first : `${first}-${last}`));
}

/** `01` is volume `1`. */
export function isSameVolume(a: string | undefined, b: string): boolean {
  return a !== undefined && (a === b || (/^\d/.test(a) && Number(a) === Number(b)));
}
