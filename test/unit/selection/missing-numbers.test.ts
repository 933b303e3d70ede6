/** Gaps between numbers. */
import { missingWholeNumbers } from '../../../src/selection/missing-numbers.js';

test('whole numbers between the first and the last that none is, or begins with', () => {
  expect(missingWholeNumbers([3, 1, 5.5, 8])).toEqual([2, 4, 6, 7]);
  expect(missingWholeNumbers([])).toEqual([]);
  expect(missingWholeNumbers([7])).toEqual([]);
});

test('a number that is far from all others gives no gaps', () => {
  expect(missingWholeNumbers([1, 10_000])).toEqual([]);
});
