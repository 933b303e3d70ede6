/**
 * The ledger on disk: one small file, read, changed and written under a lock of the operating system, and whole
 * whenever a process is killed. It is not synced, since that would cost more than the whole reservation: a power
 * cut may damage it, and then all limits count as used up.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '../core/clock.js';
import { StorageError } from '../core/errors.js';
import { isSystemError, toStorageError } from '../core/files.js';
import { lockFile, lockHolder, type HeldLock } from '../core/lock.js';
import { ownBoot, thisBoot, type Boot } from './boot.js';
import { ledgerAccess, ledgerError, type FileAccess } from './ledger-folder.js';
import { bodyIn, bodyOf, MAX_TEXT_BYTES, readRecord, textOf } from './ledger-format.js';
import { LedgerLineage } from './ledger-lineage.js';
import { emptyRecord, openRecord, type LedgerRecord, type OpenedRecord } from './ledger-record.js';
import { LedgerTextFile } from './ledger-text-file.js';
import { LAST_BYTES_MS, type LedgerState } from './ledger-state.js';

/** The lock of the ledger is held by somebody else, and that for long. */
export interface LockWait {
  /** Such as `process 1234`. */
  readonly holder: string;
  /** When the wait ends with an error, from now. */
  readonly leftMs: number;
}

/** Where a ledger is kept. Exchanges exclude each other, between processes too. */
export interface LedgerStore {
  /**
   * Hands the state to `change`, and writes down what it did to it. Throws StorageError, `ledger-locked` where the
   * others' exchanges take far longer than they should.
   */
  exchange<T>(
    change: (state: LedgerState) => Promise<T>,
    onLockWait?: (wait: LockWait) => void,
  ): Promise<T>;
  /** The process is about to end: from now on waits for others for a second at most. */
  hurry?(): void;
}

export interface LedgerFileOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** Told, in a sentence, of a damaged file that was set aside, of a ledger that was lost, and of another machine. */
  readonly warn: (message: string) => void;
  /** This machine's where not given. */
  readonly boot?: Boot;
}

const LOCK_POLL_MS = 3;
const SHOWN_LOCK_WAIT_MS = 2_000;
const LOCK_LOOK_MS = 250;
const MAX_LOCK_WAIT_MS = 30_000;
const MAX_LAST_LOCK_WAIT_MS = 1_000;
/** The monotonic clocks of two processors may differ by a hair; more than this is another boot. */
const SAME_BOOT_WITHIN_MS = 1_000;

export class FileStore implements LedgerStore {
  readonly #file: LedgerTextFile;
  readonly #lock: string;
  readonly #lineage = new LedgerLineage();
  #boot: Boot;
  #maxLockWaitMs = MAX_LOCK_WAIT_MS;

  constructor(private readonly options: LedgerFileOptions) {
    this.#file = new LedgerTextFile(options.folder, MAX_TEXT_BYTES);
    this.#lock = join(options.folder, 'ledger.lock');
    this.#boot = options.boot ?? thisBoot();
  }

  async exchange<T>(
    change: (state: LedgerState) => Promise<T>,
    onLockWait?: (wait: LockWait) => void,
  ): Promise<T> {
    const { folder, clock } = this.options;
    try {
      const access = ledgerAccess(folder);
      const lock = await this.#takeLock(access, onLockWait);
      try {
        const before = this.#file.readOrDamaged(access);
        const opened = this.#openFor(before);
        const result = await change(opened.state);
        const next = opened.close({ nowMs: clock.monotonicMs(), wallMs: clock.wallMs() });
        const body = bodyOf(next);
        if (before === undefined || body !== bodyIn(before)) {
          await this.#file.write(textOf(next, body), access);
          this.#lineage.note(next, this.#boot.id);
        }
        return result;
      } finally {
        lock.release();
      }
    } catch (error) {
      throw withOwnHint(error, folder);
    }
  }

  hurry(): void {
    this.#maxLockWaitMs = MAX_LAST_LOCK_WAIT_MS;
  }

