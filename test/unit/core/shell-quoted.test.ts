/** Words in commands that people copy: the command names exactly what was meant, also where a terminal shows no difference. */
import { shellQuoted } from '../../../src/core/shell-quoted.js';

test.each([
  ['a/b-c_1.cbz', 'a/b-c_1.cbz'],
  ['a b', "'a b'"],
  ["it's", "'it'\\''s'"],
  ['第1話', "'第1話'"],
  // A zero-width space, a direction mark, a no-break space, a line feed and a variation selector.
  ['a\u200bb', "$'a\\342\\200\\213b'"],
  ['a\u202eb', "$'a\\342\\200\\256b'"],
  ["it's\u00a0\\", "$'it\\'s\\302\\240\\\\'"],
  ['a\nb', "$'a\\012b'"],
  ['a\ufe0fb', "$'a\\357\\270\\217b'"],
  // The same letter in one character and in two.
  ['\u00e9', "'\u00e9'"],
  ['e\u0301', "$'e\\314\\201'"],
])('%j is quoted as %s', (word, quoted) => {
  expect(shellQuoted(word)).toBe(quoted);
});
