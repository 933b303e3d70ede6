/** Durations as people type them: `90s`, `10m`, `1.5h`. Only 0 needs no unit. */

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,9}(?:\.\d{1,3})?) ?(ms|s|m|h|d)$/;
const ZERO = /^0+(\.0+)?$/;
const NUMBER = /^\d{1,9}(\.\d{1,3})?$/;
/** Longer durations are taken for a mistake. */
export const MAX_DURATION_MS = 30 * UNITS_MS.d;

export const DURATION_EXAMPLES = '90s, 10m or 1h';

/** The duration in milliseconds; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  if (ZERO.test(text.trim())) return 0;
  const [, amount, unit] = DURATION.exec(text.trim()) ?? [];
  if (amount === undefined) return undefined;
  const ms = Math.round(Number(amount) * UNITS_MS[unit as keyof typeof UNITS_MS]);
  return ms <= MAX_DURATION_MS ? ms : undefined;
}

/** Whether the text would be a duration if it had a unit. */
export function lacksUnit(text: string): boolean {
  return NUMBER.test(text.trim()) && !ZERO.test(text.trim());
}
