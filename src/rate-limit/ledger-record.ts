/**
 * The stored form of the ledger, and its conversion into the times of the boot that reads it.
 *
 * Monotonic times have no meaning outside their boot, and several machines may share one folder. So every entry keeps
 * the times of the boot that wrote it, and each other boot records by how much it shifts them: the entry counts from
 * the moment at which this boot first read it, less the time that, by the writer's own clock, had passed until its last
 * write. An event is no later than the write, and the write no later than the read. So no entry expires too early,
 * even if wall clocks are wrong or a machine was suspended. Pure.
 */
import type { Moment } from '../core/clock.js';
import type { Backoff, Ban } from './backoff.js';
import type {
  AnnouncedLimit,
  ExternalUse,
  LedgerState,
  PermitRecord,
  Ticket,
  UnknownUse,
} from './ledger-state.js';

/** One boot of a machine that has written to the ledger. */
export interface BootRecord {
  readonly boot: string;
  readonly host: string;
  /** Its last write, by its monotonic clock and by its wall clock. */
  readonly writtenMs: number;
  readonly wallMs: number;
  /** The ledger's revision after that write. */
  readonly revision: number;
}

/** An entry in the times of `boot`, and how much the other boots that have read it add to them. */
export interface StoredEntry<T> {
  readonly entry: T;
  readonly boot: string;
  readonly shiftsMs: ReadonlyMap<string, number>;
}

/** What the ledger holds, by kind. In each entry, exactly the fields whose names end in `Ms` are times. */
export interface EntryTypes {
  readonly permits: PermitRecord;
  readonly queue: Ticket;
  readonly externalUses: ExternalUse;
  readonly limits: AnnouncedLimit;
  readonly unknownUse: UnknownUse;
  readonly rateLimit: Backoff;
  readonly ban: Ban;
}

export type EntryKind = keyof EntryTypes;
type StoredEntries = {
  readonly [Kind in EntryKind]: readonly StoredEntry<EntryTypes[Kind]>[];
};
type Entries = { [Kind in EntryKind]: EntryTypes[Kind][] };

export interface LedgerRecord {
  /** Random, drawn when the ledger is made, so that a replacement is noticed. */
  readonly id: string;
  /** The number of writes. */
  readonly revision: number;
  /** The last writer first. */
  readonly boots: readonly BootRecord[];
  readonly entries: StoredEntries;
  readonly probeId?: string;
}

export interface RecordReader extends Moment {
  readonly boot: string;
  readonly host: string;
}

export interface OpenedRecord {
  /** In the reader's times; may be modified. */
  readonly state: LedgerState;
  /** The record to write. Entries that were not modified keep their boot and times. */
  readonly close: (moment: Moment) => LedgerRecord;
}

/** Entries of older boots are rewritten with the times that the current one reads them as. */
export const MAX_BOOTS = 8;
/** Three hundred years. */
export const MAX_TIME_MS = 1e13;

const KINDS: readonly EntryKind[] = [
  'permits',
  'queue',
  'externalUses',
  'limits',
  'unknownUse',
  'rateLimit',
  'ban',
];

/** One list for each kind. The caller ensures that each list has the type of its kind. */
export function mapKinds(
  listFor: (kind: EntryKind) => readonly object[],
): Record<EntryKind, never[]> {
  const lists = KINDS.map((kind) => [kind, listFor(kind)]);
  return Object.fromEntries(lists) as Record<EntryKind, never[]>;
}

export const isTimeField = (name: string): boolean => name.endsWith('Ms');

export const emptyRecord = (id: string): LedgerRecord => ({
  id,
  revision: 0,
  boots: [],
  entries: mapKinds(() => []),
});

/** Converts entries between their stored form and the reader's times. */
export interface EntryConverter {
  /** The entry in the reader's times, and its stored form if it is not modified. */
  read(
    stored: StoredEntry<object>,
    kind: EntryKind,
  ): { readonly entry: object; readonly unmodified?: StoredEntry<object> };
  write(entry: object): StoredEntry<object>;
  /** The boots to store, the writer first. */
  boots(moment: Moment): readonly [BootRecord, ...BootRecord[]];
}

