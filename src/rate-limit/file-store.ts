/**
 * The ledger on disk: one small file, read and rewritten under a lock of the operating system, and complete whenever a
 * process is killed. It is not synced, which would take longer than the whole reservation: a power cut may damage it,
 * and then all limits count as used up.
 */
import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { momentOf, systemClock, type Clock } from '../core/clock.js';
import { StorageError } from '../core/errors.js';
import { formatDuration } from '../core/human-format.js';
import { lockFile, describeLockHolder, type HeldLock } from '../core/lock.js';
import { isSystemError } from '../core/system-errors.js';
import { uniqueBoot, currentBoot, type Boot } from './boot.js';
import { ledgerAccess, toLedgerError, type FileAccess } from './ledger-folder.js';
import { extractBody, serializeBody, parseRecord, serializeRecord } from './ledger-format.js';
import { emptyRecord, openRecord, type LedgerRecord, type OpenedRecord } from './ledger-record.js';
import { MAX_KERNEL_SEND_MS, type LedgerState } from './ledger-state.js';
import type { LedgerStore, PeekedLedger, StoreWait } from './ledger-store.js';
import { LedgerTextFile } from './ledger-text-file.js';

export interface LedgerFileOptions {
  /** Created if missing. */
  readonly folder: string;
  readonly clock: Clock;
  /** Receives a sentence when the ledger was damaged or replaced, and when another machine uses it. */
  readonly warn: (message: string) => void;
  /** Default: the boot of this machine. */
  readonly boot?: Boot;
}

const LOCK_POLL_MS = 3;
/** How often a long wait is reported. */
const LOCK_REPORT_MS = 250;
const MIN_REPORTED_LOCK_WAIT_MS = 2_000;
const MAX_LOCK_WAIT_MS = 30_000;
const MAX_LOCK_WAIT_AT_EXIT_MS = 1_000;
const MAX_ATTEMPTS = 3;
/** The monotonic clocks of two processors differ slightly; a larger difference means another boot. */
const MAX_CLOCK_DIFFERENCE_MS = 1_000;

export class FileStore implements LedgerStore {
  readonly #file: LedgerTextFile;
  readonly #lockFile: string;
  /** The ledger as this process left it, to notice when it was deleted, replaced, restored or overwritten. */
  #last: LedgerRecord | undefined;
  readonly #warned = new Set<string>();
  #boot: Boot;
  #maxLockWaitMs = MAX_LOCK_WAIT_MS;

  constructor(private readonly options: LedgerFileOptions) {
    const { folder, boot = currentBoot() } = options;
    this.#file = new LedgerTextFile(folder);
    this.#lockFile = join(folder, 'ledger.lock');
    this.#boot = boot;
  }

