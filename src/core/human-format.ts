/** Sizes, counts, durations and times as people read them. */

/** Longer durations are in days. */
const MAX_HOURS = 48;

/** Milliseconds as `85 ms`, `1.2 s`, `45 s`, `3 min 20 s`, `2 h 5 min`, `30 days`. */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${Number((Math.max(0, ms) / 1_000).toFixed(1))} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return twoUnits(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < MAX_HOURS * 60) return twoUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(minutes / 60);
  return twoUnits(Math.floor(hours / 24), 'days', hours % 24, 'h');
}

/** Such as `CBZ, EPUB or PDF`. */
export function formatList(items: readonly string[], conjunction: 'and' | 'or'): string {
  const [last = '', ...others] = items.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(', ')} ${conjunction} ${last}`;
}

/** What is left, in whole seconds, and from ten minutes on in whole minutes; rounded up. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  return formatDuration((seconds < 600 ? seconds : Math.ceil(seconds / 60) * 60) * 1_000);
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

// The Swedish locale orders a date as ISO 8601 does, but writes 0:05 for five past midnight
// unless each part is named.
const LOCAL_TIME_FORMAT: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
};

/** Local time with its zone: `2026-11-21 17:28:37 CET`; today's without the date. */
export function formatLocalTime(atMs: number, nowMs: number): string {
  const format = (ms: number) =>
    new Date(ms).toLocaleString('sv-SE', LOCAL_TIME_FORMAT).replace('−', '-');
  const [today = ''] = format(nowMs).split(' ');
  return format(atMs).replace(`${today} `, '');
}

/** For JSON, in UTC. */
export function isoTime(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(atMs).toISOString();
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes in decimal units: `512 B`, `3.4 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${BYTE_UNITS[unit] ?? 'B'}`;
}

/** Such as `1,665`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

const MAX_NAMED = 4;

/** The first names of a list, such as `a.cbz, b.cbz, c.cbz, d.cbz and 1,200 more`. */
export function firstNames(names: readonly string[]): string {
  const others = names.length - MAX_NAMED;
  const more = others > 0 ? ` and ${formatCount(others)} more` : '';
  return `${names.slice(0, MAX_NAMED).join(', ')}${more}`;
}
