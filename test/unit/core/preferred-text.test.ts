import { preferredText } from '../../../src/core/preferred-text.js';

test('the first of the preferred languages that has a text, otherwise any', () => {
  expect(preferredText({ ja: '題', en: ' A title ' }, ['en', 'ja'])).toBe('A title');
  expect(preferredText({ ja: '題', en: ' ' }, ['en'])).toBe('題');
  expect(preferredText({}, ['en'])).toBeUndefined();
});

test.each(['toString', 'constructor', '__proto__'])(
  'a language called %s is not a text',
  (code) => {
    expect(preferredText({ en: 'A title' }, [code])).toBe('A title');
  },
);
