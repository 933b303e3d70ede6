/** The speed of a run, also of one that is not asked for it, such as a sync which runs for months. */
import { getHeapStatistics } from 'node:v8';
import { Speed } from '../../../src/cli/output/speed.js';
import { fakeClock } from '../../support/fake-clock.js';

test('the speed is that of the last three seconds', () => {
  const clock = fakeClock();
  const speed = new Speed(clock);
  expect(speed.bytesPerSecond()).toBeUndefined();
  speed.add(9_000_000);
  clock.advance(3_000);
  speed.add(1_000_000);
  clock.advance(1_000);
  expect(speed.bytesPerSecond()).toBe(1_000_000);
  clock.advance(3_000);
  expect(speed.bytesPerSecond()).toBeUndefined();
});

test('arrivals are forgotten where the speed is never asked for', () => {
  const clock = fakeClock();
  const speed = new Speed(clock);
  globalThis.gc?.();
  const beforeBytes = getHeapStatistics().used_heap_size;
  for (let slot = 0; slot < 300_000; slot += 1) {
    clock.advance(100);
    speed.add(1);
  }
  globalThis.gc?.();
  const heldBytes = getHeapStatistics().used_heap_size - beforeBytes;
  expect(speed.bytesPerSecond()).toBeGreaterThan(0);
  // All of them take 15 MB.
  expect(heldBytes).toBeLessThan(2_000_000);
});
