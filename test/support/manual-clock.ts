/** A clock that stands still until it is moved on. Both of its hands move together. */
import type { Clock } from '../../src/core/clock.js';

export interface HandClock extends Clock {
  advance(ms: number): void;
}

export function handClock(startMs = Date.UTC(2030, 0, 1)): HandClock {
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
