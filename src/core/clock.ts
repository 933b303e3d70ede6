/**
 * Time, as everything above is handed it. Two clocks, because they fail differently: the wall clock can be
 * wrong by hours and can be stepped; the monotonic one cannot, but means nothing after a reboot.
 */
import { setTimeout as delay } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds since the Unix epoch, as the machine believes. May be wrong, may jump. For showing and for stamps. */
  wallMs(): number;
  /** Milliseconds since some moment of this boot, the same for all processes of the machine. Never steps back. */
  monotonicMs(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** `setTimeout` takes no more than this; a longer sleep is slept in parts. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => Number(process.hrtime.bigint() / 1_000n) / 1_000,
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    for (let left = ms; left > 0; left -= LONGEST_TIMER_MS) {
      try {
        await delay(Math.min(left, LONGEST_TIMER_MS), undefined, signal ? { signal } : {});
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    }
  },
};

/** Resolves when `done` does, or after `ms` milliseconds; leaves no timer behind. */
export async function waitAtMost(clock: Clock, ms: number, done: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const timeout = clock.sleep(ms, timer.signal).catch(() => undefined);
  await Promise.race([done, timeout]);
  timer.abort();
}
