/**
 * Which chapters and volumes a user wants, as typed: `1-10,12.5,20-` or `none`. Numbers are compared as
 * numbers, so 10.5 lies in 1-11 and not in 1-10.
 */
import { UsageError } from '../core/errors.js';

export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

export interface Ranges {
  readonly numbers: readonly NumberRange[];
  /** Whether what has no number is wanted too. */
  readonly includesUnnumbered: boolean;
}

const RANGE = /^(\d+(?:\.\d+)?)?\s*(-|\.\.)?\s*(\d+(?:\.\d+)?)?$/;
const NUMBER = /^(\d+(?:\.\d+)?)[a-z]*$/i;

/** Reads such a text. `option` names it in the error: UsageError `bad-option`. */
export function parseRanges(text: string, option: string): Ranges {
  const words = text.split(',').map((word) => word.trim());
  const numbers: NumberRange[] = [];
  for (const word of words) {
    if (word.toLowerCase() !== 'none') numbers.push(parseRange(word, option));
  }
  return { numbers, includesUnnumbered: numbers.length < words.length };
}

/** Whether the service's number, such as `10.5` or nothing, is among them. `7a` counts as 7. */
export function isWithin(number: string | undefined, ranges: Ranges): boolean {
  const value = parseNumber(number);
  if (value === undefined) return ranges.includesUnnumbered;
  return ranges.numbers.some(({ from, to }) => from <= value && value <= to);
}

/** The number in the service's text; undefined where there is none. */
export function parseNumber(text: string | undefined): number | undefined {
  const digits = NUMBER.exec(text ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function parseRange(word: string, option: string): NumberRange {
  const [, first, dash, second] = RANGE.exec(word) ?? [];
  const single = dash === undefined;
  const from = first === undefined ? 0 : Number(first);
  const to = single ? from : second === undefined ? Number.POSITIVE_INFINITY : Number(second);
  const isNothing = first === undefined && second === undefined;
  if (isNothing || (single && second !== undefined) || from > to) throw badRange(word, option);
  return { from, to };
}

function badRange(word: string, option: string): UsageError {
  return new UsageError('bad-option', `${option} does not understand "${word.slice(0, 80)}".`, {
    hint: `Numbers and ranges, joined by commas, for example: ${option} 1-10,12.5,20-,none`,
  });
}
