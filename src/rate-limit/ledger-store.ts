/** What the shared ledger needs from the place it is kept in: transactions, and which processes are alive. */
import type { LedgerState } from './ledger-state.js';

/** Another process has held the ledger's lock for long. */
export interface LockWait {
  /** Such as `process 1234`. */
  readonly holder: string;
  /** How long until the wait fails. */
  readonly leftMs: number;
}

export interface LedgerStore {
  /**
   * Passes the state to `change` and stores it as `change` leaves it. Transactions exclude each other, between
   * processes too. Throws StorageError: `ledger-locked` where others hold the lock far longer than they should.
   */
  transaction<T>(
    change: (state: LedgerState) => Promise<T>,
    onLockWait?: (wait: LockWait) => void,
  ): Promise<T>;
  /** Called before the process ends: waits for others at most a second from now on. */
  shortenLockWait?(): void;
}

export type Liveness = 'alive' | 'dead' | 'unknown';

/** The processes that use the ledger. All methods but `leave` are called within a transaction. */
export interface ProcessRegistry {
  readonly ownId: string;
  /** Registers this process, where it is not registered yet or no longer. */
  enter(): Promise<void>;
  livenessOf(processId: string): Promise<Liveness>;
  /** Removes what processes that died long ago have left. */
  sweep(): Promise<void>;
  leave(): void;
}
