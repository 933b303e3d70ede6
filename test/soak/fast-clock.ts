/** A clock on which everything happens so many times faster, for the client and the practice service alike. */
import { systemClock, type Clock } from '../../src/core/clock.js';

export function fastClock(times: number): Clock {
  const fromWallMs = systemClock.wallMs();
  const fromMonotonicMs = systemClock.monotonicMs();
  const passedMs = () => (systemClock.monotonicMs() - fromMonotonicMs) * times;
  return {
    wallMs: () => fromWallMs + passedMs(),
    monotonicMs: () => fromMonotonicMs + passedMs(),
    sleep: (ms, signal) => systemClock.sleep(ms / times, signal),
  };
}
