/** How candidates are quoted for bash and PowerShell: a name that others chose is one word, wherever it is inserted. */
import fc from 'fast-check';
import {
  bashInsertion,
  powerShellWord,
  readBashWord,
  type TypedWord,
} from '../../../src/cli/completion-quoting.js';
import { quotedCompletionLines } from '../../../src/cli/completion-candidates.js';
import { commandTree } from '../../../src/cli/program.js';

const SPECIAL = `"'\`$\\!();&|<>*?[]{}~# =‘’‚‛“”„`;
const names = fc.string({
  unit: fc.oneof(fc.constantFrom(...SPECIAL.split('')), fc.constantFrom('a', 'B', '1', 'é', '日')),
  minLength: 1,
  maxLength: 20,
});

test.each<TypedWord & { readonly typed: string }>([
  { typed: 'Fo', value: 'Fo', kept: '', quote: '' },
  { typed: 'Fo\\ b', value: 'Fo b', kept: '', quote: '' },
  { typed: '"Fo b', value: 'Fo b', kept: '', quote: '"' },
  { typed: '"a\\"b\\c\\$', value: 'a"b\\c$', kept: '', quote: '"' },
  { typed: "'It'\\''s", value: "It's", kept: "It'", quote: "'" },
  { typed: '"Fo"o', value: 'Foo', kept: '', quote: '' },
  { typed: "Fo'o", value: 'Foo', kept: 'Fo', quote: "'" },
])('$typed is read as bash does', ({ typed, ...word }) => {
  expect(readBashWord(typed)).toEqual(word);
});

test('a word with an opened $\' or $" is not completed', () => {
  expect(["$'Fo", '$"Fo'].map(readBashWord)).toEqual([undefined, undefined]);
  expect(readBashWord("\\$'Fo")).toMatchObject({ value: '$Fo' });
});

test('what is inserted for bash is read back as the name, outside and inside of quotes', () => {
  fc.assert(
    fc.property(names, fc.constantFrom('', '"', "'"), fc.nat(20), (name, quote, at) => {
      const start = name.slice(0, at).replace(/[^\w]/g, '');
      const word = start + name;
      const typed = readBashWord(start + quote);
      const line = `${start}${quote}${(typed && bashInsertion(word, typed)) ?? ''}${quote}`;
      // Without a quotation mark, all of the word is replaced.
      const inserted = quote === '' ? line.slice(start.length) : line;
      expect(readBashWord(inserted)).toMatchObject({ value: word, quote: '' });
    }),
  );
});

/** about_Quoting_Rules: in single quotes nothing is expanded, and two of the marks stand for one. */
function readPowerShellWord(text: string): string | undefined {
  if (/^[A-Za-z-][\w.-]*$/.test(text)) return text;
  const [, content] = /^'((?:[^'‘’‚‛]|['‘’‚‛]{2})*)'$/u.exec(text) ?? [];
  return content?.replace(/(['‘’‚‛])\1/gu, '$1');
}

test('what is inserted for PowerShell is one word that nothing is expanded in', () => {
  fc.assert(
    fc.property(names, (name) => {
      expect(readPowerShellWord(powerShellWord(name))).toBe(name);
    }),
  );
});

const HOSTILE = 'Foo ’; rm x; ’ $(rm x)';
test.each([
  ['bash', 'Fo', 'Foo\\ ’\\;\\ rm\\ x\\;\\ ’\\ \\$\\(rm\\ x\\)'],
  ['bash', '"Fo', 'Foo ’; rm x; ’ \\$(rm x)'],
  ['powershell', 'Fo', "'Foo ’’; rm x; ’’ $(rm x)'"],
  ['powershell', '"Fo', "'Foo ’’; rm x; ’’ $(rm x)'"],
] as const)('%s gets the name after %s in quotes', (shell, typed, inserted) => {
  const subscriptions = [{ word: HOSTILE, description: 'id' }];
  const words = ['sync', 'remove', typed];
  expect(quotedCompletionLines(shell, commandTree(), words, subscriptions)).toEqual([
    `${inserted}\tid`,
  ]);
});

test('paths are left to the shell', () => {
  const words = ['download', '--output', '"x'];
  expect(quotedCompletionLines('bash', commandTree(), words, [])).toEqual([':folders']);
});
