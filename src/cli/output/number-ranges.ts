/** Numbers of chapters and volumes in few words. */
import { printableLine } from '../../core/printable.js';
import { parseNumber } from '../../config/ranges.js';

/** Such as `3, 7-9, 10.5`; further ranges than `maxRanges` are only counted: `3, 7-9, … (12 more)`. */
export function numberRanges(numbers: readonly string[], maxRanges = Infinity): string {
  const parts: { first: string; last: string }[] = [];
  for (const number of numbers.map((text) => printableLine(text))) {
    const previous = parts.at(-1);
    const isNext =
      previous !== undefined && parseNumber(number) === (parseNumber(previous.last) ?? NaN) + 1;
    if (isNext) previous.last = number;
    else parts.push({ first: number, last: number });
  }
  const ranges = parts.map(({ first, last }) => (first === last ? first : `${first}-${last}`));
  const rest = ranges.length - maxRanges;
  const more = rest > 0 ? [`… (${rest} more)`] : [];
  return [...ranges.slice(0, maxRanges), ...more].join(', ');
}
