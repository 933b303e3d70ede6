/**
 * The ledger as text, and back. Every value read is checked, since the file may be damaged or forged, and a damaged
 * ledger must not pass for an empty one. No accepted value can crash the program, block it for longer than a ban, or
 * put control characters on a terminal. Checked by hand, since the ledger is read before the first request of a
 * command, and loading zod takes longer than a hundred reservations. Pure.
 */
import { isRecord, parseJson } from '../core/json.js';
import { MAX_BACKOFF_MS, MAX_STRIKES } from './backoff.js';
import {
  mapKinds,
  isTimeField,
  MAX_BOOTS,
  MAX_TIME_MS,
  type BootRecord,
  type EntryKind,
  type EntryTypes,
  type LedgerRecord,
  type StoredEntry,
} from './ledger-record.js';
import { MAX_PERIOD_MS, type Quota } from './quotas.js';

const VERSION = 3;
/** Far above what all quotas of several hosts in full use need. */
export const MAX_TEXT_BYTES = 1024 * 1024;
const MAX_ENTRIES = 4_000;
const MAX_QUOTAS = 400;
/** The general limit and the endpoint's quota. */
const MAX_QUOTAS_PER_REQUEST = 2;
/** Three times the highest quota of the table (spec 8.3). */
const MAX_COUNT = 1_000;
const MAX_EXTERNAL_USES = 10_000;
/** No time lies further ahead of its writing than the end of the longest ban. */
const MAX_AHEAD_MS = MAX_BACKOFF_MS + 60_000;
const MAX_REVISION = 1e15;

/** All but the first line, which has the writer and the time: a record with an unchanged body is not written. */
export function serializeBody({ entries, boots, probeId }: LedgerRecord): string {
  const known = new Set(boots.map(({ boot }) => boot));
  // Each quota is listed once; entries refer to it by its index.
  const quotas: Quota[] = [];
  const indices = new Map<string, number>();
  const indexOf = (quota: Quota): number => {
    const name = `${quota.key} ${quota.requests} ${quota.periodMs}`;
    const index = indices.get(name) ?? quotas.push(quota) - 1;
    indices.set(name, index);
    return index;
  };
  const plain = ({ entry, boot, shiftsMs }: StoredEntry<object>): object => {
    const shifts = [...shiftsMs].filter(([id]) => known.has(id));
    return {
      ...entry,
      quotas: 'quotas' in entry ? (entry.quotas as readonly Quota[]).map(indexOf) : undefined,
      boot: boot === boots[0]?.boot ? undefined : boot,
      shifts: shifts.length > 0 ? Object.fromEntries(shifts) : undefined,
    };
  };
  const lists = mapKinds((kind) => entries[kind].map(plain));
  return JSON.stringify({ ...lists, quotas, probeId, boots: boots.slice(1) });
}

export function serializeRecord(record: LedgerRecord, body = serializeBody(record)): string {
  const { id, boots } = record;
  return `${JSON.stringify({ version: VERSION, id, ...boots[0] })}\n${body}\n`;
}

/** The body of a serialized record. */
export function extractBody(text: string): string {
  return text.slice(text.indexOf('\n') + 1, -1);
}

/** Never throws. */
export function parseRecord(text: string): LedgerRecord | 'damaged' {
  if (text.length > MAX_TEXT_BYTES) return 'damaged';
  const [head, body, end, ...more] = text.split('\n', 4);
  if (body === undefined || end !== '' || more.length > 0) return 'damaged';
  try {
    return recordFrom(parseJson(head ?? ''), parseJson(body));
  } catch (error) {
    if (error instanceof DamagedLedger) return 'damaged';
    throw error;
  }
}

class DamagedLedger extends Error {}

type Fields = Readonly<Record<string, unknown>>;
/** Returns the checked value; throws DamagedLedger. */
type Read<T> = (value: unknown) => T;

const number =
  (min: number, max: number): Read<number> =>
  (value) => {
    if (typeof value !== 'number' || !(value >= min && value <= max)) throw new DamagedLedger();
    // Minus zero is written as zero.
    return value === 0 ? 0 : value;
  };
const integer =
  (min: number, max: number): Read<number> =>
  (value) => {
    if (!Number.isInteger(value)) throw new DamagedLedger();
    return number(min, max)(value);
  };
const matching =
  (pattern: RegExp): Read<string> =>
  (value) => {
    if (typeof value !== 'string' || !pattern.test(value)) throw new DamagedLedger();
    return value;
  };
const optional =
  <T>(read: Read<T>): Read<T | undefined> =>
  (value) =>
    value === undefined ? undefined : read(value);
