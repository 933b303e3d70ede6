import fc from 'fast-check';
import { lacksUnit, parseDuration } from '../../../src/core/duration.js';

test.each([
  ['0', 0],
  ['0.0', 0],
  ['90s', 90_000],
  ['10m', 600_000],
  ['1.5h', 5_400_000],
  ['250ms', 250],
  ['2 h', 7_200_000],
  [' 1d ', 86_400_000],
])('%s', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  '',
  'm',
  '90',
  '1.5',
  '-1s',
  '10 minutes',
  '1h30m',
  '1e3',
  '31d',
  '0x10',
  '10M',
  'Infinity',
])('"%s" is not a duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test('any text gives a whole number of milliseconds up to 30 days, or nothing', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const ms = parseDuration(text);
      return ms === undefined || (Number.isInteger(ms) && ms >= 0 && ms <= 30 * 86_400_000);
    }),
  );
});

test.each([
  ['90', true],
  [' 1.5 ', true],
  ['0', false],
  ['90s', false],
  ['-90', false],
  ['soon', false],
])('whether "%s" only lacks a unit: %s', (text, lacking) => {
  expect(lacksUnit(text)).toBe(lacking);
});
