/**
 * What the ledger's file holds, and the state that the rules work on. Monotonic times mean nothing outside of the
 * boot that they were read in, and two machines may share one folder. So each entry keeps the times of the boot that
 * wrote it, and every other boot adds how far it has to shift them: such that the entry counts from the moment at
 * which this boot saw it first, less what the writer's own clock says had passed until it last wrote. Events lie no
 * later than the write, and the write no later than the read, so that no entry is forgotten too early: however
 * wrong the wall clocks are, and whichever machine was suspended. Pure.
 */
import type { BackoffState, Backoff, Moment } from './backoff.js';
import type {
  ExternalUse,
  FullUse,
  AnnouncedLimit,
  LedgerState,
  PermitRecord,
  Ticket,
} from './ledger-state.js';

/** One boot of a machine that has written to the ledger. */
export interface BootRecord {
  readonly boot: string;
  readonly host: string;
  /** When it last wrote, by its monotonic clock and by its wall clock. */
  readonly writtenMs: number;
  readonly wallMs: number;
  /** The ledger's revision that it wrote then. */
  readonly revision: number;
}

/** An entry in the times of `boot`, and by how much each other boot that has seen it shifts them. */
export interface Stamped<T> {
  readonly entry: T;
  readonly boot: string;
  readonly shiftsMs: ReadonlyMap<string, number>;
}

export type Ban = NonNullable<BackoffState['ban']>;

export interface LedgerRecord {
  /** Drawn when the ledger is made, so that another in its place is noticed. */
  readonly id: string;
  /** Counts the writes. */
  readonly revision: number;
  /** The last writer first. */
  readonly boots: readonly BootRecord[];
  readonly full?: Stamped<FullUse>;
  readonly places: readonly Stamped<PermitRecord>[];
  readonly queue: readonly Stamped<Ticket>[];
  readonly foreign: readonly Stamped<ExternalUse>[];
  readonly limits: readonly Stamped<AnnouncedLimit>[];
  readonly stop?: Stamped<Backoff>;
  readonly ban?: Stamped<Ban>;
  readonly probe?: string;
}

export interface Reader extends Moment {
  readonly boot: string;
  readonly host: string;
}

export interface OpenedRecord {
  /** In the reader's times; to be changed in place. */
  readonly state: LedgerState;
  /** The record to write. What was not changed keeps its boot and its times. */
  readonly close: (moment: Moment) => LedgerRecord;
}

/** More are not kept apart: what older ones wrote is taken over with the times that we read it as. */
export const MAX_BOOTS = 8;
/** Three hundred years, either way. */
export const MAX_TIME_MS = 1e13;
type TimesOf<T> = Extract<keyof T, `${string}Ms`>;
type Time =
  | TimesOf<FullUse>
  | TimesOf<PermitRecord>
  | TimesOf<Ticket>
  | TimesOf<ExternalUse>
  | TimesOf<AnnouncedLimit>
  | TimesOf<Ban>;
/** The fields that are moments, in all kinds of entries. */
const TIMES: Readonly<Record<Time, true>> = {
  atMs: true,
  grantedMs: true,
  settledMs: true,
  queuedMs: true,
  readyMs: true,
  heardMs: true,
  sinceMs: true,
  untilMs: true,
};

export const emptyRecord = (id: string): LedgerRecord => ({
  id,
  revision: 0,
  boots: [],
  places: [],
  queue: [],
  foreign: [],
  limits: [],
});

