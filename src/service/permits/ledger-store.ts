/** What the shared ledger needs from the place that its document is kept in. */
import type { Moment } from '../../core/clock.js';
import type { LedgerDocument } from './ledger-document.js';
import type { Wait } from './rate-ledger.js';

/** What a transaction works on. */
export interface Transaction extends Moment {
  readonly document: LedgerDocument;
  /** When other processes looked last, where that is not in the document. */
  readonly seenMs?: ReadonlyMap<string, number> | undefined;
}

export interface LedgerStore {
  /** The parts of a process's id that name it to others. */
  readonly processId: string;
  /** Whether a permit's age counts by the wall clock too: other machines go on while this one sleeps. */
  readonly isOnServer: boolean;
  /**
   * Passes the document to `change` and stores it as `change` leaves it; resolves with the local moment from which
   * grants count. Transactions exclude each other, between processes too. A store may call `change` again, with what
   * another process has stored meanwhile: only the result of the last call counts. Throws StorageError:
   * `ledger-locked` where others hold the lock far longer than they should, and `ledger-unreachable` or
   * `ledger-unusable` for a server.
   */
  transaction<T>(
    change: (transaction: Transaction) => T,
    onWait?: (wait: Wait) => void,
  ): Promise<{ readonly result: T; readonly moment: Moment }>;
  /** Called before a transaction records the end of a request: the document need not know the request any more. */
  forget(requestId: string): void;
  /** The document at this moment, read without a lock. Changes nothing. Throws StorageError. */
  peek(): Promise<Transaction>;
  /** Called before the process ends: waits at most a second from now on. */
  shortenWaits(): void;
  close(): void;
}
