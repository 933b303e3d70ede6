/** Numbers of chapters and volumes as texts: which are equal, and their order. */
import { leadingNumber } from '../config/ranges.js';

/** By value; texts without one come last. */
export function compareNumbers(a: string | undefined, b: string | undefined): number {
  const [first, second] = [leadingNumber(a), leadingNumber(b)];
  if (first !== undefined && second !== undefined && first !== second) return first - second;
  if (first === undefined || second === undefined)
    return Number(first === undefined) - Number(second === undefined);
  return (a ?? '') < (b ?? '') ? -1 : Number(a !== b);
}

/** `010` and `10.0` become `10`, `7A` becomes `7a`; empty for undefined. */
export function numberKey(text = ''): string {
  const trimmed = text.trim().toLowerCase();
  return /^\d+(\.\d+)?$/.test(trimmed) ? String(Number(trimmed)) : trimmed;
}
