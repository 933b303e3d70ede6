/** Rates as people type them. */
import fc from 'fast-check';
import { MIN_BYTES_PER_SECOND, parseByteRate } from '../../../src/core/byte-rate.js';

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
