/** What the shared ledger needs from the place it is kept in: transactions, and which processes are alive. */
import type { LedgerState } from './ledger-state.js';
import type { Wait } from './rate-ledger.js';

/** A transaction waits for another process, or for a server that cannot be used. */
export interface StoreWait extends Pick<Wait, 'why' | 'reason' | 'holder'> {
  readonly for: 'lock' | 'outage';
  /** How long until the wait fails. */
  readonly leftMs: number;
}

/** The ledger at one moment, for display. */
export interface PeekedLedger {
  readonly state: LedgerState;
  /** Of the processes, by their ids; absent where all are on this machine. */
  readonly hosts?: ReadonlyMap<string, string>;
}

export interface LedgerStore {
  /**
   * Passes the state, in times of the local monotonic clock, to `change` and stores it as `change` leaves it.
   * Transactions exclude each other, between processes too. A store may call `change` again, with the state that
   * another process has stored meanwhile: only the result of the last call counts. Throws StorageError:
   * `ledger-locked` where others hold the lock far longer than they should, and `ledger-unreachable` or
   * `ledger-unusable` for a server.
   */
  transaction<T>(
    change: (state: LedgerState) => T | Promise<T>,
    onWait?: (wait: StoreWait) => void,
  ): Promise<T>;
  /** Called before the process ends: waits at most a second from now on. */
  shortenWaits?(): void;
}

/** `lapsed`: it has not been heard of for so long that others may use its turn; it may come back. */
export type Liveness = 'alive' | 'dead' | 'lapsed' | 'unknown';

/** The processes that use the ledger. All methods but the last two are called within a transaction. */
export interface ProcessRegistry {
  readonly ownId: string;
  /** Registers this process where it is not registered, and removes what processes that died long ago have left. */
  register(): Promise<void>;
  livenessOf(processId: string): Promise<Liveness>;
  /** Whether other processes still count this one as alive; after a long pause they may not. Default: true. */
  isConfirmed?(): boolean;
  unregister(): void | Promise<void>;
}
