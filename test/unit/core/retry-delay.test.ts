import { retryDelayMs } from '../../../src/core/retry-delay.js';

const DELAYS = { firstMs: 250, maxMs: 5_000 };

test('doubles with each failure, up to the maximum', () => {
  const full = [1, 2, 3, 4, 5, 6, 7].map((failures) => retryDelayMs(DELAYS, failures, 1));
  expect(full).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
});

test('is between half of the full delay and all of it', () => {
  expect(retryDelayMs(DELAYS, 1, 0)).toBe(125);
  expect(retryDelayMs(DELAYS, 1, 0.5)).toBe(187.5);
  expect(retryDelayMs(DELAYS, 60, 0)).toBe(2_500);
  for (let call = 0; call < 100; call += 1) {
    const ms = retryDelayMs(DELAYS, 2);
    expect(ms).toBeGreaterThanOrEqual(250);
    expect(ms).toBeLessThan(500);
  }
});