  /** The state without the lock: a moment's view, for showing. Throws StorageError where it cannot be read. */
  peek(): LedgerState {
    const { folder } = this.options;
    try {
      const text = existsSync(folder) ? this.#file.read(ledgerAccess(folder)) : undefined;
      const record = text === undefined ? emptyRecord('none') : readRecord(text);
      if (record === 'damaged') {
        throw new StorageError('not-writable', `${this.#file.path} is damaged.`, {
          hint: 'The next command that sends something sets it aside, and waits as if all limits were used up.',
        });
      }
      return this.#open(record).state;
    } catch (error) {
      throw withOwnHint(error, folder);
    }
  }

  /** On the machine's clock, whatever the ledger's own: other processes hold the lock in real time. */
  async #takeLock(
    access: FileAccess,
    onLockWait: ((wait: LockWait) => void) | undefined,
  ): Promise<HeldLock> {
    const startedMs = systemClock.monotonicMs();
    const wait = { ...access, pollMs: LOCK_POLL_MS, giveUpAfterMs: LOCK_LOOK_MS };
    for (;;) {
      const lock = await lockFile(this.#lock, wait);
      if (lock) return lock;
      const waitedMs = systemClock.monotonicMs() - startedMs;
      const leftMs = this.#maxLockWaitMs - waitedMs;
      if (leftMs > 0 && waitedMs < SHOWN_LOCK_WAIT_MS) continue;
      const holder = lockHolder(this.#lock, access);
      if (leftMs > 0) onLockWait?.({ holder, leftMs });
      else throw this.#lockedBy(holder, waitedMs);
    }
  }

  #lockedBy(holder: string, waitedMs: number): StorageError {
    const seconds = Math.round(waitedMs / 1_000);
    return new StorageError(
      'ledger-locked',
      `The rate ledger is locked: ${holder} has held ${this.#lock} for ${seconds} s.`,
    );
  }

  #openFor(text: string | undefined): OpenedRecord {
    const { folder, clock } = this.options;
    const read = text === undefined ? undefined : readRecord(text);
    if (read === 'damaged') this.#file.setAside();
    const isNew = read === undefined || read === 'damaged';
    const record = isNew ? emptyRecord(randomBytes(6).toString('hex')) : read;
    const trouble =
      read === 'damaged'
        ? `was damaged and is set aside as ${this.#file.damagedPath}`
        : this.#lineage.troubleWith(read, this.#boot.id);
    const opened = this.#open(record);
    if (!isNew) this.#lineage.note(record, this.#boot.id);
    if (trouble !== undefined) {
      // What other processes have sent meanwhile may still be on its way.
      opened.state.full = { atMs: clock.monotonicMs() + LAST_BYTES_MS };
      this.#lineage.warnOnce('lost', () => {
        this.options.warn(
          `The rate ledger in ${folder} ${trouble}; all limits count as used up just now.`,
        );
      });
    }
    return opened;
  }

  #open(record: LedgerRecord): OpenedRecord {
    const { clock, warn, folder } = this.options;
    const moment = { nowMs: clock.monotonicMs(), wallMs: clock.wallMs() };
    const own = record.boots.find(({ boot }) => boot === this.#boot.id);
    if (own && own.writtenMs > moment.nowMs + SAME_BOOT_WITHIN_MS) {
      this.#boot = ownBoot(this.#boot, randomBytes(16).toString('hex'));
    }
    const neighbour = this.#lineage.livingNeighbour(record, this.#boot.id);
    if (neighbour) {
      this.#lineage.warnOnce('neighbour', () => {
        warn(
          `The rate ledger in ${folder} is also used by another machine or virtual machine (${neighbour.host}); the limits are kept, but requests wait longer than they need to.`,
        );
      });
    }
    return openRecord(record, { ...moment, boot: this.#boot.id, host: this.#boot.host });
  }
}

/** What a folder of chapters would be told to do is no help with this one. */
function withOwnHint(error: unknown, folder: string): unknown {
  if (isSystemError(error, 'EACCES', 'EPERM', 'EROFS')) return ledgerError(error, folder);
  const ours = toStorageError(error, folder);
  if (!(ours instanceof StorageError) || !HINTS_FOR_CHAPTERS.has(ours.code)) return ours;
  return new StorageError(ours.code, `The rate ledger cannot be kept. ${ours.message}`, {
    cause: ours,
    hint: 'Set TANKOBON_LEDGER, or TANKOBON_HOME, to a folder that you may write to.',
  });
}

const HINTS_FOR_CHAPTERS = new Set([
  'not-writable',
  'name-taken',
  'name-too-long',
  'storage-failed',
]);
