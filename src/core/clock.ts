/** Time, injected wherever it is needed. */
import { setTimeout as delay } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds since the Unix epoch. May be wrong by hours, and may be stepped: for display and timestamps. */
  wallMs(): number;
  /** Milliseconds since some moment of this boot, the same for all processes of the machine. Never steps back. */
  monotonicMs(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** One moment on both clocks. */
export interface Moment {
  /** Monotonic. */
  readonly nowMs: number;
  readonly wallMs: number;
}

export function momentOf(clock: Pick<Clock, 'monotonicMs' | 'wallMs'>): Moment {
  return { nowMs: clock.monotonicMs(), wallMs: clock.wallMs() };
}

/** The limit of `setTimeout`; longer sleeps are split. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => Number(process.hrtime.bigint() / 1_000n) / 1_000,
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    for (let left = ms; left > 0; left -= MAX_TIMER_MS) {
      await delay(Math.min(left, MAX_TIMER_MS), undefined, { signal }).catch((error: unknown) => {
        signal?.throwIfAborted();
        throw error;
      });
    }
  },
};

/** Resolves when `done` settles, or after `ms` milliseconds; leaves no timer behind. */
export async function waitAtMost(clock: Clock, ms: number, done: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const timeout = clock.sleep(ms, timer.signal).catch(() => undefined);
  await Promise.race([done, timeout]);
  timer.abort();
}
