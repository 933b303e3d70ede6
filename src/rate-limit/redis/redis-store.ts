/**
 * The ledger on a Redis or Valkey server, for several machines. A transaction runs on the state that this process has
 * seen last, and is stored if that is still the latest one; otherwise it runs again. While the server cannot be used,
 * transactions wait, so that nothing is sent.
 */
import { randomBytes } from 'node:crypto';
import { momentOf } from '../../core/clock.js';
import { formatLocalTime } from '../../core/human-format.js';
import { extractBody, serializeBody, parseRecord, serializeRecord } from '../ledger-format.js';
import {
  emptyRecord,
  openRecordWith,
  shiftTimes,
  type LedgerRecord,
  type OpenedRecord,
} from '../ledger-record.js';
import { MAX_REQUEST_MS, type LedgerState } from '../ledger-state.js';
import type { LedgerStore, PeekedLedger, StoreWait } from '../ledger-store.js';
import type { PeriodScale } from '../quotas.js';
import type { Snapshot } from './ledger-script.js';
import { LedgerServer } from './ledger-server.js';
import {
  displayAddress,
  RedisConnection,
  type RedisAddress,
  type ScriptRunner,
} from './redis-connection.js';
import { RedisFailure, unexpectedReply } from './redis-failure.js';
import { ServerOutage, type ServerOutageOptions } from './server-outage.js';

export interface RedisStoreOptions extends ServerOutageOptions {
  readonly server: LedgerServer;
  /** The name of this machine, shown on other machines. */
  readonly host: string;
  /** How long a request may be under way. */
  readonly maxRequestMs: number;
  readonly warn: (message: string) => void;
}

interface OpenOptions extends Pick<RedisStoreOptions, 'clock' | 'host' | 'warn'> {
  readonly address: RedisAddress;
  /** Default: not at all. */
  readonly maxOutageMs?: number;
  readonly periodScale?: PeriodScale;
  /** Default: a connection to `address`. */
  readonly runner?: ScriptRunner;
}

/** The store on a server, and the processes that use it. */
export function openRedisStore(options: OpenOptions) {
  const { address, clock, host, maxOutageMs = 0, periodScale, warn } = options;
  const processes = new LedgerServer(options.runner ?? new RedisConnection(address), clock, host);
  const store = new RedisStore({
    server: processes,
    clock,
    host,
    displayUrl: displayAddress(address),
    maxOutageMs,
    maxRequestMs: MAX_REQUEST_MS * (periodScale?.general ?? 1),
    warn,
  });
  return { store, processes };
}

interface Opened extends OpenedRecord {
  readonly record: LedgerRecord;
  /** Part of a sentence; undefined where nothing was lost. */
  readonly loss: string | undefined;
}

export class RedisStore implements LedgerStore {
  #seen: Snapshot | undefined;
  /** As this process has stored or seen it last, to notice that it was replaced. */
  #last: LedgerRecord | undefined;
  /** The server's clock steps that the last record takes into account. */
  #stepsSeen = 0;
  readonly #outage: ServerOutage;
  #hasWarned = false;

  constructor(private readonly options: RedisStoreOptions) {
    this.#outage = new ServerOutage(options);
  }

  async transaction<T>(
    change: (state: LedgerState) => T | Promise<T>,
    onWait?: (wait: StoreWait) => void,
  ): Promise<T> {
    return this.#outage.retry(() => this.#attempt(change), onWait);
  }

  shortenWaits(): void {
    this.#outage.close();
    this.options.server.shortenWaits();
  }

  /** The state at this moment, for display. Throws StorageError. */
  async peek(): Promise<PeekedLedger> {
    try {
      const { latest, processes } = await this.options.server.readState();
      if (!latest) throw unexpectedReply('no state');
      const hosts = new Map([...processes].map(([id, { host }]) => [id, host]));
      return { state: this.#open(latest).state, hosts };
    } catch (error) {
      throw error instanceof RedisFailure ? this.#outage.toStorageError(error) : error;
    }
  }

  async #attempt<T>(change: (state: LedgerState) => T | Promise<T>): Promise<T> {
    const { server, clock } = this.options;
    let seen = this.#seen ?? (await server.compareAndSet({}));
    for (;;) {
      if (!seen) throw unexpectedReply('no state');
      const { steps } = server;
      const opened = this.#open(seen);
      const result = await change(opened.state);
      const record = opened.close(momentOf(clock));
      const body = serializeBody(record);
      const isChanged = seen.text === '' || body !== extractBody(seen.text);
      const token = randomBytes(8).toString('hex');
      const next = isChanged ? { token, text: serializeRecord(record, body) } : undefined;
      const latest = await server.compareAndSet({ seen, next });
      if (!latest) {
        this.#seen = next ? { ...next, run: seen.run } : seen;
        this.#last = next ? record : opened.record;
        this.#stepsSeen = steps;
        this.#warnOfUnknownUse(opened);
        return result;
      }
      this.#seen = seen = latest;
    }
  }

