/** The candidates that the scripts of the shells get. */
import { completionLines, typedFile } from '../../../src/cli/completion-candidates.js';
import { commandTree } from '../../../src/cli/program.js';

const tree = commandTree();

const complete = (...words: string[]) =>
  completionLines(tree, words).map((line) => line.split('\t')[0]);

test.each([
  [['down'], ['download']],
  [['__'], []],
  [
    ['download', '--q'],
    ['--quality', '--quiet'],
  ],
  [
    ['download', '--quality', ''],
    ['data', 'data-saver'],
  ],
  [['download', '-q', 'data-'], ['data-saver']],
  // Only bash splits at the sign.
  [['download', '--quality', '=', 'data-'], ['data-saver']],
  [
    ['download', '--quality', '='],
    ['data', 'data-saver'],
  ],
  [['download', '--quality=data-'], ['data-saver']],
  // An option is offered once, unless it can be repeated.
  [['download', '--quiet', '--qui'], []],
  [['download', '--from-file', 'a', '--from'], ['--from-file']],
  [
    ['bind', '--for', 'kobo-libra'],
    ['kobo-libra', 'kobo-libra-h2o', 'kobo-libra-colour'],
  ],
  [['download', '--output', 'x'], [':folders']],
  [['download', '--from-file', ''], [':files']],
  [
    ['config', 'set', 'metadata', ''],
    ['true', 'false'],
  ],
  [['config', 'set', 'output', ''], [':folders']],
  [['config', 'set', 'unknown', ''], []],
  [['help', 'download', 'exit'], ['exit-codes']],
  [
    ['no-such-command', '--'],
    ['--version', '--color', '--help'],
  ],
  // PowerShell passes no empty argument.
  [
    ['completion', '""'],
    ['bash', 'zsh', 'fish', 'powershell'],
  ],
])('%j is completed with %j', (words, offered) => {
  expect(complete(...words)).toEqual(offered);
});

test.each([
  [['sync', 'remove', ''], undefined],
  [['sync', '--file', 'a.yaml', 'remove', ''], 'a.yaml'],
  [['sync', 'remove', '--file=a b.yaml', ''], 'a b.yaml'],
  // bash splits at the sign, and passes words as they are typed.
  [['sync', 'remove', '--file', '=', 'a\\ b.yaml', 'The'], 'a b.yaml'],
  [['sync', 'remove', '--file', '"a b.yaml"', ''], 'a b.yaml'],
  // It is being typed.
  [['sync', 'remove', '--file', 'a'], undefined],
])('the subscriptions file in %j is %j', (words, file) => {
  expect(typedFile(words)).toBe(file);
});
