/** Which numbers are equal, and the gaps between them. */
import { missingWholeNumbers, numberKey } from '../../../src/selection/reading-order.js';

test('whole numbers between the first and the last that none is, or begins with', () => {
  expect(missingWholeNumbers([3, 1, 5.5, 8])).toEqual([2, 4, 6, 7]);
  expect(missingWholeNumbers([])).toEqual([]);
  expect(missingWholeNumbers([7])).toEqual([]);
});

test('parts of a number count as it', () => {
  expect(missingWholeNumbers([5, 6.1, 6.2, 7])).toEqual([]);
});

test('a number more than 100 above the one before it makes no gap, and the gaps before it stay', () => {
  expect(missingWholeNumbers([1, 10_000])).toEqual([]);
  expect(missingWholeNumbers([1, 3, 2024])).toEqual([2]);
  expect(missingWholeNumbers([1, 102])).toEqual([]);
  expect(missingWholeNumbers([1, 101])).toHaveLength(99);
});

test.each([
  ['010', '10'],
  ['10.0', '10'],
  ['010.50', '10.50'],
  ['000', '0'],
  ['00.5', '0.5'],
  [' 7A ', '7a'],
  ['1e3', '1e3'],
  [undefined, ''],
])('%j is compared as %j', (text, key) => {
  expect(numberKey(text)).toBe(key);
});

test('a hostile number takes no longer than its length', () => {
  const zeros = '0'.repeat(1_000_000);
  expect(numberKey(`${zeros}x`)).toHaveLength(zeros.length + 1);
  expect(numberKey(`${zeros}1.${zeros}`)).toBe('1');
});