  /** Opens the ledger; where earlier use is unknown, with all limits used up. */
  #open({ text, run }: Snapshot): Opened {
    const read = text === '' ? undefined : parseRecord(text);
    const record =
      read === undefined || read === 'damaged' ? emptyRecord(randomBytes(6).toString('hex')) : read;
    const loss = this.#describeLoss(read, run);
    const opened = this.#openRecord(record, this.#baseOf(record, run));
    if (loss !== undefined) {
      // Requests of other processes may still be on their way, also of killed ones.
      const { clock, maxRequestMs } = this.options;
      opened.state.unknownUse = { atMs: clock.monotonicMs() + maxRequestMs };
    }
    return { ...opened, record, loss };
  }

  /**
   * Converts the times of the server into local ones. All machines write the server's times, so that an entry counts for
   * all of them from the same moment. What was written before the server was started or its clock stepped counts from
   * its last write as if that was now.
   */
  #openRecord(record: LedgerRecord, base = ''): OpenedRecord {
    const { server, host } = this.options;
    const openedMs = this.options.clock.monotonicMs();
    const writtenMs = new Map(record.boots.map(({ boot, writtenMs: ms }) => [boot, ms]));
    return openRecordWith(record, {
      read(stored) {
        const { entry, boot } = stored;
        if (boot !== base)
          return { entry: shiftTimes(entry, openedMs - (writtenMs.get(boot) ?? 0)) };
        return { entry: shiftTimes(entry, server.clock.toLocalMs(0)), unmodified: stored };
      },
      write(entry) {
        const shiftMs = server.clock.toServerMs(0);
        return { entry: shiftTimes(entry, shiftMs), boot: base, shiftsMs: new Map() };
      },
      boots({ nowMs, wallMs }) {
        const ownMs = Math.max(writtenMs.get(base) ?? 0, server.clock.toServerMs(nowMs));
        const revision = record.revision + 1;
        return [{ boot: base, host, writtenMs: ownMs, wallMs, revision }];
      },
    });
  }

  /** Times of different bases cannot be compared: the run of the server, and how often its clock was stepped in it. */
  #baseOf({ boots }: LedgerRecord, run: string): string {
    const base = boots[0]?.boot ?? '';
    const [baseRun, step] = base.split('-');
    if (baseRun !== runName(run)) return `${runName(run)}-0`;
    return this.#isStepped(base) ? `${baseRun}-${Number(step) + 1}` : base;
  }

  /** Whether this process has seen a step of the server's clock that the record does not take into account. */
  #isStepped(base: string): boolean {
    const isSameBase = this.#last === undefined || this.#last.boots[0]?.boot === base;
    return isSameBase && this.options.server.steps > this.#stepsSeen;
  }

  #describeLoss(read: LedgerRecord | 'damaged' | undefined, run: string): string | undefined {
    if (read === undefined) return 'is empty, as at its first use or after its data were lost';
    if (read === 'damaged') return 'was damaged';
    const base = read.boots[0]?.boot ?? '';
    if (!base.startsWith(`${runName(run)}-`)) return 'is on a server that was started again';
    if (this.#isStepped(base)) return 'is on a server whose clock was changed';
    const last = this.#last;
    if (!last) return undefined;
    // The process that made a new one did not know earlier use either, and recorded that.
    const isNew = read.id !== last.id && read.entries.unknownUse.length > 0;
    const isLater = read.id === last.id && read.revision >= last.revision;
    return isNew || isLater ? undefined : 'was replaced by a different or older one';
  }

  /** Warns in each process that waits, not only in the one that noticed the loss. */
  #warnOfUnknownUse({ loss, state: { unknownUse } }: Opened): void {
    const { clock, displayUrl, warn } = this.options;
    const { nowMs, wallMs } = momentOf(clock);
    const isWaitedFor = unknownUse && (loss !== undefined || unknownUse.atMs > nowMs);
    if (!isWaitedFor || this.#hasWarned) return;
    this.#hasWarned = true;
    const until = formatLocalTime(wallMs + unknownUse.atMs - nowMs, wallMs);
    warn(
      `The shared ledger at ${displayUrl} ${loss ?? 'is new or has lost its data'}; all limits count as used up until ${until}, and then for one period.`,
    );
  }
}

/** Part of a base's name. */
function runName(run: string): string {
  return run.slice(0, 12);
}