export function openRecord(record: LedgerRecord, reader: Reader): OpenedRecord {
  const origins = new Map<object, { readonly stamped: Stamped<object>; readonly text: string }>();
  const boots = new Map(record.boots.map((of) => [of.boot, of]));
  const open = <T extends object>(stamped: Stamped<T>, isHalt = false): T => {
    const { entry, boot, shiftsMs } = stamped;
    const isOwn = boot === reader.boot;
    if (isOwn && shiftsMs.size === 0) return entry;
    const known = shiftsMs.get(reader.boot);
    const shiftMs = isOwn ? 0 : shiftFor(boots.get(boot), reader, known, isHalt);
    const opened = shifted(entry, shiftMs);
    const shifts = isOwn ? shiftsMs : new Map(shiftsMs).set(reader.boot, known ?? shiftMs);
    origins.set(opened, {
      stamped: { entry, boot, shiftsMs: shifts },
      text: JSON.stringify(opened),
    });
    return opened;
  };
  const { full, places, queue, foreign, limits, stop, ban, probe } = record;
  const state: LedgerState = {
    ...(full && { full: open(full) }),
    places: places.map((one) => open(one)),
    queue: queue.map((one) => open(one)),
    foreign: foreign.map((one) => open(one)),
    limits: limits.map((one) => open(one)),
    cooldown: {
      ...(stop && { stop: open(stop, true) }),
      ...(ban && { ban: open(ban, true) }),
      ...(probe !== undefined && { probe }),
    },
  };
  const close = (moment: Moment): LedgerRecord => {
    const own = ownRecord(record, reader, moment);
    const kept = [own, ...othersOf(record, reader)];
    const names = new Set(kept.map(({ boot }) => boot));
    const stamp = <T extends object>(entry: T): Stamped<T> => {
      const origin = origins.get(entry);
      const isUnchanged =
        origin && names.has(origin.stamped.boot) && JSON.stringify(entry) === origin.text;
      return isUnchanged
        ? (origin.stamped as Stamped<T>)
        : { entry, boot: reader.boot, shiftsMs: new Map() };
    };
    return { ...stampedState(state, stamp), id: record.id, revision: own.revision, boots: kept };
  };
  return { state, close };
}

type Stamp = <T extends object>(entry: T) => Stamped<T>;

function stampedState(
  { full, places, queue, foreign, limits, cooldown }: LedgerState,
  stamp: Stamp,
): Omit<LedgerRecord, 'id' | 'revision' | 'boots'> {
  const { stop, ban, probe } = cooldown;
  return {
    ...(full && { full: stamp(full) }),
    places: places.map(stamp),
    queue: queue.map(stamp),
    foreign: foreign.map(stamp),
    limits: limits.map(stamp),
    ...(stop && { stop: stamp(stop) }),
    ...(ban && { ban: stamp(ban) }),
    ...(probe !== undefined && { probe }),
  };
}

function ownRecord(record: LedgerRecord, { boot, host }: Reader, moment: Moment): BootRecord {
  const before = record.boots.find((of) => of.boot === boot);
  const writtenMs = Math.max(before?.writtenMs ?? 0, moment.nowMs);
  return { boot, host, writtenMs, wallMs: moment.wallMs, revision: record.revision + 1 };
}

function othersOf({ boots }: LedgerRecord, { boot }: Reader): BootRecord[] {
  const others = boots.filter((of) => of.boot !== boot);
  return others.sort((a, b) => b.revision - a.revision).slice(0, MAX_BOOTS - 1);
}

/**
 * What to add to another boot's times. Any moment at which we read is a bound, so that the lowest so far holds; it
 * also clamps what somebody may have put into the file.
 */
function shiftFor(
  writer: BootRecord | undefined,
  reader: Reader,
  known: number | undefined,
  isHalt: boolean,
): number {
  const boundMs = reader.nowMs - (writer?.writtenMs ?? 0);
  if (known !== undefined) return Math.min(known, boundMs);
  // A halt may last for a day. After a reboot the wall clock says how much of it has passed meanwhile.
  const isReboot = isHalt && writer?.host === reader.host;
  return isReboot ? bounded(boundMs - Math.max(0, reader.wallMs - writer.wallMs)) : boundMs;
}

function bounded(ms: number): number {
  return Math.max(-MAX_TIME_MS, ms);
}

function shifted<T extends object>(entry: T, ms: number): T {
  const fields = Object.entries(entry as Record<string, unknown>).map(([name, value]) => [
    name,
    Object.hasOwn(TIMES, name) && typeof value === 'number'
      ? toMicroseconds(bounded(value + ms))
      : value,
  ]);
  return Object.fromEntries(fields) as T;
}

/** As exact as the clock, so that the same time has the same text. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
