/**
 * The ledger on disk: one small file, read, changed and written under a lock of the operating system, and whole
 * whenever a process is killed. It is not synced, since that would cost more than the whole reservation: a power
 * cut may damage it, and then all limits count as used up.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../kernel/clock.js';
import { StorageError } from '../kernel/errors.js';
import { asStorageError, isSystemError } from '../kernel/files.js';
import { lockFile } from '../kernel/lock.js';
import { bodyIn, bodyOf, readState, textOf } from './ledger-format.js';
import { afterReboot, emptyState, type LedgerState } from './ledger-state.js';
import { makeShared, share, unlinkIfThere } from './shared-files.js';

/** Where a ledger is kept. Exchanges exclude each other, between processes too. */
export interface LedgerStore {
  /** Hands the state to `change`, and writes down what it did to it. */
  exchange<T>(change: (state: LedgerState) => Promise<T>): Promise<T>;
}

export interface LedgerFileOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** Told, in a sentence, of a damaged file that was set aside. */
  readonly warn: (message: string) => void;
}

const LOCK_POLL_MS = 3;
/** The monotonic clocks of two processors may differ by a hair; more than this is another boot. */
const SAME_BOOT_WITHIN_MS = 1_000;

export class LedgerFile implements LedgerStore {
  readonly #file: string;
  readonly #aside: string;
  readonly #lock: string;

  constructor(private readonly options: LedgerFileOptions) {
    this.#file = join(options.folder, 'ledger.json');
    this.#aside = join(options.folder, 'ledger.json.aside');
    this.#lock = join(options.folder, 'ledger.lock');
  }

  async exchange<T>(change: (state: LedgerState) => Promise<T>): Promise<T> {
    try {
      mkdirSync(this.options.folder, { recursive: true });
      makeShared(this.#lock);
      // On the machine's clock, whatever the ledger's own: other processes hold the lock in real time.
      const lock = await lockFile(this.#lock, { pollMs: LOCK_POLL_MS });
      try {
        const before = this.#text();
        const state = this.#read(before);
        const result = await change(state);
        this.#write(state, before);
        return result;
      } finally {
        lock.release();
      }
    } catch (error) {
      throw withOwnHint(asStorageError(error, this.options.folder));
    }
  }

  /** The state without the lock: a moment's view, for showing. */
  peek(): LedgerState {
    const { clock } = this.options;
    const text = this.#text();
    const state = text === undefined ? undefined : readState(text);
    return state === undefined || state === 'damaged'
      ? emptyState(clock.monotonicMs())
      : this.#ofThisBoot(state);
  }

  #text(): string | undefined {
    // The new file stands alone for a moment (see #write); it is complete whenever the old one is gone.
    return readIfThere(this.#file) ?? readIfThere(this.#aside);
  }

  #read(text: string | undefined): LedgerState {
    const nowMs = this.options.clock.monotonicMs();
    if (text === undefined) return emptyState(nowMs);
    const state = readState(text);
    if (state !== 'damaged') return this.#ofThisBoot(state);
    const damaged = join(this.options.folder, 'ledger.damaged.json');
    for (const file of [this.#aside, this.#file]) {
      if (existsSync(file)) renameSync(file, damaged);
    }
    this.options.warn(
      `The rate ledger was damaged and is set aside as ${damaged}; all limits count as used up just now.`,
    );
    return { ...emptyState(nowMs), fullAtMs: nowMs };
  }

  #ofThisBoot(state: LedgerState): LedgerState {
    const { clock } = this.options;
    const nowMs = clock.monotonicMs();
    // Times of an earlier boot that lie behind us are safe as they are: more time has passed than they say.
    if (state.writtenMs <= nowMs + SAME_BOOT_WITHIN_MS) return state;
    return afterReboot(state, { nowMs, wallMs: clock.wallMs() });
  }

  #write(state: LedgerState, before: string | undefined): void {
    const body = bodyOf(state);
    if (before !== undefined && body === bodyIn(before)) return;
    const writtenMs = Math.max(state.writtenMs, this.options.clock.monotonicMs());
    if (existsSync(this.#file)) unlinkIfThere(this.#aside);
    else if (existsSync(this.#aside)) renameSync(this.#aside, this.#file);
    writeFileSync(this.#aside, textOf(writtenMs, body), { flag: 'wx', mode: 0o600 });
    share(this.#aside);
    // Not renamed over the old one: some file systems (ext4) then write it out at once, which takes 20 times longer.
    unlinkIfThere(this.#file);
    renameSync(this.#aside, this.#file);
  }
}

/** What a folder of chapters would be told to do is no help with this one. */
function withOwnHint(error: unknown): unknown {
  if (!(error instanceof StorageError) || error.code === 'disk-full') return error;
  return new StorageError(error.code, `The rate ledger cannot be kept. ${error.message}`, {
    cause: error,
    hint: 'Set TANKOBON_LEDGER, or TANKOBON_HOME, to a folder that you may write to.',
  });
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}
