/** The machine's own clock, but for the hours by which a test moves it forward. */
import { systemClock, type Clock } from '../../src/core/clock.js';

export interface ShiftableClock extends Clock {
  advance(ms: number): void;
}

export function shiftableClock(): ShiftableClock {
  let shiftedMs = 0;
  return {
    wallMs: () => systemClock.wallMs() + shiftedMs,
    monotonicMs: () => systemClock.monotonicMs() + shiftedMs,
    sleep: systemClock.sleep.bind(systemClock),
    advance(ms) {
      shiftedMs += ms;
    },
  };
}
