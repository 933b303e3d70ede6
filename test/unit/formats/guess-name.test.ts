import fc from 'fast-check';
import { guessName } from '../../../src/formats/guess-name.js';

test.each([
  ['Lighthouse Vol.02 Ch.010.5 - Storm [Group]', 'Lighthouse', '2', '10.5'],
  ['Lighthouse v02 c010', 'Lighthouse', '2', '10'],
  ['Lighthouse - Chapter 7', 'Lighthouse', undefined, '7'],
  ['[Group] Lighthouse Volume 3', 'Lighthouse', '3', undefined],
  ['Lighthouse 012', 'Lighthouse', undefined, '12'],
  ['Lighthouse 012 [Group]', 'Lighthouse', undefined, '12'],
  ['Light_house_ch_3', 'Light house', undefined, '3'],
  ['Vol.01 Ch.004', undefined, '1', '4'],
  ['Lighthouse', undefined, undefined, undefined],
])('%s', (name, series, volume, number) => {
  expect(guessName(name)).toEqual((series ?? volume ?? number) ? { series, volume, number } : {});
});

test('accepts any name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      const { volume = '0', number = '0' } = guessName(name);
      expect([volume, number].every((text) => /^\d+(\.\d+)?[a-z]?$/i.test(text))).toBe(true);
    }),
  );
});
