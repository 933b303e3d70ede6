/** Time that passes only when everybody waits for it: an hour of the ledger in seconds of a test. */
import type { Clock } from '../../src/core/clock.js';

interface Event {
  readonly atMs: number;
  readonly happen: () => void;
}

export class VirtualTime {
  nowMs = 1_000;
  /** The wall clock is wrong by so much, and may be stepped. */
  wallOffsetMs = Date.UTC(2026, 0, 1);
  readonly #events: Event[] = [];

  after(ms: number, happen: () => void): void {
    const event = { atMs: this.nowMs + Math.max(0, ms), happen };
    const at = this.#events.findIndex(({ atMs }) => atMs > event.atMs);
    this.#events.splice(at < 0 ? this.#events.length : at, 0, event);
  }

  pass(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  /** The clock of one process; `lateMs` is asked for how late each of its timers fires. */
  clock(lateMs: () => number = () => 0): Clock {
    return {
      monotonicMs: () => this.nowMs,
      wallMs: () => this.nowMs + this.wallOffsetMs,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted === true) {
            reject(new Error('aborted'));
            return;
          }
          signal?.addEventListener('abort', () => {
            reject(new Error('aborted'));
          });
          this.after(ms + lateMs(), resolve);
        }),
    };
  }

  /** Runs until `work` is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      // The linter does not see that the promise above sets it.
      if (isDone as boolean) return done;
      const next = this.#events.shift();
      if (!next) throw new Error('Everybody waits, and for nothing.');
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.happen();
    }
  }
}
