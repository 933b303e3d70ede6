/**
 * The ledger on disk: one small file, read and replaced under a lock of the operating system. If a power cut damages it,
 * all limits count as used up.
 */
import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { momentOf, systemClock, type Clock, type Moment } from '../../core/clock.js';
import { StorageError } from '../../core/errors.js';
import { isSystemError, makeFolders } from '../../core/files.js';
import { formatDuration, formatLocalTime } from '../../core/human-format.js';
import { describeLockHolder, tryLockFile, type HeldLock } from '../../core/lock.js';
import { PRIVATE_FOLDER_MODE } from '../../core/own-folder.js';
import type { Boot } from './boot.js';
import { checkLedgerFolder, SHARE_HINT, toLedgerError } from './ledger-folder.js';
import { readLedgerFile, writeLedgerFile } from './ledger-file.js';
import { LedgerHistory, type FoundDocument, type Reading } from './ledger-history.js';
import type { LedgerRules } from './ledger-rules.js';
import type { LedgerStore, Transaction } from './ledger-store.js';
import { MAX_WAIT_MS, type Wait } from './rate-ledger.js';

interface FileStoreOptions {
  /** Created if missing. */
  readonly folder: string;
  readonly clock: Clock;
  /** Receives a sentence when the ledger was lost, and when another machine uses it. */
  readonly warn: (message: string) => void;
  readonly boot: Boot;
  readonly rules: LedgerRules;
}

const LOCK_POLL_MS = 3;
/** How often a long wait is reported. */
const LOCK_REPORT_MS = 250;
const MIN_REPORTED_LOCK_WAIT_MS = 2_000;
const MAX_LOCK_WAIT_MS = 30_000;
const MAX_LOCK_WAIT_AT_EXIT_MS = 1_000;
const MAX_ATTEMPTS = 3;
/** Between two looks at a ledger that another machine uses. */
const WATCH_MS = 1_000;

export class FileStore implements LedgerStore {
  readonly processId = `${process.pid}-${randomBytes(6).toString('hex')}`;
  readonly isOnServer = false;
  readonly #file: string;
  readonly #lockFile: string;
  readonly #history: LedgerHistory;
  readonly #closing = new AbortController();
  readonly #warned = new Set<string>();
  #isFolderChecked = false;

  constructor(private readonly options: FileStoreOptions) {
    const { folder } = options;
    this.#file = join(folder, 'ledger.json');
    this.#lockFile = join(folder, 'ledger.lock');
    this.#history = this.#newHistory();
  }

  async transaction<T>(
    change: (transaction: Transaction) => T,
    onWait?: (wait: Wait) => void,
  ): Promise<{ readonly result: T; readonly moment: Moment }> {
    const { clock, folder } = this.options;
    const startedMs = clock.monotonicMs();
    for (let attempt = 1; ;) {
      try {
        const outcome = await this.#attempt(change, onWait);
        if (!('usedBy' in outcome)) return outcome;
        await this.#watch(outcome.usedBy.host, startedMs, onWait);
      } catch (error) {
        // The folder was deleted meanwhile; the next attempt creates it.
        if (attempt === MAX_ATTEMPTS || !isSystemError(error, 'ENOENT'))
          throw toLedgerError(error, folder);
        attempt += 1;
      }
    }
  }

  forget(requestId: string): void {
    this.#history.forget(requestId);
  }

  peek(): Promise<Transaction> {
    const { folder } = this.options;
    const moment = this.#reading();
    return Promise.resolve().then(() => {
      let found: FoundDocument;
      try {
        checkLedgerFolder(folder);
        found = readLedgerFile(this.#file);
      } catch (error) {
        if (!isSystemError(error, 'ENOENT')) throw toLedgerError(error, folder);
      }
      if (found === 'damaged') throw damagedError(this.#file);
      const opened = this.#newHistory().open(found, moment, true);
      if ('document' in opened) return { ...opened, ...moment };
      // Another machine uses it, by another clock.
      const { usedBy: document } = opened;
      const nowMs = document.writtenMs + Math.max(0, moment.wallMs - document.wallMs);
      return { document, wallMs: moment.wallMs, nowMs };
    });
  }

  shortenWaits(): void {
    this.#closing.abort();
  }

  close(): void {
    this.#closing.abort();
  }

  #newHistory(): LedgerHistory {
    const { boot, rules } = this.options;
    return new LedgerHistory({ processId: this.processId, host: boot.host, rules });
  }

  #reading(): Reading {
    const { boot, clock } = this.options;
    return { ...momentOf(clock), boot: boot.id };
  }

