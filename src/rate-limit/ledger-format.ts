/**
 * The ledger as text, and back. What is read is checked to the last number: the file may have been damaged, or
 * written by somebody else, and a ledger that cannot be believed must not pass for an empty one. Nothing that is
 * accepted can end the program, hold it up, or reach a terminal as a control character. Pure.
 */
import { LONGEST_HALT_MS, type Backoff } from './backoff.js';
import { isRecord, parseJson } from '../core/json.js';
import {
  MAX_BOOTS,
  MAX_TIME_MS,
  type Ban,
  type BootRecord,
  type LedgerRecord,
  type Stamped,
} from './ledger-record.js';
import type { ExternalUse, AnnouncedLimit, PermitRecord, Ticket } from './ledger-state.js';
import type { Quota } from './quotas.js';

const VERSION = 2;
/** All quotas of a few hosts in full use make a fraction of each of these. */
export const MAX_TEXT_BYTES = 1024 * 1024;
const MAX_ENTRIES = 4_000;
const MAX_QUOTAS = 400;
/** The general limit, and the endpoint's. */
const MAX_QUOTAS_EACH = 2;
const MAX_KEY_LENGTH = 200;
/** Three times the highest quota of the table (spec 8.3). */
const MAX_COUNT = 1_000;
const MAX_FOREIGN_USES = 10_000;
const MAX_STRIKES = 30;
/** The longest of the table (spec 8.3). */
const MAX_PERIOD_MS = 60 * 60_000;
/** No time that was written lies further ahead of the writing than the longest ban. */
const MAX_AHEAD_MS = LONGEST_HALT_MS + 60_000;
const MAX_REVISION = 1e15;

/** The state as it is written, but for who wrote it and when: two of the same are not worth a write. */
export function bodyOf(record: LedgerRecord): string {
  // Each quota and each boot stands once, and what names it does so by its position.
  const quotas: Quota[] = [];
  const positions = new Map<string, number>();
  const positionOf = (quota: Quota): number => {
    const name = `${quota.key} ${quota.requests} ${quota.periodMs}`;
    const at = positions.get(name) ?? quotas.push(quota) - 1;
    positions.set(name, at);
    return at;
  };
  const bootAt = new Map(record.boots.map(({ boot }, at) => [boot, at]));
  const plain = ({ entry, boot, shiftsMs }: Stamped<object>): object => {
    const at = bootAt.get(boot) ?? 0;
    const shifts = [...shiftsMs].flatMap(([of, ms]) => {
      const index = bootAt.get(of);
      return index === undefined ? [] : [[index, ms]];
    });
    return { ...entry, ...(at > 0 && { boot: at }), ...(shifts.length > 0 && { shifts }) };
  };
  const numbered = (stamped: Stamped<PermitRecord | Ticket>): object => ({
    ...plain(stamped),
    quotas: stamped.entry.quotas.map(positionOf),
  });
  const { full, stop, ban, probe } = record;
  return JSON.stringify({
    ...(full && { full: plain(full) }),
    places: record.places.map(numbered),
    queue: record.queue.map(numbered),
    quotas,
    foreign: record.foreign.map(plain),
    limits: record.limits.map(plain),
    ...(stop && { stop: plain(stop) }),
    ...(ban && { ban: plain(ban) }),
    ...(probe !== undefined && { probe }),
    boots: record.boots.slice(1),
  });
}

export function textOf(record: LedgerRecord, body = bodyOf(record)): string {
  const { id, revision, boots } = record;
  return `${JSON.stringify({ version: VERSION, id, ...boots[0], revision })}\n${body}\n`;
}

/** The part of a text that bodyOf made. */
export function bodyIn(text: string): string {
  return text.slice(text.indexOf('\n') + 1, -1);
}

/** Never throws. */
export function readRecord(text: string): LedgerRecord | 'damaged' {
  if (text.length > MAX_TEXT_BYTES) return 'damaged';
  const [head, body, end, ...more] = text.split('\n', 4);
  if (body === undefined || end !== '' || more.length > 0) return 'damaged';
  try {
    return recordFrom(record(parseJson(head ?? '')), record(parseJson(body)));
  } catch (error) {
    if (error instanceof UnreadableLedger) return 'damaged';
    throw error;
  }
}

class UnreadableLedger extends Error {}

type Fields = Record<string, unknown>;
type Read<T> = (value: unknown) => T;
/** Reads an entry whose times are those of its boot. */
type ReadEntry<T> = (fields: Fields, time: Read<number>) => T;

function recordFrom(head: Fields, fields: Fields): LedgerRecord {
  if (head['version'] !== VERSION) throw new UnreadableLedger();
  const writer = bootFrom(head);
  const boots = [writer, ...values(fields['boots'], (of) => bootFrom(record(of)), MAX_BOOTS - 1)];
  if (new Set(boots.map(({ boot }) => boot)).size < boots.length) throw new UnreadableLedger();
  const quotas = values(fields['quotas'], (of) => quotaFrom(record(of)), MAX_QUOTAS);
  const quotasAt: Read<readonly Quota[]> = (value) =>
    values(value, (at) => itemAt(quotas, at), MAX_QUOTAS_EACH);
  const stamped =
    <T>(read: ReadEntry<T>): Read<Stamped<T>> =>
    (value) =>
      stampedFrom(record(value), boots, read);
  const foreign = values(fields['foreign'], stamped(foreignFrom));
  const uses = foreign.reduce((sum, { entry }) => sum + entry.count, 0);
  if (uses > MAX_FOREIGN_USES) throw new UnreadableLedger();
  return {
    id: name(head['id']),
    revision: writer.revision,
    boots,
    ...optional(
      fields,
      'full',
      stamped((of, time) => ({ atMs: time(of['atMs']) })),
    ),
    places: values(fields['places'], stamped(placeFrom(quotasAt))),
    queue: values(fields['queue'], stamped(ticketFrom(quotasAt))),
    foreign,
    limits: values(fields['limits'], stamped(limitFrom)),
    ...optional(fields, 'stop', stamped(haltFrom)),
    ...optional(fields, 'ban', stamped(banFrom)),
    ...optional(fields, 'probe', name),
  };
}

