/** The text of help, and the suggestions for mistyped words. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOOK_SERVICES } from '../../../src/config/hook-services.js';
import { NAME_FIELDS } from '../../../src/config/name-template.js';
import { helpTexts } from '../../../src/cli/help-texts.js';
import { PREPARED_WIDTHS } from '../../../src/cli/prepared-help.js';
import { commandTree } from '../../../src/cli/program.js';
import {
  flagOf,
  kebabCase,
  optionDefinition,
  optionsOf,
  SERIES_OPTION_NAMES,
  SETTING_NAMES,
} from '../../../src/config/options.js';
import { EVENTS, listedFields } from '../../../src/events/events.js';
import type { EventTable } from '../../../src/events/fields.js';
import { parseSubscriptions } from '../../../src/sync/subscriptions/subscriptions-file.js';
import { DIST } from '../../support/build-folders.js';
import { start, tankobon } from '../../support/command.js';
import { tankobonHere } from '../../support/in-process.js';

const print = (...words: readonly string[]) => tankobonHere(words, { env: {} });
const tree = commandTree();
const COMMANDS = tree
  .createHelp()
  .visibleCommands(tree)
  .flatMap((command) => [
    [command.name()],
    ...command.commands.map((sub) => [command.name(), sub.name()]),
  ]);

const ID = 'a96676e5-8ae2-425e-b549-7f15dd34a6d8';

test('no argument, help and --help print the same: description, commands in groups, three examples', async () => {
  const [none, help, flag] = await Promise.all([tankobon([]), print('help'), print('--help')]);
  expect([none.code, help.code, flag.code]).toEqual([0, 0, 0]);
  expect(help.stdout).toBe(none.stdout);
  expect(flag.stdout).toBe(none.stdout);
  const lines = none.stdout.split('\n');
  expect(lines[2]).toBe('Download MangaDex chapters as CBZ files');
  const examples = lines.slice(lines.indexOf('Examples:') + 1);
  expect(examples.slice(0, 4).map((line) => line.trim().split(/ {2}/)[0])).toEqual([
    'tankobon demo',
    'tankobon search <words>',
    'tankobon <UUID or URL>',
    '',
  ]);
  for (const [name = ''] of COMMANDS) expect(none.stdout).toContain(`  ${name}`);
  for (const group of ['Chapters:', 'Account:', 'Status:', 'Configuration:'])
    expect(lines).toContain(group);
});

test('--version into a closed pipe ends without a stack trace', async () => {
  const { child, finished } = start(['--version']);
  child.stdout.destroy();
  expect(await finished).toMatchObject({ code: 0, stderr: '' });
});

test.each(COMMANDS.map((words) => [words.join(' '), words] as const))(
  'help %s describes every option and argument, and prints the same as --help',
  async (_name, words) => {
    const [help, flag] = await Promise.all([print('help', ...words), print(...words, '--help')]);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(flag.stdout).toBe(help.stdout);
    let command = tree.commands.find((one) => one.name() === words[0]);
    if (words[1] !== undefined) command = command?.commands.find((one) => one.name() === words[1]);
    for (const { flags, description, hidden } of command?.options ?? []) {
      if (hidden) continue;
      expect(description).not.toBe('');
      expect(help.stdout).toContain(flags);
    }
    for (const argument of command?.registeredArguments ?? []) {
      expect(argument.description).not.toBe('');
    }
  },
);

test.each(PREPARED_WIDTHS)('help of all commands is prepared at %i columns', (width) => {
  const prepared: unknown = JSON.parse(readFileSync(join(DIST, `help-${width}.json`), 'utf8'));
  expect(prepared).toEqual(helpTexts(width));
  const names = ['', ...COMMANDS.map((words) => words.join(' '))];
  expect(Object.keys(helpTexts(width))).toEqual(expect.arrayContaining(names));
});

test.each([[[]], [['-h']], [['download', '--help']], [['help', 'sync', 'add']]])(
  'prepared help is that of the command tree, with and without colors: %j',
  async (words) => {
    for (const [forced, when] of [
      ['0', 'never'],
      ['1', 'always'],
    ] as const) {
      const [prepared, made] = await Promise.all([
        tankobon(words, { env: { FORCE_COLOR: forced } }),
        tankobon(['--color', when, ...(words.length > 0 ? words : ['help'])]),
      ]);
      expect(prepared).toEqual(made);
      expect(prepared.stdout.includes('\u001B[')).toBe(when === 'always');
    }
  },
);

test.each([[['help', '']], [['', '--help']], [['config set', '--help']]])(
  'words that do not name a command get no prepared help: %j',
  async (words) => {
    const { code, stdout, stderr } = await tankobon(words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: Unknown command/);
  },
);

test('an option of download that overrides a setting states its range, choices and default; settings are named once', async () => {
  const { stdout } = await print('help', 'download');
  const text = stdout.replace(/\s+/g, ' ');
  for (const name of SETTING_NAMES) {
    const { default: defaultValue, range, choices } = optionDefinition(name);
    const flag = flagOf(name);
    if (flag === undefined || !optionsOf('download').includes(name)) continue;
    const notes = text.split(` ${flag} `)[1]?.split(/ --[a-z]/)[0];
    expect(notes).toBeDefined();
    if (range) expect(notes).toContain(`${range[0]} to ${range[1]}`);
    if (choices) for (const word of choices) expect(notes).toContain(word);
    if (typeof defaultValue !== 'boolean' && defaultValue !== '')
      expect(notes).toContain(`default: ${defaultValue}`);
  }
  expect(text.match(/help settings/g)).toHaveLength(1);
  expect(text).not.toContain('setting:');
});

test.each([
  ['sync add', 'setting output'],
  ['sync import', 'setting output'],
  ['doctor', 'subscriptions'],
])('help of %s does not call this folder the default where it is not', async (command, source) => {
  const { stdout } = await print('help', ...command.split(' '));
  const [option = ''] = /-o, --output <dir>[^]*?\n(?= {2}-)/.exec(stdout) ?? [];
  const words = option.replace(/\s+/g, ' ');
  expect(words).not.toMatch(/default: \.\)/);
  expect(words).toContain(source);
});

test('help of download leads with the eight options of every day, and that of sync with its commands', async () => {
  const { stdout } = await print('help', 'download');
  const [, used = ''] = stdout.split('Used most:\n');
  const first = used.split('\n\n')[0]?.match(/--[a-z-]+(?= <| {2})/g);
  expect(first).toEqual([
    '--language',
    '--chapters',
    '--group',
    '--latest',
    '--output',
    '--quality',
    '--from-file',
    '--dry-run',
  ]);
  const readers = stdout.split('Komga, Kavita, Mihon:\n')[1]?.split('\n\n')[0];
  for (const flag of ['--series-metadata', '--cover-name', '--title-field', '--localized-series'])
    expect(readers).toContain(flag);
  expect(stdout.split('\n').length).toBeLessThan(100);
  expect(stdout).toContain('\nOptions:\n  -h, --help ');
  const sync = (await print('help', 'sync')).stdout
    .split('\n')
    .filter((line) => /^\S.*:$/.test(line));
  expect(sync[0]).toBe('Commands:');
});

test('only limits explains the ledger, whose variables are in help environment', async () => {
  const helps = await Promise.all(COMMANDS.map((words) => print('help', ...words)));
  const explained = COMMANDS.filter((_, at) => helps[at]?.stdout.includes('TANKOBON_LEDGER'));
  expect(explained).toEqual([['limits']]);
});

test.each([
  ['-l', 'language'],
  ['-n', 'dryRun'],
  ['-v', 'verbose'],
  ['-q', 'quality'],
] as const)('%s means %s wherever a command has it', (short, name) => {
  expect(optionDefinition(name).short).toBe(short.slice(1));
  const all = tree.commands.flatMap((command) => [command, ...command.commands]);
  const longs = all.flatMap(({ options }) => options.filter((each) => each.short === short));
  expect(new Set(longs.map(({ long }) => long))).toEqual(new Set([flagOf(name)]));
});

test.each([[['download', ID, '-q']], [['download', '-q', ID]]])(
  '%j names --quiet, since -q is --quality',
  async (words) => {
    const { code, stderr } = await print(...words);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/\nhint: For less output, use --quiet\. /),
    ]);
  },
);

test('help environment lists the variables, and help exit-codes every code', async () => {
  const { stdout } = await print('help', 'environment');
  for (const name of ['TANKOBON_API_URL', 'TANKOBON_HOME', 'HTTPS_PROXY', 'NO_PROXY', 'NO_COLOR'])
    expect(stdout).toContain(`  ${name}`);
  const codes = await print('help', 'exit-codes');
  expect(codes.stdout.match(/^ {2}\d+/gm)?.map(Number)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 130]);
});

test('help names, subscriptions, events and settings have every field, key, event and setting', async () => {
  const topic = async (name: string) => (await print('help', name)).stdout;
  const [names, subscriptions, events, settings] = await Promise.all(
    ['names', 'subscriptions', 'events', 'settings'].map(topic),
  );
  for (const field of NAME_FIELDS) expect(names).toContain(`  {${field}} `);
  const keys = SERIES_OPTION_NAMES.filter((name) => name !== 'format').map(kebabCase);
  for (const key of ['target', ...keys, 'defaults', 'follows', 'hooks'])
    expect(subscriptions).toMatch(new RegExp(`^  ${key} `, 'm'));
  for (const hook of ['exec', 'webhook', ...HOOK_SERVICES])
    expect(subscriptions).toMatch(new RegExp(`^  ${hook} `, 'm'));
  for (const event of Object.values<EventTable>(EVENTS).flatMap((table) => Object.keys(table)))
    expect(events).toMatch(new RegExp(`^  ${event} `, 'm'));
  expect(events?.split('\n').length).toBeLessThan(120);
  for (const name of SETTING_NAMES) expect(settings).toMatch(new RegExp(`^  ${name} `, 'm'));
  for (const text of [names, subscriptions, events, settings]) expect(text).not.toMatch(/`|\.md/);
});

test('the example of help subscriptions is a valid file', async () => {
  const { stdout } = await print('help', 'subscriptions');
  const text = (stdout.split('Example:\n')[1] ?? '').replace('UUID', ID);
  const source = { file: 'f', text, extraHosts: [] };
  expect(parseSubscriptions(source).series).toHaveLength(1);
});

test('help events NAME has each field with its type, each word and an example, within 80 columns', async () => {
  for (const table of Object.values<EventTable>(EVENTS))
    for (const [type, { fields, example }] of Object.entries(table)) {
      const { code, stdout } = await print('help', 'events', type);
      expect(code).toBe(0);
      for (const { name, field } of listedFields(fields)) {
        expect(stdout).toContain(`\n  ${name} `);
        for (const word of Object.keys(field.words ?? {})) expect(stdout).toContain(`\n  ${word} `);
      }
      expect(stdout).toContain(`\n  ${JSON.stringify({ type, ...example })}\n`);
      const long = stdout.split('\n').filter((line) => line.length > 80 && !line.includes('{'));
      expect(long).toEqual([]);
    }
});

test('no message of the program points to a page that the package does not contain', () => {
  const folder = join(DIST, 'program');
  const pages = readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').match(/docs\/[\w-]+\.\w+/g) ?? []);
  expect(pages).toEqual([]);
});

test.each([
  [['downlaod'], 'download', 'tankobon help'],
  [['download', '--forse'], '--force', 'tankobon help download'],
  [['a96676e5-8ae2-425e-b549-7f15dd34a6d8', '--forse'], '--force', 'tankobon help download'],
  [['config', 'lst'], 'list', 'tankobon help config'],
  [['status'], "Unknown command 'status'", 'hint: Run: tankobon sync status\n'],
  [['list'], "Unknown command 'list'", 'hint: Run: tankobon sync list, or: tankobon config list\n'],
  [['version'], "Unknown command 'version'", 'hint: Run: tankobon --version\n'],
  [['sync', '--quiet', 'ad', 'TITLE'], 'Did you mean add?', 'tankobon help sync'],
  [['config', 'list', '--jsno'], '--json', 'tankobon help config list'],
  [['help', 'serch'], 'tankobon help search', 'search'],
  [['help', 'config', 'sett'], 'Unknown command: config sett', 'tankobon help config set\n'],
  [['help', 'sync', 'lst'], 'Unknown command: sync lst', 'tankobon help sync list\n'],
  [['help', 'sync', 'environment'], 'Unknown command: sync environment', 'tankobon help sync\n'],
  [['help', 'exitcodes'], 'tankobon help exit-codes', 'exit-codes'],
  [['help', 'events', 'saved'], 'Unknown event: saved', 'tankobon help events\n'],
  [['completion', 'tcsh'], 'bash, zsh, fish', 'tankobon help completion'],
  [
    ['--json', 'download', ID],
    "Unknown option '--json' before download.",
    'Put it after the command: tankobon download --json\n',
  ],
  [
    ['-o', 'out', 'download', ID],
    "Unknown option '-o' before download.",
    'Put it after the command: tankobon download -o\n',
  ],
  [
    ['sync', '--upgrade', 'add', ID],
    "Unknown option '--upgrade' before sync add.",
    'tankobon sync add --upgrade\n',
  ],
  ...['--update=true', '--update=s3cret', '-n=1'].map((word): [string[], string, string] => {
    const [option = ''] = word.split('=');
    return [
      ['download', word, ID],
      `Option '${option}' takes no value.`,
      `Run: tankobon download ${option}\n`,
    ];
  }),
  [
    ['download', '--metadata=false', ID],
    "Option '--metadata' takes no value.",
    'Run: tankobon download --no-metadata\n',
  ],
  [['download', '--force=no', ID], "Option '--force' takes no value.", 'Leave it out.'],
  [['info', ID, '--json=1'], "Option '--json' takes no value.", 'tankobon info --json\n'],
  [['--json=1', 'info', ID], "Option '--json' takes no value.", 'tankobon info --json\n'],
  [['sync', 'add', ID, '--upgrade=1'], "'--upgrade' takes no value.", 'sync add --upgrade\n'],
  [['--version=1'], "Option '--version' takes no value.", 'Run: tankobon --version\n'],
  [['--quite', 'download', ID], "Unknown option '--quite'.", 'tankobon help download\n'],
  [[ID.slice(1)], `Not a chapter, title or list: "${ID.slice(1)}"`, 'Use a UUID'],
  [['download', 'the lighthouse'], 'Not a chapter', 'tankobon search the lighthouse\n'],
  [[` ${ID.slice(1)} `], `Not a chapter, title or list: "${ID.slice(1)}"`, 'Use a UUID'],
  [[` ${ID} `, '--forse'], "Unknown option '--forse'", 'tankobon help download'],
  [['login', 'me'], 'Too many arguments', 'tankobon help login'],
  [['search'], "Missing required argument 'words'", 'tankobon help search'],
  [['download', '--latest', '0'], 'whole number from 1', 'tankobon help download'],
])('%j is exit 2, suggests the right word, and says what to run', async (words, right, next) => {
  const { code, stdout, stderr } = await print(...words);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(right);
  expect(stderr).toContain(next);
  expect(stderr).toMatch(/^error: .+\nhint: .+\n$/);
});
