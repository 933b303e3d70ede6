/** The token bucket of `--limit-rate`, in simulated time. */
import fc from 'fast-check';
import { createBandwidthLimit } from '../../../../src/service/pages/bandwidth-limit.js';

/** A clock whose sleeps take no time of the test. */
function simulatedClock() {
  const state = { nowMs: 0 };
  return {
    state,
    wallMs: () => state.nowMs,
    monotonicMs: () => state.nowMs,
    sleep: (ms: number) => {
      state.nowMs += ms;
      return Promise.resolve();
    },
  };
}

test('however the bytes arrive, no more than the rate and a quarter of a second pass', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 10_000, max: 5_000_000 }),
      fc.array(fc.tuple(fc.integer({ min: 1, max: 65_536 }), fc.integer({ min: 0, max: 2_000 })), {
        minLength: 1,
        maxLength: 40,
      }),
      async (bytesPerSecond, chunks) => {
        const clock = simulatedClock();
        const limit = createBandwidthLimit(bytesPerSecond, clock);
        let bytes = 0;
        for (const [size, pauseMs] of chunks) {
          clock.state.nowMs += pauseMs;
          await limit.take(size);
          bytes += size;
          const allowed = (bytesPerSecond * (clock.state.nowMs + 250)) / 1_000;
          expect(bytes).toBeLessThanOrEqual(allowed + 1);
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('pages that take turns share the rate, and a steady download uses all of it', async () => {
  const clock = simulatedClock();
  const limit = createBandwidthLimit(1_000_000, clock);
  for (let index = 0; index < 100; index += 1) await limit.take(50_000);
  // 5 MB at 1 MB/s, less the quarter of a second saved up before.
  expect(clock.state.nowMs).toBeCloseTo(4_750);
});

test('an interruption ends the wait', async () => {
  const stop = new AbortController();
  const reason = new Error('stopped');
  const { systemClock } = await import('../../../../src/core/clock.js');
  const waiting = createBandwidthLimit(10_000, systemClock).take(10_000_000, stop.signal);
  stop.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});
