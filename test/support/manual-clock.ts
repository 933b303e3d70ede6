/** A clock that moves only when a test advances it; both of its times move together. */
import type { Clock } from '../../src/core/clock.js';

export interface ManualClock extends Clock {
  advance(ms: number): void;
}

export function manualClock(startMs = Date.UTC(2030, 0, 1)): ManualClock {
  let passedMs = 0;
  return {
    wallMs: () => startMs + passedMs,
    monotonicMs: () => 1_000 + passedMs,
    sleep: () => Promise.resolve(),
    advance(ms) {
      passedMs += ms;
    },
  };
}