export function openRecordWith(record: LedgerRecord, converter: EntryConverter): OpenedRecord {
  const origins = new Map<
    object,
    { readonly stored: StoredEntry<object>; readonly text: string }
  >();
  const entries: Entries = mapKinds((kind) =>
    record.entries[kind].map((stored) => {
      const { entry, unmodified } = converter.read(stored, kind);
      if (unmodified) origins.set(entry, { stored: unmodified, text: JSON.stringify(entry) });
      return entry;
    }),
  );
  const state = stateOf(entries, record.probeId);
  const close = (moment: Moment): LedgerRecord => {
    const boots = converter.boots(moment);
    const kept = new Set(boots.map(({ boot }) => boot));
    const closing = entriesOf(state);
    const store = (entry: object): StoredEntry<object> => {
      const origin = origins.get(entry);
      const isUnmodified =
        kept.has(origin?.stored.boot ?? '') && JSON.stringify(entry) === origin?.text;
      return isUnmodified ? origin.stored : converter.write(entry);
    };
    return {
      id: record.id,
      revision: boots[0].revision,
      boots,
      entries: mapKinds((kind) => closing[kind].map(store)),
      probeId: state.backoff.probeId,
    };
  };
  return { state, close };
}

export function openRecord(record: LedgerRecord, reader: RecordReader): OpenedRecord {
  const boots = new Map(record.boots.map((written) => [written.boot, written]));
  return openRecordWith(record, {
    read(stored, kind) {
      const { entry, boot, shiftsMs } = stored;
      if (boot === reader.boot) {
        if (shiftsMs.size === 0) return { entry };
        return { entry: { ...entry }, unmodified: stored };
      }
      const known = shiftsMs.get(reader.boot);
      const isBackoff = kind === 'rateLimit' || kind === 'ban';
      const shiftMs = shiftFor(boots.get(boot), reader, known, isBackoff);
      const shifts = new Map(shiftsMs).set(reader.boot, known ?? shiftMs);
      return { entry: shiftTimes(entry, shiftMs), unmodified: { entry, boot, shiftsMs: shifts } };
    },
    write: (entry) => ({ entry, boot: reader.boot, shiftsMs: new Map() }),
    boots: (moment) => [ownBoot(record, reader, moment), ...latestOthers(record, reader)],
  });
}

function stateOf(entries: Entries, probeId: string | undefined): LedgerState {
  const { unknownUse, rateLimit, ban, ...lists } = entries;
  return {
    ...lists,
    unknownUse: unknownUse[0],
    backoff: { rateLimit: rateLimit[0], ban: ban[0], probeId },
  };
}

function entriesOf({ unknownUse, backoff, ...lists }: LedgerState): Entries {
  const listOf = <T>(entry: T | undefined): T[] => (entry === undefined ? [] : [entry]);
  return {
    ...lists,
    unknownUse: listOf(unknownUse),
    rateLimit: listOf(backoff.rateLimit),
    ban: listOf(backoff.ban),
  };
}

function ownBoot(record: LedgerRecord, { boot, host }: RecordReader, moment: Moment): BootRecord {
  const before = record.boots.find((other) => other.boot === boot);
  const writtenMs = Math.max(before?.writtenMs ?? 0, moment.nowMs);
  return { boot, host, writtenMs, wallMs: moment.wallMs, revision: record.revision + 1 };
}

function latestOthers({ boots }: LedgerRecord, { boot }: RecordReader): BootRecord[] {
  const others = boots.filter((other) => other.boot !== boot);
  return others.sort((a, b) => b.revision - a.revision).slice(0, MAX_BOOTS - 1);
}

/** What to add to another boot's times. Every read is an upper bound, which also limits forged values. */
function shiftFor(
  writer: BootRecord | undefined,
  reader: RecordReader,
  known: number | undefined,
  isBackoff: boolean,
): number {
  const boundMs = reader.nowMs - (writer?.writtenMs ?? 0);
  if (known !== undefined) return Math.min(known, boundMs);
  // A backoff may last a day. After a reboot the wall clock shows how much of it has passed.
  const isReboot = isBackoff && writer?.host === reader.host;
  return isReboot ? bounded(boundMs - Math.max(0, reader.wallMs - writer.wallMs)) : boundMs;
}

function bounded(ms: number): number {
  return Math.max(-MAX_TIME_MS, ms);
}

/** With `ms` added to each of its times. */
export function shiftTimes(entry: object, ms: number): object {
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]: [string, unknown]) => [
      name,
      isTimeField(name) && typeof value === 'number' ? toMicroseconds(bounded(value + ms)) : value,
    ]),
  );
}

/** The precision of the clock, so that the same time has the same text. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
