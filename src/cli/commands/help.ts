/** `tankobon help`: help for the program, for a command, or for a topic that concerns all commands. */
import { Argument, type Command } from 'commander';
import { ENVIRONMENT } from '../../config/environment.js';
import {
  describeValue,
  flagOf,
  hasOpposite,
  optionDefinition,
  SETTING_NAMES,
  variableOf,
  type SettingName,
} from '../../config/options/options.js';
import { UsageError } from '../../core/errors.js';
import { EXIT, EXIT_MEANINGS } from '../../core/exit-codes.js';
import type { CommandRunner } from '../command-context.js';
import { formatItems, type HelpItems } from '../help-format.js';
import { nearest } from '../../core/nearest.js';
import { collect, oppositeFlag } from '../command-options.js';

/** What concerns all commands, by the name of the topic. */
const TOPICS: Readonly<Record<string, () => HelpItems>> = {
  environment: () =>
    Object.entries(ENVIRONMENT).map(([name, { description, default: defaultValue }]) => [
      name,
      defaultValue === undefined ? description : `${description} (default: ${defaultValue})`,
    ]),
  'exit-codes': () => Object.entries(EXIT_MEANINGS),
  settings: () => SETTING_NAMES.map((name) => [name, describeSetting(name)]),
};

export function helpCommand(program: Command, { runBare }: CommandRunner): Command {
  const commands = program.createHelp().visibleCommands(program);
  const topics = Object.keys(TOPICS);
  const names = [...commands.map((command) => command.name()), 'help', ...topics];
  return program
    .command('help')
    .description(`display help for a command or a topic: ${topics.join(', ')}`)
    .addArgument(new Argument('[command...]', 'command or topic').choices(names).argParser(collect))
    .action((words: readonly string[] = []) =>
      runBare(({ stdout }) => {
        const topic = TOPICS[words.join(' ')];
        if (topic) {
          stdout.write(`${formatItems(program, topic()).join('\n')}\n`);
        } else {
          const find = (command: Command, word: string, index: number) =>
            findSubcommand(command, word, words.slice(0, index));
          words.reduce(find, program).outputHelp();
        }
        return EXIT.done;
      }),
    );
}

/** Such as `images as uploaded, or compressed: data or data-saver (default: data; --quality; TANKOBON_QUALITY)`. */
function describeSetting(name: SettingName): string {
  const { default: byDefault } = optionDefinition(name);
  const flag = flagOf(name);
  const notes = [
    ...(byDefault === '' ? [] : [`default: ${byDefault}`]),
    ...(flag === undefined ? [] : [hasOpposite(name) ? `${flag}, ${oppositeFlag(flag)}` : flag]),
    variableOf(name),
  ];
  return `${describeValue(name)} (${notes.join('; ')})`;
}

/** @param path the words that lead to `command`; empty for the program */
function findSubcommand(command: Command, word: string, path: readonly string[]): Command {
  const found = command.commands.find((sub) => sub.name() === word);
  if (found) return found;
  const names = command.commands.map((sub) => sub.name());
  const topics = path.length === 0 ? Object.keys(TOPICS) : [];
  const suggestion = nearest(word, [...names, ...topics]) ?? '';
  throw new UsageError('bad-option', `Unknown command: ${[...path, word].join(' ')}`, {
    hint: `Run: ${['tankobon help', ...path, suggestion].join(' ').trimEnd()}`,
  });
}
