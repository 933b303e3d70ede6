/** Waits while the server of the ledger cannot be used, at most for as long as an outage may last. */
import type { Clock } from '../../core/clock.js';
import { StorageError } from '../../core/errors.js';
import { retryDelayMs } from '../../core/retry-delay.js';
import type { Wait } from '../permits/rate-ledger.js';
import { RedisFailure } from './redis-failure.js';

export interface ServerOutageOptions {
  readonly clock: Clock;
  /** The server in messages, without a password. */
  readonly displayUrl: string;
  readonly maxOutageMs: number;
}

const RETRY_DELAYS = { firstMs: 250, maxMs: 5_000 };

export class ServerOutage {
  readonly #closing = new AbortController();
  #hasGivenUp = false;

  constructor(private readonly options: ServerOutageOptions) {}

  /** Repeats `action` until the server can be used. Throws StorageError `ledger-unreachable` or `ledger-unusable`. */
  async retry<T>(action: () => Promise<T>, onWait?: (wait: Wait) => void): Promise<T> {
    const { clock, maxOutageMs, displayUrl } = this.options;
    // After one wait has failed, later calls do not wait again.
    const endMs = clock.monotonicMs() + (this.#hasGivenUp ? 0 : maxOutageMs);
    for (let failures = 1; ; failures += 1) {
      try {
        const result = await action();
        this.#hasGivenUp = false;
        return result;
      } catch (error) {
        if (!(error instanceof RedisFailure)) throw error;
        const leftMs = endMs - clock.monotonicMs();
        if (!error.isTemporary || leftMs <= 0 || this.#closing.signal.aborted) {
          this.#hasGivenUp = true;
          throw this.toStorageError(error);
        }
        const why = `the shared ledger at ${displayUrl} cannot be used: ${error.message}`;
        const untilMs = clock.wallMs() + leftMs;
        onWait?.({ for: 'outage', why, reason: 'ledger-unreachable', untilMs });
        const delayMs = Math.min(leftMs, retryDelayMs(RETRY_DELAYS, failures));
        await clock.sleep(delayMs, this.#closing.signal).catch(() => undefined);
      }
    }
  }

  /** Called before the process ends: stops all waits. */
  close(): void {
    this.#closing.abort();
  }

  toStorageError(failure: RedisFailure): StorageError {
    return new StorageError(
      failure.isTemporary ? 'ledger-unreachable' : 'ledger-unusable',
      `The shared ledger at ${this.options.displayUrl} cannot be used: ${failure.message}.`,
      { cause: failure, hint: failure.hint },
    );
  }
}
