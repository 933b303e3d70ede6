/**
 * The record of the ledger in the times of its server, and its conversion into local times. All machines write the same
 * times, so that an entry counts for all of them from the same moment. What was written before the server was started or
 * its clock stepped counts from its last write as if that was now. Pure.
 */
import type { Moment } from '../backoff.js';
import {
  entriesOf,
  forEachKind,
  shifted,
  stateOf,
  type BootRecord,
  type Entries,
  type LedgerRecord,
  type OpenedRecord,
  type Stamped,
} from '../ledger-record.js';
import type { ServerClock } from './server-clock.js';

export interface ServerReader {
  /** Names the start of the server and its clock: times of different bases cannot be compared. */
  readonly base: string;
  readonly host: string;
  readonly moment: Moment;
  readonly clock: Pick<ServerClock, 'toLocalMs' | 'toServerMs'>;
}

export function openServerRecord(record: LedgerRecord, reader: ServerReader): OpenedRecord {
  const { base, host, clock, moment } = reader;
  const writers = new Map(record.boots.map((of) => [of.boot, of]));
  const origins = new Map<object, { readonly stamped: Stamped<object>; readonly text: string }>();
  const open = (stamped: Stamped<object>): object => {
    const { entry, boot } = stamped;
    const writtenMs = writers.get(boot)?.writtenMs ?? 0;
    const shiftMs = boot === base ? clock.toLocalMs(0) : moment.nowMs - writtenMs;
    const opened = shifted(entry, shiftMs);
    if (boot === base) origins.set(opened, { stamped, text: JSON.stringify(opened) });
    return opened;
  };
  const entries: Entries = forEachKind((kind) => record.entries[kind].map(open));
  const state = stateOf(entries, record.probeId);
  const close = ({ nowMs, wallMs }: Moment): LedgerRecord => {
    const stamp = (entry: object): Stamped<object> => {
      const origin = origins.get(entry);
      if (origin?.text === JSON.stringify(entry)) return origin.stamped;
      return { entry: shifted(entry, clock.toServerMs(0)), boot: base, shiftsMs: new Map() };
    };
    const before = writers.get(base)?.writtenMs ?? 0;
    const writtenMs = Math.max(before, clock.toServerMs(nowMs));
    const revision = record.revision + 1;
    const writer: BootRecord = { boot: base, host, writtenMs, wallMs, revision };
    const closing = entriesOf(state);
    return {
      id: record.id,
      revision,
      boots: [writer],
      entries: forEachKind((kind) => closing[kind].map(stamp)),
      probeId: state.backoff.probeId,
    };
  };
  return { state, close };
}