  async transaction<T>(
    change: (state: LedgerState) => T | Promise<T>,
    onWait?: (wait: StoreWait) => void,
  ): Promise<T> {
    const { folder } = this.options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(change, onWait);
      } catch (error) {
        // The folder was deleted meanwhile; the next attempt creates it.
        if (attempt === MAX_ATTEMPTS || !isSystemError(error, 'ENOENT'))
          throw toLedgerError(error, folder);
      }
    }
  }

  async #attempt<T>(
    change: (state: LedgerState) => T | Promise<T>,
    onWait?: (wait: StoreWait) => void,
  ): Promise<T> {
    const access = ledgerAccess(this.options.folder);
    const lock = await this.#takeLock(access, onWait);
    try {
      const before = this.#file.readOrDamaged(access);
      const opened = this.#openOrReset(before);
      const result = await change(opened.state);
      const next = opened.close(momentOf(this.options.clock));
      const body = serializeBody(next);
      if (before === undefined || body !== extractBody(before)) {
        await this.#file.write(serializeRecord(next, body), access);
        this.#last = next;
      }
      return result;
    } finally {
      lock.release();
    }
  }

  shortenWaits(): void {
    this.#maxLockWaitMs = MAX_LOCK_WAIT_AT_EXIT_MS;
  }

  /** The state at this moment, read without the lock, for display. Throws StorageError if it cannot be read. */
  peek(): PeekedLedger {
    const { folder } = this.options;
    let text: string | undefined;
    try {
      text = isMissing(folder) ? undefined : this.#file.read(ledgerAccess(folder));
    } catch (error) {
      throw toLedgerError(error, folder);
    }
    const record = text === undefined ? emptyRecord('none') : parseRecord(text);
    if (record !== 'damaged') return this.#open(record);
    throw new StorageError('not-writable', `The rate ledger is damaged: ${this.#file.path}.`, {
      hint: 'The next command that sends a request moves it away, and waits as if all limits were used up.',
    });
  }

  /** Measured by the system clock, even where the ledger has another: other processes hold the lock in real time. */
  async #takeLock(
    access: FileAccess,
    onWait: ((wait: StoreWait) => void) | undefined,
  ): Promise<HeldLock> {
    const startedMs = systemClock.monotonicMs();
    const options = { ...access, pollMs: LOCK_POLL_MS, timeoutMs: LOCK_REPORT_MS };
    for (;;) {
      const lock = await lockFile(this.#lockFile, options);
      if (lock) return lock;
      const waitedMs = systemClock.monotonicMs() - startedMs;
      const leftMs = this.#maxLockWaitMs - waitedMs;
      if (leftMs > 0 && waitedMs < MIN_REPORTED_LOCK_WAIT_MS) continue;
      const holder = describeLockHolder(this.#lockFile, access);
      if (leftMs <= 0) {
        throw new StorageError(
          'ledger-locked',
          `The rate ledger is locked: ${holder} has held ${this.#lockFile} for ${formatDuration(waitedMs)}.`,
        );
      }
      const why = `${holder} holds the lock of the rate ledger`;
      onWait?.({ for: 'lock', why, holder, leftMs });
    }
  }

  /** Opens the ledger; where earlier use is unknown, with all limits used up. */
  #openOrReset(text: string | undefined): OpenedRecord {
    const read = text === undefined ? undefined : parseRecord(text);
    const loss = this.#describeLoss(read);
    if (read === 'damaged') this.#file.moveDamagedAway();
    const found = read === 'damaged' ? undefined : read;
    const opened = this.#open(found ?? emptyRecord(randomBytes(6).toString('hex')));
    if (found) this.#last = found;
    if (loss !== undefined) {
      // Requests of other processes may still be on their way.
      opened.state.unknownUse = { atMs: this.options.clock.monotonicMs() + MAX_KERNEL_SEND_MS };
      this.#warnOnce(
        'loss',
        `The rate ledger in ${this.options.folder} ${loss}; all limits count as used up now.`,
      );
    }
    return opened;
  }

  /** Part of a sentence; undefined where nothing was lost. */
  #describeLoss(read: LedgerRecord | 'damaged' | undefined): string | undefined {
    if (read === 'damaged') return `was damaged and has been moved to ${this.#file.damagedPath}`;
    const last = this.#last;
    if (!last) return undefined;
    if (!read) return 'has disappeared';
    const isSame =
      read.id === last.id &&
      read.revision >= last.revision &&
      this.#ownRevision(read) >= this.#ownRevision(last);
    return isSame ? undefined : 'was replaced by a different or older one';
  }

  #ownRevision({ boots }: LedgerRecord): number {
    return boots.find(({ boot }) => boot === this.#boot.id)?.revision ?? 0;
  }

  #open(record: LedgerRecord): OpenedRecord {
    const { folder, clock } = this.options;
    const moment = momentOf(clock);
    const own = record.boots.find(({ boot }) => boot === this.#boot.id);
    if (own && own.writtenMs > moment.nowMs + MAX_CLOCK_DIFFERENCE_MS) {
      this.#boot = uniqueBoot(this.#boot, randomBytes(16).toString('hex'));
    }
    const last = this.#last?.id === record.id ? this.#last : undefined;
    const other = record.boots.find(
      ({ boot, revision }) => boot !== this.#boot.id && revision > (last?.revision ?? Infinity),
    );
    if (other) {
      this.#warnOnce(
        'other machine',
        `The rate ledger in ${folder} is also used by another machine or virtual machine (${other.host}); the limits are kept, but requests wait longer than necessary.`,
      );
    }
    return openRecord(record, { ...moment, boot: this.#boot.id, host: this.#boot.host });
  }

  #warnOnce(topic: string, message: string): void {
    if (this.#warned.has(topic)) return;
    this.#warned.add(topic);
    this.options.warn(message);
  }
}

/** Throws the system error of a folder that is there, or may be, and cannot be reached. */
function isMissing(folder: string): boolean {
  try {
    lstatSync(folder);
    return false;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return true;
    throw error;
  }
}
