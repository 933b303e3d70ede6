/** The clocks of the tests. */
import { systemClock, type Clock } from '../../src/core/clock.js';

export interface FakeClock extends Clock {
  /** How far the monotonic clock was moved, in ms. */
  movedMs(): number;
  /** Moves both clocks forward, as if this much time had passed. */
  advance(ms: number): void;
  /** Steps the wall clock alone, as an administrator or a time server does. */
  stepWall(ms: number): void;
  /** Restarts the monotonic clock, as a reboot does. */
  reboot(): void;
}

/** A clock that moves only when a test moves it; a sleep ends at once. */
export function fakeClock(startMs = Date.UTC(2030, 0, 1)): FakeClock {
  return adjustable({
    wallMs: () => startMs,
    monotonicMs: () => 1_000,
    sleep: () => Promise.resolve(),
  });
}

/** A clock that stands still; a sleep ends at once and moves it by its length. */
export function skippingClock(): FakeClock {
  const clock = fakeClock();
  const skip = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  };
  return { ...clock, sleep: skip };
}

/** The system clock, which a test can move. */
export function adjustableClock(): FakeClock {
  return adjustable(systemClock);
}

function adjustable(base: Clock): FakeClock {
  let wallOffsetMs = 0;
  let monotonicOffsetMs = 0;
  return {
    wallMs: () => base.wallMs() + wallOffsetMs,
    monotonicMs: () => base.monotonicMs() + monotonicOffsetMs,
    sleep: (ms, signal) => base.sleep(ms, signal),
    movedMs: () => monotonicOffsetMs,
    advance(ms) {
      wallOffsetMs += ms;
      monotonicOffsetMs += ms;
    },
    stepWall(ms) {
      wallOffsetMs += ms;
    },
    reboot() {
      monotonicOffsetMs = 50 - base.monotonicMs();
    },
  };
}

/** A clock on which everything runs `factor` times faster, for the client and the practice service alike. */
export function acceleratedClock(factor: number): Clock {
  const startWallMs = systemClock.wallMs();
  const startMonotonicMs = systemClock.monotonicMs();
  const elapsedMs = () => (systemClock.monotonicMs() - startMonotonicMs) * factor;
  return {
    wallMs: () => startWallMs + elapsedMs(),
    monotonicMs: () => startMonotonicMs + elapsedMs(),
    sleep: (ms, signal) => systemClock.sleep(ms / factor, signal),
  };
}

interface TimedEvent {
  readonly atMs: number;
  readonly run: () => void;
}

/** Each turn takes a millisecond at least. */
const MAX_IDLE_TURNS = 5_000;

/** Simulated time: it advances to the next event when nothing else is left to do. */
export class SimulatedTime {
  nowMs = 1_000;
  /** How far the wall clock is ahead of `nowMs`. */
  wallOffsetMs = Date.UTC(2026, 0, 1);
  readonly #events: TimedEvent[] = [];

  after(ms: number, run: () => void): void {
    const event = { atMs: this.nowMs + Math.max(0, ms), run };
    const index = this.#events.findIndex(({ atMs }) => atMs > event.atMs);
    this.#events.splice(index < 0 ? this.#events.length : index, 0, event);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  /** The clock of one process; `timerDelayMs` gives how late each of its timers fires. */
  clock(timerDelayMs: () => number = () => 0): Clock {
    return {
      monotonicMs: () => this.nowMs,
      wallMs: () => this.nowMs + this.wallOffsetMs,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          const abort = (): void => {
            reject(signal?.reason as Error);
          };
          if (signal?.aborted === true) {
            abort();
            return;
          }
          signal?.addEventListener('abort', abort);
          this.after(ms + timerDelayMs(), () => {
            signal?.removeEventListener('abort', abort);
            resolve();
          });
        }),
    };
  }

  /** Runs until `work` is settled. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    let idleTurns = 0;
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      // The linter does not see that the promise above sets it.
      if (isDone as boolean) return done;
      const next = this.#events.shift();
      if (!next) {
        // A module that is loaded on first use takes more than one turn.
        idleTurns += 1;
        if (idleTurns > MAX_IDLE_TURNS)
          throw new Error('Deadlock: the work is not done and no event is left.');
        await new Promise((resolve) => setTimeout(resolve, 1));
        continue;
      }
      idleTurns = 0;
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.run();
    }
  }
}
