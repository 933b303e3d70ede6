/**
 * Rates and sizes as people type them: `500k`, `2M`, `1.5 MB/s`; a number alone is in bytes, or bytes per second. Units
 * are decimal.
 */

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9 };
const RATE = /^(\d{1,12}(?:\.\d{1,3})?) ?([kmg]?)(?:b?(?:\/s)?)$/i;

/** A slower download would run into the time limits of the pages. */
export const MIN_BYTES_PER_SECOND = 10_000;
export const BYTE_RATE_EXAMPLES = '500k or 2M, and 10k at least';

/** A smaller file has no room for a page. */
const MIN_FILE_BYTES = 100_000;
export const BYTE_COUNT_EXAMPLES = '250k or 95M, and 100k at least';
const COUNT = /^(\d{1,12}(?:\.\d{1,3})?) ?([kmg]?)b?$/i;

/** Bytes; undefined for any other text, and for a size below the minimum. */
export function parseByteCount(text: string): number | undefined {
  const [, amount, unit = ''] = COUNT.exec(text.trim()) ?? [];
  if (amount === undefined) return undefined;
  const bytes = Math.round(Number(amount) * (UNITS[unit.toLowerCase()] ?? 1));
  return bytes >= MIN_FILE_BYTES ? bytes : undefined;
}

/** Bytes per second; undefined for any other text, and for a rate below the minimum. */
export function parseByteRate(text: string): number | undefined {
  const [, amount, unit = ''] = RATE.exec(text.trim()) ?? [];
  if (amount === undefined) return undefined;
  const bytesPerSecond = Math.round(Number(amount) * (UNITS[unit.toLowerCase()] ?? 1));
  return bytesPerSecond >= MIN_BYTES_PER_SECOND ? bytesPerSecond : undefined;
}
