/** The machine's clock, moved: the monotonic one forward, as if time had passed; the wall's wherever it is set. */
import { systemClock, type Clock } from '../../src/core/clock.js';

export interface ShiftedClock extends Clock {
  /** As if so much time had passed. */
  pass(ms: number): void;
  /** Steps the wall clock alone, as an administrator or a time server would. */
  step(ms: number): void;
  /** As after a reboot: the monotonic clock begins again. */
  reboot(): void;
}

export function shiftedClock(): ShiftedClock {
  let monotonic = 0;
  let wall = 0;
  return {
    monotonicMs: () => systemClock.monotonicMs() + monotonic,
    wallMs: () => systemClock.wallMs() + wall,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
    pass(ms) {
      monotonic += ms;
      wall += ms;
    },
    step(ms) {
      wall += ms;
    },
    reboot() {
      monotonic = 50 - systemClock.monotonicMs();
    },
  };
}