  async #attempt<T>(change: (transaction: Transaction) => T, onWait?: (wait: Wait) => void) {
    const { folder } = this.options;
    if (!this.#isFolderChecked) {
      makeFolders(folder, PRIVATE_FOLDER_MODE);
      checkLedgerFolder(folder);
      this.#isFolderChecked = true;
    }
    // A ledger that was there has left its lock file, in which the first process to hold the lock has written.
    const isNew = sizeOf(this.#lockFile) === 0;
    const lock = await this.#takeLock(onWait);
    try {
      const found = readLedgerFile(this.#file);
      const moment = this.#reading();
      const opened = this.#history.open(found, moment, isNew);
      if ('usedBy' in opened) return opened;
      const { document } = opened;
      const result = change({ document, ...moment });
      this.#history.stamp(document, moment);
      await writeLedgerFile(this.#file, document);
      this.#history.remember(document);
      this.#warnOfLoss(opened.loss);
      return { result, moment };
    } finally {
      lock.release();
    }
  }

  /** Measured by the system clock, even where the ledger has another: other processes hold the lock in real time. */
  async #takeLock(onWait: ((wait: Wait) => void) | undefined): Promise<HeldLock> {
    const startedMs = systemClock.monotonicMs();
    for (let reportMs = MIN_REPORTED_LOCK_WAIT_MS; ;) {
      const lock = await tryLockFile(this.#lockFile);
      if (lock) return lock;
      const waitedMs = systemClock.monotonicMs() - startedMs;
      const isClosing = this.#closing.signal.aborted;
      const leftMs = (isClosing ? MAX_LOCK_WAIT_AT_EXIT_MS : MAX_LOCK_WAIT_MS) - waitedMs;
      if (leftMs <= 0) {
        const holder = describeLockHolder(this.#lockFile);
        throw new StorageError(
          'ledger-locked',
          `The rate ledger is locked: ${holder} has held ${this.#lockFile} for ${formatDuration(waitedMs)}.`,
        );
      }
      if (waitedMs >= reportMs) {
        const holder = describeLockHolder(this.#lockFile);
        const why = `${holder} holds the lock of the rate ledger`;
        onWait?.({ for: 'lock', why, holder, untilMs: this.options.clock.wallMs() + leftMs });
        reportMs = waitedMs + LOCK_REPORT_MS;
      }
      await systemClock.sleep(LOCK_POLL_MS * (0.5 + Math.random() / 2));
    }
  }

  /** Waits before the next look at a ledger that another machine uses. */
  async #watch(
    host: string,
    startedMs: number,
    onWait: ((wait: Wait) => void) | undefined,
  ): Promise<void> {
    const { folder, clock, rules } = this.options;
    const other = `another machine or virtual machine (${host})`;
    const idle = formatDuration(rules.maxRequestMs);
    this.#warnOnce(
      'other machine',
      `The rate ledger in ${folder} is in use by ${other}; nothing is sent until that one has been idle for ${idle}; machines share limits without such waits by TANKOBON_LEDGER=redis://HOST:6379/0`,
    );
    const leftMs = startedMs + MAX_WAIT_MS - clock.monotonicMs();
    if (leftMs <= 0 || this.#closing.signal.aborted) {
      const message = `The rate ledger in ${folder} is in use by ${other}.`;
      throw new StorageError('ledger-locked', message, { hint: SHARE_HINT });
    }
    const untilMs = clock.wallMs() + leftMs;
    onWait?.({ for: 'lock', why: `${other} uses the rate ledger`, holder: other, untilMs });
    await clock.sleep(WATCH_MS, this.#closing.signal).catch(() => undefined);
  }

  #warnOfLoss(loss: string | undefined): void {
    if (loss === undefined) return;
    const { folder, clock, rules } = this.options;
    const wallMs = clock.wallMs();
    const until = formatLocalTime(wallMs + rules.maxRequestMs, wallMs);
    this.#warnOnce(
      'loss',
      `The rate ledger in ${folder} ${loss}; all limits count as used up until ${until}, and then for one period.`,
    );
  }

  #warnOnce(topic: string, message: string): void {
    if (this.#warned.has(topic)) return;
    this.#warned.add(topic);
    this.options.warn(message);
  }
}

function damagedError(file: string): StorageError {
  return new StorageError('not-writable', `The rate ledger is damaged: ${file}.`, {
    hint: 'The next command that sends a request replaces it, and waits as if all limits were used up.',
  });
}

function sizeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
