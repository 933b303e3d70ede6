/**
 * The record of the ledger in the times of its server, and its conversion into local times. All machines write the same
 * times, so that an entry counts for all of them from the same moment. What was written before the server was started or
 * its clock stepped counts from its last write as if that was now. Pure.
 */
import type { Moment } from '../backoff.js';
import { openWith, shifted, type LedgerRecord, type OpenedRecord } from '../ledger-record.js';
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
  return openWith(record, {
    read(stamped) {
      const { entry, boot } = stamped;
      if (boot === base) return { entry: shifted(entry, clock.toLocalMs(0)), unmodified: stamped };
      return { entry: shifted(entry, moment.nowMs - (writers.get(boot)?.writtenMs ?? 0)) };
    },
    write: (entry) => ({
      entry: shifted(entry, clock.toServerMs(0)),
      boot: base,
      shiftsMs: new Map(),
    }),
    boots: ({ nowMs, wallMs }) => {
      const before = writers.get(base)?.writtenMs ?? 0;
      const writtenMs = Math.max(before, clock.toServerMs(nowMs));
      return [{ boot: base, host, writtenMs, wallMs, revision: record.revision + 1 }];
    },
  });
}
