import fc from 'fast-check';
import { numberedTitle, plainTitle } from '../../../src/config/names.js';

test.each([
  [{ title: 'The Storm', volume: '1', number: '2' }, 'Vol.1 Ch.2 - The Storm'],
  [{ title: 'The Storm', number: '10.5' }, 'Ch.10.5 - The Storm'],
  [{ title: 'The Storm', volume: '1' }, 'Vol.1 - The Storm'],
  [{ volume: '1', number: '2' }, 'Vol.1 Ch.2'],
  [{ title: 'The Storm' }, 'The Storm'],
  [{ title: '', volume: '', number: '' }, undefined],
  [{}, undefined],
])('the title of %j with its numbers is %j', (parts, expected) => {
  expect(numberedTitle(parts)).toBe(expected);
});

test.each(['The Storm', 'Vol. 1', 'Ch 2 - The Storm', 'Chapter 2', 'Vol.1 The Storm', ''])(
  'the title %j stays as it is',
  (title) => {
    expect(plainTitle(title)).toBe(title);
  },
);

const number = fc.option(fc.stringMatching(/^\d{1,4}(\.\d)?$/), { nil: undefined });
const text = fc.string({ unit: 'grapheme', minLength: 1 });
const title = fc.option(
  text.filter((one) => !/^(Vol|Ch)\./.test(one)),
  { nil: undefined },
);

test('the plain title is found in every numbered one', () => {
  fc.assert(
    fc.property(title, number, number, (plain, volume, chapter) => {
      const numbered = numberedTitle({ title: plain, volume, number: chapter });
      expect(plainTitle(numbered)).toBe(plain);
    }),
  );
});
