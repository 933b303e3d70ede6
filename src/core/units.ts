/** Durations, sizes and rates as people type them: `90s`, `1.5h`, `500k`, `2 MB/s`; and as text that parses to them. */

const MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
const DURATION = /^(\d{1,9}(?:\.\d{1,3})?) ?(ms|s|m|h|d)$/;
const ZERO = /^0+(\.0+)?$/;
const NUMBER = /^\d{1,9}(\.\d{1,3})?$/;
/** Longer durations are taken for a mistake. */
export const MAX_DURATION_MS = 30 * MS.d;
export const DURATION_EXAMPLES = '90s, 10m or 1h';

/** The duration in milliseconds; undefined for any other text, and for a longer one. Only 0 needs no unit. */
export function parseDuration(text: string, maxMs = MAX_DURATION_MS): number | undefined {
  if (ZERO.test(text.trim())) return 0;
  const [, amount, unit] = DURATION.exec(text.trim()) ?? [];
  if (amount === undefined) return undefined;
  const ms = Math.round(Number(amount) * MS[unit as keyof typeof MS]);
  return ms <= maxMs ? ms : undefined;
}

/** Whether the text would be a duration if it had a unit. */
export function lacksUnit(text: string): boolean {
  return NUMBER.test(text.trim()) && !ZERO.test(text.trim());
}

/** A number alone is in bytes. Units are decimal. */
const BYTES = { g: 1e9, m: 1e6, k: 1e3, '': 1 } as const;
const COUNT = /^(\d{1,12}(?:\.\d{1,3})?) ?([kmg]?)b?(\/s)?$/i;
/** A smaller file has no room for a page. */
const MIN_FILE_BYTES = 100_000;
export const BYTE_COUNT_EXAMPLES = '250k or 95M, and 100k at least';
/** A slower download would run into the time limits of the pages. */
export const MIN_BYTES_PER_SECOND = 10_000;
export const BYTE_RATE_EXAMPLES = '500k or 2M, and 10k at least';

/** Bytes; undefined for any other text, and for a size below the minimum. */
export function parseByteCount(text: string): number | undefined {
  return text.includes('/') ? undefined : parseBytes(text, MIN_FILE_BYTES);
}

/** Bytes per second; undefined for any other text, and for a rate below the minimum. */
export function parseByteRate(text: string): number | undefined {
  return parseBytes(text, MIN_BYTES_PER_SECOND);
}

function parseBytes(text: string, min: number): number | undefined {
  const [, amount, unit = ''] = COUNT.exec(text.trim()) ?? [];
  if (amount === undefined) return undefined;
  const bytes = Math.round(Number(amount) * BYTES[unit.toLowerCase() as keyof typeof BYTES]);
  return bytes >= min ? bytes : undefined;
}

/** Such as `90s`, in the largest unit that is exact. */
export const durationText = (ms: number): string => inLargestUnit(ms, MS);

/** Such as `500k`, in the largest unit that is exact. */
export const bytesText = (bytes: number): string =>
  inLargestUnit(bytes, BYTES).replace(/[mg]$/, (unit) => unit.toUpperCase());

function inLargestUnit(value: number, units: Readonly<Record<string, number>>): string {
  if (value === 0) return '0';
  const [unit, size] = Object.entries(units).find(([, each]) => value % each === 0) ?? ['', 1];
  return `${value / size}${unit}`;
}
