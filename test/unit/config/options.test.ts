/** The table of options is complete, and everything that is derived from it agrees with it. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { commandPath } from '../../../src/cli/command-options.js';
import { commandTree } from '../../../src/cli/program.js';
import {
  optionText,
  parseOptionText,
  parseOptionValue,
} from '../../../src/config/option-values.js';
import type { CommandName } from '../../../src/config/option-definition.js';
import {
  flagOf,
  kebabCase,
  optionDefinition,
  OPTION_NAMES,
  optionsOf,
  SERIES_OPTION_NAMES,
  SETTING_NAMES,
  variableOf,
} from '../../../src/config/options.js';

function allCommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

test('every visible option of every command is in the table, and no other', () => {
  for (const command of allCommands(commandTree()).slice(1)) {
    const shown = command
      .createHelp()
      .visibleOptions(command)
      .flatMap(({ long }) => (long === '--help' ? [] : [long]));
    const expected = optionsOf(commandPath(command) as CommandName).map((name) => flagOf(name));
    expect({ command: commandPath(command), flags: shown.toSorted() }).toEqual({
      command: commandPath(command),
      flags: expected.toSorted(),
    });
  }
});

test('every setting has a variable of its name, and every option that is one starts with its own', () => {
  const variables = SETTING_NAMES.map(variableOf);
  expect(new Set(variables).size).toBe(SETTING_NAMES.length);
  for (const name of ['output', 'language', 'name', 'quality', 'maxOutage', 'bind'] as const)
    expect(SETTING_NAMES).toContain(name);
  expect(variables).toContain('TANKOBON_MAX_OUTAGE');
});

test.each(OPTION_NAMES)('the default and the example of %s are valid values', (name) => {
  const { default: byDefault, example } = optionDefinition(name);
  for (const text of [byDefault, example])
    if (text !== undefined)
      expect(() => parseOptionText(name, String(text), `--${name}`)).not.toThrow();
});

const ID = 'a96676e5-8ae2-425e-b549-7f15dd34a6d8';

test.each([
  ['maxOutage', '90s', '90s'],
  ['maxOutage', '120s', '2m'],
  ['maxOutage', '0', '0'],
  ['waitForGroup', '48h', '2d'],
  ['limitRate', '1.5M', '1500k'],
  ['limitRate', '', ''],
  ['chapters', '1-10,none', '1-10,none'],
  ['language', 'all', 'all'],
  ['language', 'EN, pt-br', 'en,pt-br'],
  ['group', 'A,"B, C"', 'A,"B, C"'],
  ['group', `https://mangadex.org/group/${ID.toUpperCase()}/slug?tab=art, A`, `${ID},A`],
  ['excludeGroup', `mangadex.org/group/${ID}`, ID],
  ['excludeGroup', `group:${ID}`, ID],
  ['excludeGroup', `group:${ID}0,Group/1`, `group:${ID}0,Group/1`],
  ['cover', 'all', 'all'],
  ['bind', 'false', 'false'],
] as const)(
  '%s: "%s" is written as "%s", which parses to the same value',
  (name, typed, written) => {
    const value = parseOptionText(name, typed, name);
    expect(optionText(name, value)).toBe(written);
    expect(parseOptionText(name, written, name)).toEqual(value);
  },
);

test.each([
  ['concurrency', '3', 'must be a whole number from 1 to 16'],
  ['metadata', 'true', 'must be true or false'],
  ['output', 5, 'must be a string'],
  ['bind', true, 'must be one of: volume, title'],
  ['cover', 'some', 'must be true, false or all'],
  ['group', 'A', 'must be a list'],
  ['group', ['A', 5], 'must be a string'],
  ['share', 'a/b', 'must be at most 64 letters'],
] as const)('the value of %s must be of its type: %j is not', (name, value, message) => {
  expect(() => parseOptionValue(name, value, name)).toThrow(message);
});

test('docs/sync.md has every key of a title, and docs/library.md every option', () => {
  const sync = readFileSync('docs/sync.md', 'utf8');
  for (const name of SERIES_OPTION_NAMES)
    if (name !== 'format') expect(sync).toContain(`| \`${kebabCase(name)}\``);
  const library = readFileSync('docs/library.md', 'utf8');
  for (const name of OPTION_NAMES)
    if (optionDefinition(name).library !== undefined) expect(library).toContain(`\`${name}\``);
});
