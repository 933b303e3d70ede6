/** The man page, man/tankobon.1, from the command tree, the tables of variables and exit codes, and package.json. */
import type { Command } from 'commander';
import { commandPath } from '../src/cli/command-options.js';
import { commandTree } from '../src/cli/program.js';
import { ENVIRONMENT } from '../src/config/environment.js';
import { describeValue, SETTING_NAMES, variableOf } from '../src/config/options.js';
import { EXIT_MEANINGS } from '../src/core/exit-codes.js';
import { VERSION } from '../src/core/version.js';

export function manPage(): string {
  const program = commandTree();
  const commands = visibleCommands(program);
  const variables = [
    ...Object.entries(ENVIRONMENT).map(([name, { description }]) => [name, description] as const),
    ...SETTING_NAMES.map((name) => [variableOf(name), describeValue(name)] as const),
  ];
  const lines = [
    `.TH TANKOBON 1 "" "tankobon ${VERSION}" "User Commands"`,
    // A page of commands is not justified: options and addresses would be stretched.
    '.ad l',
    '.nh',
    '.SH NAME',
    `tankobon \\- ${escape('download MangaDex chapters as CBZ files')}`,
    '.SH SYNOPSIS',
    ...program.commands.filter((one) => commands.includes(one)).flatMap(synopsis),
    '.SH DESCRIPTION',
    escape(program.description()),
    '.SH COMMANDS',
    ...commands.flatMap(commandSection),
    '.SH EXIT STATUS',
    ...definitions(Object.entries(EXIT_MEANINGS)),
    '.SH ENVIRONMENT',
    ...definitions(variables),
    '.SH SEE ALSO',
    escape(
      'tankobon help, and the pages that it lists: tankobon help settings, tankobon help names',
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function visibleCommands(command: Command): readonly Command[] {
  const visible = command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => command.commands.includes(one));
  return visible.flatMap((one) => [one, ...visibleCommands(one)]);
}

const synopsis = (command: Command) => [
  '.br',
  `.B tankobon ${escape(commandPath(command))}`,
  escape(command.usage()),
];

function commandSection(command: Command): readonly string[] {
  const help = command.createHelp();
  const options = help
    .visibleOptions(command)
    .map((option) => [help.optionTerm(option), help.optionDescription(option)] as const);
  return [
    `.SS ${escape(`tankobon ${commandPath(command)} ${command.usage()}`)}`,
    escape(help.commandDescription(command)),
    ...definitions(options),
  ];
}

const definitions = (entries: readonly (readonly [string, string])[]) =>
  entries.flatMap(([term, text]) => ['.TP', `.B ${escape(term)}`, escape(text)]);

/** Text, in which roff must find neither an escape nor, at the start of a line, a request. */
function escape(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/\s*\n\s*/g, '\n.br\n')
    .replace(/^(?=['.](?!br$))/gm, '\\&')
    .replaceAll('"', '\\(dq')
    .replace(
      /[^\x20-\x7e\n]/gu,
      (sign) => `\\[u${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0') ?? ''}]`,
    );
}