function bootFrom(fields: Fields): BootRecord {
  return {
    boot: name(fields['boot']),
    host: hostName(fields['host']),
    writtenMs: number(fields['writtenMs'], 0, MAX_TIME_MS),
    wallMs: number(fields['wallMs'], -MAX_TIME_MS, MAX_TIME_MS),
    revision: number(fields['revision'], 0, MAX_REVISION),
  };
}

function stampedFrom<T>(
  fields: Fields,
  boots: readonly BootRecord[],
  read: ReadEntry<T>,
): Stamped<T> {
  const { boot, writtenMs } = itemAt(boots, fields['boot'] ?? 0);
  const shifts = fields['shifts'] ?? [];
  const shiftFrom = (pair: unknown): [string, number] => {
    if (!Array.isArray(pair) || pair.length !== 2) throw new UnreadableLedger();
    return [itemAt(boots, pair[0]).boot, number(pair[1], -MAX_TIME_MS, MAX_TIME_MS)];
  };
  return {
    entry: read(fields, (value) => number(value, -MAX_TIME_MS, writtenMs + MAX_AHEAD_MS)),
    boot,
    shiftsMs: new Map(values(shifts, shiftFrom, MAX_BOOTS)),
  };
}

const placeFrom =
  (quotasAt: Read<readonly Quota[]>): ReadEntry<PermitRecord> =>
  (fields, time) => ({
    id: name(fields['id']),
    holder: name(fields['holder']),
    quotas: quotasAt(fields['quotas']),
    grantedMs: time(fields['grantedMs']),
    ...optional(fields, 'usedThen', (value) => number(value, 0, MAX_FOREIGN_USES)),
    ...optional(fields, 'settledMs', time),
  });

const ticketFrom =
  (quotasAt: Read<readonly Quota[]>): ReadEntry<Ticket> =>
  (fields, time) => ({
    id: name(fields['id']),
    holder: name(fields['holder']),
    quotas: quotasAt(fields['quotas']),
    queuedMs: time(fields['queuedMs']),
    ...optional(fields, 'readyMs', time),
  });

function quotaFrom(fields: Fields): Quota {
  return {
    key: key(fields['key']),
    requests: count(fields['requests']),
    periodMs: number(fields['periodMs'], 0, MAX_PERIOD_MS),
  };
}

const foreignFrom: ReadEntry<ExternalUse> = (fields, time) => ({
  key: key(fields['key']),
  count: count(fields['count']),
  heardMs: time(fields['heardMs']),
  untilMs: time(fields['untilMs']),
});

const limitFrom: ReadEntry<AnnouncedLimit> = (fields, time) => ({
  key: key(fields['key']),
  requests: count(fields['requests']),
  heardMs: time(fields['heardMs']),
});

const haltFrom: ReadEntry<Backoff> = (fields, time) => ({
  sinceMs: time(fields['sinceMs']),
  untilMs: time(fields['untilMs']),
  strikes: number(fields['strikes'], 1, MAX_STRIKES),
});

const banFrom: ReadEntry<Ban> = (fields, time) => ({
  ...haltFrom(fields, time),
  ...(fields['over'] === true && { over: true as const }),
});

/** The field under its name where it is there; nothing where it is absent. */
function optional<K extends string, T>(
  fields: Fields,
  of: K,
  read: Read<T>,
): Partial<Record<K, T>> {
  return fields[of] === undefined ? {} : ({ [of]: read(fields[of]) } as Record<K, T>);
}

function record(value: unknown): Fields {
  if (!isRecord(value)) throw new UnreadableLedger();
  return value;
}

function values<T>(value: unknown, read: Read<T>, max = MAX_ENTRIES): T[] {
  if (!Array.isArray(value) || value.length > max) throw new UnreadableLedger();
  return value.map(read);
}

function itemAt<T>(items: readonly T[], at: unknown): T {
  const item = typeof at === 'number' ? items[at] : undefined;
  if (item === undefined) throw new UnreadableLedger();
  return item;
}

function number(value: unknown, min: number, max: number): number {
  if (typeof value !== 'number' || !(value >= min && value <= max)) throw new UnreadableLedger();
  // Minus zero, which is written as zero.
  return value === 0 ? 0 : value;
}

function count(value: unknown): number {
  if (!Number.isInteger(value)) throw new UnreadableLedger();
  return number(value, 1, MAX_COUNT);
}

/** Names become parts of file names, so they may hold nothing that leads elsewhere. */
function name(value: unknown): string {
  return matching(value, /^[\w-]{1,80}$/);
}

function hostName(value: unknown): string {
  return matching(value, /^[\w.-]{1,64}$/);
}

/** A host and an endpoint's row: printable ASCII. */
function key(value: unknown): string {
  const text = matching(value, /^[\x21-\x7e][\x20-\x7e]*$/);
  if (text.length > MAX_KEY_LENGTH) throw new UnreadableLedger();
  return text;
}

function matching(value: unknown, pattern: RegExp): string {
  if (typeof value !== 'string' || !pattern.test(value)) throw new UnreadableLedger();
  return value;
}
