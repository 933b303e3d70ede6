/** No text that was made printable holds what a terminal obeys or what reads otherwise than it is written. */
import fc from 'fast-check';
import { printable, printableJson, printableLine } from '../../../src/core/printable.js';
import { codePoint } from '../../support/any-text.js';

const SPECIAL = /(?![\t\n])\p{Cc}|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/u;
const texts = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\u001b', '\u009b', '\r', '\n', '\t', '\u202e', '\u2066', '\u2028', 'a', '[2J'),
    fc.string({ unit: codePoint, minLength: 1, maxLength: 3 }),
  ),
});

describe('printable', () => {
  test('removes control characters and marks of direction, and keeps the rest', () => {
    expect(printable('a\u001b[31mb\u009b2Jc\u0007\rd\u202ee\u2066f\u007fg')).toBe('a[31mb2Jcdefg');
    expect(printable('two\nlines\tand a tab')).toBe('two\nlines\tand a tab');
    expect(printable('漫画 é 👩‍🚀 می‌خواهم')).toBe('漫画 é 👩‍🚀 می‌خواهم');
  });

  test('removes all of them from any text, and is idempotent', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const safe = printable(text);
        expect(safe).not.toMatch(SPECIAL);
        expect(printable(safe)).toBe(safe);
      }),
    );
  });
});

test('a line has no line feed and at most the maximum length', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 30 }), (text, maxLength) => {
      const line = printableLine(text, maxLength);
      expect(line).not.toMatch(SPECIAL);
      expect(line).not.toMatch(/[\n\t]/);
      expect(line.length).toBeLessThanOrEqual(maxLength);
    }),
  );
  expect(printableLine('cut 👩 here', 6)).toBe('cut …');
  expect(printableLine('one\r\ntwo\u001b[2K  three ')).toBe('one two [2K three');
});

test('printable JSON has the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), texts, (value, text) => {
      const json = JSON.stringify([value, text]);
      const safe = printableJson(json);
      expect(safe).not.toMatch(SPECIAL);
      expect(JSON.parse(safe)).toEqual(JSON.parse(json));
    }),
  );
});
