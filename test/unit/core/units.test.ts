/** Durations and rates as people type them. */
import fc from 'fast-check';
import {
  lacksUnit,
  MIN_BYTES_PER_SECOND,
  parseByteRate,
  parseDuration,
} from '../../../src/core/units.js';

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

test.each([
  ['2M', 2_000_000],
  ['500k', 500_000],
  ['1.5 MB/s', 1_500_000],
  ['1g', 1_000_000_000],
  ['65536', 65_536],
  ['10k', MIN_BYTES_PER_SECOND],
])('%s is %d bytes per second', (text, bytes) => {
  expect(parseByteRate(text)).toBe(bytes);
});

test.each(['', '0', '9k', '-2M', 'fast', '2T', '1e6', '2 M M', '٢M'])('"%s" is refused', (text) => {
  expect(parseByteRate(text)).toBeUndefined();
});

test('any text is undefined or a whole number of at least the minimum', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc
          .tuple(fc.double({ min: 0, max: 1e6 }), fc.constantFrom('', 'k', 'M', 'GB/s'))
          .map(([n, unit]) => `${n}${unit}`),
      ),
      (text) => {
        const rate = parseByteRate(text);
        if (rate === undefined) return;
        expect(Number.isSafeInteger(rate)).toBe(true);
        expect(rate).toBeGreaterThanOrEqual(MIN_BYTES_PER_SECOND);
      },
    ),
    { numRuns: 500 },
  );
});
