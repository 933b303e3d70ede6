/**
 * The values of `--since` and `--until`: a day (2026-11-21), a time (2026-11-21T18:00), or how long before the start of
 * the run (7d). Days, and times without a zone, are in UTC, as those of the service are.
 */
const DAY_MS = 86_400_000;
const UNITS_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS };
/** Further back than the service exists. */
const MAX_AGO_MS = 100 * 365 * DAY_MS;

interface Absolute {
  /** What the user wrote. */
  readonly text: string;
  /** Milliseconds since 1970: of a day its first and its last one, otherwise the same. */
  readonly firstMs: number;
  readonly lastMs: number;
}

interface Relative {
  readonly text: string;
  readonly agoMs: number;
}

export type TimeBound = Absolute | Relative;

const DAY = /^(\d{4})-?(\d\d)-?(\d\d)$/;
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/i;
const AGO = /^(\d{1,6}) ?(?:(h)(?:ours?)?|(d)(?:ays?)?|(w)(?:eeks?)?)$/i;

/** Undefined for any other text. */
export function parseTimeBound(text: string): TimeBound | undefined {
  const trimmed = text.trim();
  const [, amount, ...units] = AGO.exec(trimmed) ?? [];
  if (amount !== undefined) {
    const agoMs = Number(amount) * (UNITS_MS[units.join('').toLowerCase()] ?? 0);
    return agoMs <= MAX_AGO_MS ? { text: trimmed, agoMs } : undefined;
  }
  const [, year, month, day] = DAY.exec(trimmed) ?? [];
  const atMs = day === undefined ? timeMs(trimmed) : dayMs(`${year}-${month}-${day}`);
  if (atMs === undefined) return undefined;
  return { text: trimmed, firstMs: atMs, lastMs: day === undefined ? atMs : atMs + DAY_MS - 1 };
}

/** A bound at this time exactly. */
export function timeBoundAt(ms: number): TimeBound {
  return { text: new Date(ms).toISOString(), firstMs: ms, lastMs: ms };
}

/** A bound that is the same in later runs. */
export function absoluteBound(bound: TimeBound, nowMs: number): TimeBound {
  return 'agoMs' in bound ? timeBoundAt(nowMs - bound.agoMs) : bound;
}

/** The first millisecond of the bound; `nowMs` is the start of the run. */
export function firstMsOf(bound: TimeBound, nowMs: number): number {
  return 'agoMs' in bound ? nowMs - bound.agoMs : bound.firstMs;
}

export function lastMsOf(bound: TimeBound, nowMs: number): number {
  return 'agoMs' in bound ? nowMs - bound.agoMs : bound.lastMs;
}

/** Date.parse makes March 2 of February 30. */
function dayMs(day: string): number | undefined {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day) ? ms : undefined;
}

function timeMs(text: string): number | undefined {
  const match = TIME.exec(text);
  if (!match || dayMs(text.slice(0, 'YYYY-MM-DD'.length)) === undefined) return undefined;
  const ms = Date.parse(
    text.toUpperCase().replace(' ', 'T') + (match.at(1) === undefined ? 'Z' : ''),
  );
  return Number.isNaN(ms) ? undefined : ms;
}
