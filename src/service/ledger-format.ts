/**
 * The ledger as text, and back. What is read is checked to the last number: the file may have been damaged, or
 * written by somebody else, and a ledger that cannot be believed must not pass for an empty one. Pure.
 */
import type { Cooldown, Halt } from './cooldown.js';
import { isRecord, parseJson } from './errors.js';
import type { ForeignUse, HeardLimit, LedgerState, PlaceRecord, Ticket } from './ledger-state.js';
import type { Quota } from './quotas.js';

const VERSION = 1;
/** All quotas of a few hosts in full use make a fraction of this. */
const LONGEST_TEXT = 4 * 1024 * 1024;
const MOST_ENTRIES = 10_000;
const LONGEST_KEY = 400;
const HIGHEST_COUNT = 1_000_000;
const DAY_MS = 24 * 60 * 60_000;
/** No time that was written lies further ahead of the writing than the longest ban. */
const FURTHEST_AHEAD_MS = DAY_MS + 60_000;

/** The state as it is written, but for the moment of writing: two of the same are not worth a write. */
export function bodyOf({ places, queue, ...state }: LedgerState): string {
  // Each quota stands once, and places and tickets name it by its position.
  const quotas: Quota[] = [];
  const positions = new Map<string, number>();
  const positionOf = (quota: Quota): number => {
    const name = `${quota.key} ${quota.requests} ${quota.periodMs}`;
    const at = positions.get(name) ?? quotas.push(quota) - 1;
    positions.set(name, at);
    return at;
  };
  const numbered = (entry: PlaceRecord | Ticket): unknown => ({
    ...entry,
    quotas: entry.quotas.map(positionOf),
  });
  const { fullAtMs, foreign, limits, cooldown } = state;
  return JSON.stringify({
    fullAtMs,
    places: places.map(numbered),
    queue: queue.map(numbered),
    quotas,
    foreign,
    limits,
    cooldown,
  });
}

export function textOf(writtenMs: number, body: string): string {
  return `{"version":${VERSION},"writtenMs":${writtenMs}}\n${body}\n`;
}

/** The part of a text that bodyOf made. */
export function bodyIn(text: string): string {
  return text.slice(text.indexOf('\n') + 1, -1);
}

/** Never throws. */
export function readState(text: string): LedgerState | 'damaged' {
  if (text.length > LONGEST_TEXT) return 'damaged';
  const [head, body, end, ...more] = text.split('\n');
  if (body === undefined || end !== '' || more.length > 0) return 'damaged';
  try {
    return stateFrom(record(parseJson(head ?? '')), record(parseJson(body)));
  } catch (error) {
    if (error instanceof Unbelievable) return 'damaged';
    throw error;
  }
}

class Unbelievable extends Error {}

type Fields = Record<string, unknown>;

function stateFrom(head: Fields, fields: Fields): LedgerState {
  if (head['version'] !== VERSION) throw new Unbelievable();
  const writtenMs = number(head['writtenMs'], 0, Number.MAX_SAFE_INTEGER);
  const time: Read<number> = (value) => number(value, 0, writtenMs + FURTHEST_AHEAD_MS);
  const quotas = list(fields['quotas'], quotaFrom);
  const quotasAt: Read<readonly Quota[]> = (value) => values(value, (at) => quotaAt(quotas, at));
  return {
    writtenMs,
    ...optional(fields, 'fullAtMs', time),
    places: list(fields['places'], (entry) => placeFrom(entry, quotasAt, time)),
    queue: list(fields['queue'], (entry) => ticketFrom(entry, quotasAt, time)),
    foreign: list(fields['foreign'], (entry) => foreignFrom(entry, time)),
    limits: list(fields['limits'], (entry) => limitFrom(entry, time)),
    cooldown: cooldownFrom(record(fields['cooldown']), time),
  };
}

type Read<T> = (value: unknown) => T;

function placeFrom(
  fields: Fields,
  quotasAt: Read<readonly Quota[]>,
  time: Read<number>,
): PlaceRecord {
  return {
    id: name(fields['id']),
    holder: name(fields['holder']),
    quotas: quotasAt(fields['quotas']),
    grantedMs: time(fields['grantedMs']),
    ...optional(fields, 'usedThen', count),
    ...optional(fields, 'settledMs', time),
  };
}

function ticketFrom(fields: Fields, quotasAt: Read<readonly Quota[]>, time: Read<number>): Ticket {
  return {
    id: name(fields['id']),
    holder: name(fields['holder']),
    quotas: quotasAt(fields['quotas']),
    ...optional(fields, 'readyMs', time),
  };
}

function quotaFrom(fields: Fields): Quota {
  return {
    key: key(fields['key']),
    requests: number(fields['requests'], 1, HIGHEST_COUNT),
    periodMs: number(fields['periodMs'], 0, DAY_MS),
  };
}

function quotaAt(quotas: readonly Quota[], at: unknown): Quota {
  const quota = typeof at === 'number' ? quotas[at] : undefined;
  if (quota === undefined) throw new Unbelievable();
  return quota;
}

function foreignFrom(fields: Fields, time: Read<number>): ForeignUse {
  return {
    key: key(fields['key']),
    count: number(fields['count'], 1, MOST_ENTRIES),
    heardMs: time(fields['heardMs']),
    untilMs: time(fields['untilMs']),
  };
}

function limitFrom(fields: Fields, time: Read<number>): HeardLimit {
  return {
    key: key(fields['key']),
    requests: number(fields['requests'], 1, HIGHEST_COUNT),
    heardMs: time(fields['heardMs']),
  };
}

function cooldownFrom(fields: Fields, time: Read<number>): Cooldown {
  const halt = (value: unknown): Halt => {
    const { sinceMs, sinceWallMs, untilMs, strikes } = record(value);
    return {
      sinceMs: time(sinceMs),
      sinceWallMs: number(sinceWallMs, -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
      untilMs: time(untilMs),
      strikes: number(strikes, 1, 30),
    };
  };
  const ban = (value: unknown): Cooldown['ban'] => ({
    ...halt(value),
    ...(record(value)['over'] === true && { over: true as const }),
  });
  return {
    ...optional(fields, 'stop', halt),
    ...optional(fields, 'ban', ban),
    ...optional(fields, 'probe', name),
  } as Cooldown;
}

/** The field under its name where it is there; nothing where it is absent. */
function optional<K extends string, T>(
  fields: Fields,
  of: K,
  read: Read<T>,
): Partial<Record<K, T>> {
  return fields[of] === undefined ? {} : ({ [of]: read(fields[of]) } as Record<K, T>);
}

function record(value: unknown): Fields {
  if (!isRecord(value)) throw new Unbelievable();
  return value;
}

function list<T>(value: unknown, read: (fields: Fields) => T): T[] {
  return values(value, (entry) => read(record(entry)));
}

function values<T>(value: unknown, read: Read<T>): T[] {
  if (!Array.isArray(value) || value.length > MOST_ENTRIES) throw new Unbelievable();
  return value.map(read);
}

function number(value: unknown, least: number, most: number): number {
  if (typeof value !== 'number' || !(value >= least && value <= most)) throw new Unbelievable();
  return value;
}

function count(value: unknown): number {
  return number(value, 0, HIGHEST_COUNT);
}

/** Names become parts of file names, so they may hold nothing that leads elsewhere. */
function name(value: unknown): string {
  if (typeof value !== 'string' || !/^[\w-]{1,80}$/.test(value)) throw new Unbelievable();
  return value;
}

function key(value: unknown): string {
  if (typeof value !== 'string' || value === '' || value.length > LONGEST_KEY) {
    throw new Unbelievable();
  }
  return value;
}
