/** The template of `--print`. */
import fc from 'fast-check';
import {
  CHAPTER_FIELD_NAMES,
  compilePrintTemplate,
  TITLE_FIELD_NAMES,
} from '../../../src/config/print-template.js';
import { hasCode } from '../../../src/core/errors.js';
import { fuzzRuns } from '../../support/long-run.js';

const VALUES = { file: '/a b/c\td.cbz', chapter: '7.5', title: 'Fog\tand\nlight', pages: 12 };
const format = (text: string) => compilePrintTemplate(text, CHAPTER_FIELD_NAMES).format(VALUES);

test.each([
  ['{file}', '/a b/c\td.cbz'],
  ['{chapter}\\t{title}\\n', '7.5\tFog and light\n'],
  ['{chapter:03}|{ Pages }|{pages:04}', '007.5|12|0012'],
  ['{volume:02|none} {chapter:03|none}', 'none 007.5'],
  ['[{group}] ({volume}) {title}', '[] () Fog and light'],
  ['{{{chapter}}} \\\\t \\x', '{7.5} \\t \\x'],
  ['no field', 'no field'],
  ['valueOf', 'valueOf'],
])('%j is %j', (text, expected) => {
  expect(format(text)).toBe(expected);
});

test.each([
  ['{chaptr}', 'Did you mean {chapter}? The fields are {series}, '],
  ['{fil}', 'Did you mean {file}? '],
  ['{}', 'The fields are {series}, '],
  ['{chapter:x}', 'Did you mean {chapter}? '],
  ['{chapter', 'Example: --print '],
  ['chapter}', 'Example: --print '],
])('%j is refused with a hint', (text, hint) => {
  expect(() => format(text)).toThrow(
    expect.objectContaining({ code: 'bad-option', hint: expect.stringContaining(hint) }),
  );
});

test('a search has the fields of titles only', () => {
  expect(() => compilePrintTemplate('{file}', TITLE_FIELD_NAMES)).toThrow('{file}');
});

test('any text is a template or refused, and its literal text is printed as it is', () => {
  fc.assert(
    fc.property(fc.string(), fc.stringMatching(/^[^{}\\]*$/), (text, literal) => {
      expect(format(literal)).toBe(literal);
      try {
        expect(typeof format(text)).toBe('string');
      } catch (error) {
        expect(hasCode(error, 'bad-option')).toBe(true);
      }
    }),
    { numRuns: fuzzRuns(500) },
  );
});
