/** The candidates that the scripts of the shells get. */
import { completionLines } from '../../../src/cli/completion-candidates.js';
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