const array =
  <T>(read: Read<T>, max = MAX_ENTRIES): Read<T[]> =>
  (value) => {
    if (!Array.isArray(value) || value.length > max) throw new DamagedLedger();
    return value.map(read);
  };
const fieldsOf: Read<Fields> = (value) => {
  if (!isRecord(value)) throw new DamagedLedger();
  return value;
};
const object =
  <T>(members: { readonly [Name in keyof T]-?: Read<T[Name]> }): Read<T> =>
  (value) => {
    const fields = fieldsOf(value);
    const result: Record<string, unknown> = {};
    for (const name in members) result[name] = members[name](fields[name]);
    return result as T;
  };

/** Becomes part of a file name. */
const name = matching(/^[\w-]{1,80}$/);
/** A host and a row of the endpoint table: printable ASCII. */
const key = matching(/^[\x21-\x7e][\x20-\x7e]{0,199}$/);
const count = integer(1, MAX_COUNT);
const time = number(-MAX_TIME_MS, MAX_TIME_MS);

const boot = object<BootRecord>({
  boot: name,
  host: matching(/^[\w.-]{1,64}$/),
  writtenMs: number(0, MAX_TIME_MS),
  wallMs: time,
  revision: number(0, MAX_REVISION),
});
const quota = object<Quota>({ key, requests: count, periodMs: number(0, MAX_PERIOD_MS) });
const backoff = { sinceMs: time, untilMs: time, strikes: number(1, MAX_STRIKES) };
const ban = {
  ...backoff,
  over: optional((value): true => {
    if (value !== true) throw new DamagedLedger();
    return value;
  }),
};

function entryReaders(quotas: readonly Quota[]): {
  readonly [Kind in EntryKind]: Read<EntryTypes[Kind]>;
} {
  const quotaAt: Read<Quota> = (index) => {
    const found = typeof index === 'number' ? quotas[index] : undefined;
    if (found === undefined) throw new DamagedLedger();
    return found;
  };
  const owned = { id: name, processId: name, quotas: array(quotaAt, MAX_QUOTAS_PER_REQUEST) };
  return {
    permits: object({
      ...owned,
      grantedMs: time,
      usedAtGrant: optional(integer(0, MAX_EXTERNAL_USES)),
      settledMs: optional(time),
    }),
    queue: object({ ...owned, queuedMs: time, readyMs: optional(time) }),
    externalUses: object({ key, count, observedMs: time, untilMs: time }),
    limits: object({ key, requests: count, observedMs: time }),
    unknownUse: object({ atMs: time }),
    rateLimit: object(backoff),
    ban: object(ban),
  };
}

function recordFrom(head: unknown, body: unknown): LedgerRecord {
  const { version, id } = fieldsOf(head);
  if (version !== VERSION) throw new DamagedLedger();
  const fields = fieldsOf(body);
  const writer = boot(head);
  const boots = [writer, ...array(boot, MAX_BOOTS - 1)(fields['boots'])];
  const bootsById = new Map(boots.map((record) => [record.boot, record]));
  if (bootsById.size < boots.length) throw new DamagedLedger();
  const readers = entryReaders(array(quota, MAX_QUOTAS)(fields['quotas']));
  const entries: LedgerRecord['entries'] = mapKinds((kind) =>
    array((value) => readStoredEntry(value, writer, bootsById, readers[kind]))(fields[kind]),
  );
  const uses = entries.externalUses.reduce((sum, { entry }) => sum + entry.count, 0);
  if (uses > MAX_EXTERNAL_USES) throw new DamagedLedger();
  const probeId = optional(name)(fields['probeId']);
  return { id: name(id), revision: writer.revision, boots, entries, probeId };
}

function readStoredEntry(
  value: unknown,
  writer: BootRecord,
  boots: ReadonlyMap<string, BootRecord>,
  read: Read<object>,
): StoredEntry<object> {
  const { boot: ownerId = writer.boot, shifts = {} } = fieldsOf(value);
  const bootOf: Read<BootRecord> = (id) => {
    const found = typeof id === 'string' ? boots.get(id) : undefined;
    if (!found) throw new DamagedLedger();
    return found;
  };
  const { boot: id, writtenMs } = bootOf(ownerId);
  const entry = read(value);
  for (const [field, ms] of Object.entries(entry)) {
    if (isTimeField(field) && Number(ms) > writtenMs + MAX_AHEAD_MS) throw new DamagedLedger();
  }
  const shiftsMs = new Map(
    Object.entries(fieldsOf(shifts)).map(([other, ms]) => [bootOf(other).boot, time(ms)]),
  );
  return { entry, boot: id, shiftsMs };
}
