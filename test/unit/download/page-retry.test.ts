import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MAX_ATTEMPTS, retryPauseMs } from '../../../src/download/page-retry.js';

test('pauses grow with each attempt and are jittered, and all of them together stay short', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: MAX_ATTEMPTS - 1 }), random, random, (attempt, a, b) => {
      expect(retryPauseMs(attempt + 1, a)).toBeGreaterThanOrEqual(retryPauseMs(attempt, b));
      expect(retryPauseMs(attempt, a)).toBeGreaterThan(0);
    }),
  );
  expect(retryPauseMs(1, 0)).not.toBe(retryPauseMs(1, 0.5));
  const longestMs = [1, 2, 3, 4].reduce((sum, attempt) => sum + retryPauseMs(attempt, 1), 0);
  expect(longestMs).toBeLessThan(10_000);
});
