/** Language codes are checked before anything is sent, and names are answered with their codes. */
import fc from 'fast-check';
import { UsageError } from '../../../src/core/errors.js';
import { parseLanguages } from '../../../src/config/language-codes.js';
import { codePoint } from '../../support/any-text.js';

test('codes are lower case, and all means every language', () => {
  expect(parseLanguages(['EN', 'pt-BR', ' zh-hk ', 'es_LA', 'zh_CN'], '--language')).toEqual([
    'en',
    'pt-br',
    'zh-hk',
    'es-la',
    'zh',
  ]);
  expect(parseLanguages(['all'], '--language')).toEqual([]);
  expect(parseLanguages([], '--language')).toEqual([]);
});

test('every code that MangaDex uses is accepted', () => {
  const codes =
    'en ja ja-ro ko ko-ro zh zh-hk zh-ro af sq ar az eu be bn bg my ca hr cs da nl eo et tl fi fr ka de el he hi hu ' +
    'id ga it jv kk la lt ms mn ne no fa pl pt pt-br ro ru sr sk sl es es-la sv ta te th tr uk ur uz vi';
  expect(parseLanguages(codes.split(' '), '--language')).toEqual(codes.split(' '));
});

test.each([
  ['english', 'en'],
  ['Deutsch', 'de'],
  ['Brazilian Portuguese', 'pt-br'],
  ['português', 'pt'],
  ['eng', 'en'],
  ['jp', 'ja'],
  ['Tagalog', 'tl'],
])('%s is refused with the suggestion %s', (name, code) => {
  expect(() => parseLanguages(['fr', name], '--language')).toThrow(
    expect.objectContaining({
      code: 'bad-option',
      message: expect.stringContaining(name.toLowerCase()),
      hint: `Did you mean ${code}?`,
    }),
  );
});

test.each([[['all', 'en']], [['en', 'ALL']], [['all', 'all']]])(
  'all stands alone: %j is refused',
  (codes) => {
    expect(() => parseLanguages(codes, '--language')).toThrow(
      expect.objectContaining({
        code: 'bad-option',
        message: expect.stringContaining('--language'),
        hint: 'Use all alone, or codes such as en,pt-br.',
      }),
    );
  },
);

test('any text gives codes or a UsageError', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: codePoint, maxLength: 12 }), { maxLength: 3 }),
      (texts) => {
        try {
          for (const code of parseLanguages(texts, '--language'))
            expect(code).toMatch(/^[a-z]{2,3}(-[a-z0-9]+)?$/);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      },
    ),
    { numRuns: 300 },
  );
});
