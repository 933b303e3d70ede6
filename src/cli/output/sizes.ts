/** Sizes, durations, times and counts as people read them. */

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes in decimal units: `512 B`, `3.4 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit] ?? 'B'}`;
}

/** Milliseconds as `85 ms`, `1.2 s`, `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${Number((Math.max(0, ms) / 1_000).toFixed(1))} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return seconds < 3_600
    ? twoUnits(minutes, 'min', seconds % 60, 's')
    : twoUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** Local time with its zone: `2026-11-21 17:28:37 CET`; today's without the date. */
export function formatLocalTime(atMs: number, nowMs: number): string {
  // The Swedish locale formats dates as ISO 8601 does.
  const format = (ms: number) =>
    new Date(ms).toLocaleString('sv-SE', { timeZoneName: 'short' }).replace('−', '-');
  const [today = ''] = format(nowMs).split(' ');
  return format(atMs).replace(`${today} `, '');
}

export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
