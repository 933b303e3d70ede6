/** Ranges of chapters and volumes, from any text. */
import fc from 'fast-check';
import { UsageError } from '../../../src/core/errors.js';
import { isWithin, parseRanges } from '../../../src/config/ranges.js';
import { codePoint } from '../../support/any-text.js';

test('any text gives ranges in order, or a UsageError that names the option', () => {
  const text = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 20 }),
    fc.string({ unit: fc.constantFrom('1', '0', '.', '-', ',', ' ', 'none'), maxLength: 8 }),
  );
  fc.assert(
    fc.property(text, (ranges) => {
      try {
        for (const { from, to } of parseRanges(ranges, '--volumes').numbers)
          expect(from).toBeLessThanOrEqual(to);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
        expect((error as UsageError).message).toContain('--volumes');
      }
    }),
    { numRuns: 500 },
  );
});

test('a number is within the ranges that are written around it, and no other', () => {
  const number = fc.integer({ min: 0, max: 5_000 });
  fc.assert(
    fc.property(number, number, number, (a, b, tested) => {
      const [from, to] = a <= b ? [a, b] : [b, a];
      const ranges = parseRanges(`${from}-${to}`, '--chapters');
      expect(isWithin(String(tested), ranges)).toBe(from <= tested && tested <= to);
      expect(isWithin(`${to}.5`, ranges)).toBe(false);
      expect(isWithin(`${to}.5`, parseRanges(`${from}-`, '--chapters'))).toBe(true);
    }),
    { numRuns: 200 },
  );
});
