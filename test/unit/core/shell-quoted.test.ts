/** Words in commands that people copy: the command names exactly what was meant, also where a terminal shows no difference. */
import { shellQuoted, shellUnquoted } from '../../../src/core/shell-quoted.js';

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

test.each([
  ["'/path with space/x'", '/path with space/x', '/path with space/x'],
  ['"C:\\my comics"', 'C:\\my comics', 'C:\\my comics'],
  ['"/a \\"b\\""', '/a "b"', '/a \\"b\\"'],
  ["'/it'\\''s'", "/it's", "/it's"],
  ['/path\\ with\\ space ', '/path with space', '/path\\ with\\ space'],
  ['C:\\comics', 'C:comics', 'C:\\comics'],
  ["/it's/that's", "/it's/that's", "/it's/that's"],
  ['~/Comics', '~/Comics', '~/Comics'],
])('the path %s, as a terminal inserts it, is %s, and on Windows %s', (text, posix, windows) => {
  expect(shellUnquoted(text, 'linux')).toBe(posix);
  expect(shellUnquoted(text, 'win32')).toBe(windows);
});
