/** What help says, and how a mistyped word leads to the right one. */
import { expect, test } from '@jest/globals';
import { commandTree } from '../../../src/cli/program.js';
import { settingDefinition, SETTING_KEYS } from '../../../src/app/setting-definitions.js';
import { tankobon } from '../../support/command.js';

const tree = commandTree({
  run: () => Promise.reject(new Error('nothing is run here')),
  bare: () => {
    throw new Error('nothing is run here');
  },
  done: () => undefined,
});
const COMMANDS = tree
  .createHelp()
  .visibleCommands(tree)
  .flatMap((command) => [
    [command.name()],
    ...command.commands.map((sub) => [command.name(), sub.name()]),
  ]);

test('no word at all, help and --help say the same: what it is, three examples, the commands in groups', async () => {
  const [none, help, flag] = await Promise.all([
    tankobon([]),
    tankobon(['help']),
    tankobon(['--help']),
  ]);
  expect([none.code, help.code, flag.code]).toEqual([0, 0, 0]);
  expect(help.stdout).toBe(none.stdout);
  expect(flag.stdout).toBe(none.stdout);
  const lines = none.stdout.split('\n');
  expect(lines[0]).toBe('Turns chapters of a manga-reading service into CBZ files.');
  const examples = lines.slice(lines.indexOf('Examples:') + 1);
  expect(examples.slice(0, 4).map((line) => line.trim().split(/ {2}/)[0])).toEqual([
    'tankobon demo',
    'tankobon search <words>',
    'tankobon download <UUID or address>',
    '',
  ]);
  for (const [name = ''] of COMMANDS) expect(none.stdout).toContain(`  ${name}`);
});

test.each(COMMANDS.map((words) => [words.join(' '), words] as const))(
  'help %s tells every flag and argument with its meaning, and is what --help says',
  async (_name, words) => {
    const [help, flag] = await Promise.all([
      tankobon(['help', ...words]),
      tankobon([...words, '--help']),
    ]);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(flag.stdout).toBe(help.stdout);
    let command = tree.commands.find((one) => one.name() === words[0]);
    if (words[1] !== undefined) command = command?.commands.find((one) => one.name() === words[1]);
    for (const { flags, description } of command?.options ?? []) {
      expect(description).not.toBe('');
      expect(help.stdout).toContain(flags);
    }
    for (const argument of command?.registeredArguments ?? []) {
      expect(argument.description).not.toBe('');
    }
  },
);

test('a flag that overrides a setting tells its range, its words, its default and its name', async () => {
  const { stdout } = await tankobon(['help', 'download']);
  const text = stdout.replace(/\s+/g, ' ');
  for (const key of SETTING_KEYS) {
    const { flag, default: usual, range, words } = settingDefinition(key);
    if (flag === undefined) continue;
    const told = new RegExp(`${flag} [^(]*(\\([^()]*setting: ${key}\\))`).exec(text)?.[1];
    expect(told).toBeDefined();
    if (range) expect(told).toContain(`${range[0]} to ${range[1]}`);
    if (words) for (const word of words) expect(told).toContain(word);
    if (typeof usual !== 'boolean' && usual !== '') expect(told).toContain(`default: ${usual}`);
  }
});

test('help environment names every variable that can be set, and help exit-codes every code', async () => {
  const { stdout } = await tankobon(['help', 'environment']);
  for (const name of ['TANKOBON_API_URL', 'TANKOBON_HOME', 'HTTPS_PROXY', 'NO_PROXY', 'NO_COLOR'])
    expect(stdout).toContain(`  ${name}`);
  const codes = await tankobon(['help', 'exit-codes']);
  expect(codes.stdout.match(/^ {2}\d+/gm)?.map(Number)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 130]);
});

test.each([
  [['downlaod'], 'download', 'tankobon help'],
  [['download', '--forse'], '--force', 'tankobon help download'],
  [['config', 'lst'], 'list', 'tankobon help config'],
  [['config', 'list', '--jsno'], '--json', 'tankobon help config list'],
  [['help', 'serch'], 'tankobon help search', 'search'],
  [['help', 'exitcodes'], 'tankobon help exit-codes', 'exit-codes'],
  [['completion', 'tcsh'], 'bash, zsh, fish', 'tankobon help completion'],
  [['login', 'me'], 'Too many arguments', 'tankobon help login'],
  [['search'], "Missing required argument 'words'", 'tankobon help search'],
  [['download', '--latest', '0'], 'whole number from 1', 'tankobon help download'],
])('%j is exit 2, names the right word, and what to type', async (words, right, next) => {
  const { code, stdout, stderr } = await tankobon(words);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(right);
  expect(stderr).toContain(next);
  expect(stderr.trimEnd().split('\n')).toHaveLength(2);
});
