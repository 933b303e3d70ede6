/** `tankobon help`: help for the program, for a command, or for a topic that concerns all commands. */
import { Argument, type Command } from 'commander';
import { ENVIRONMENT } from '../../config/environment.js';
import { UsageError } from '../../core/errors.js';
import { EXIT, EXIT_MEANINGS } from '../../core/exit-codes.js';
import type { CommandRunner } from '../command-context.js';
import { formatItems, type HelpItems } from '../help-format.js';
import { nearest } from '../../core/nearest.js';
import { collect } from '../option-parsers.js';

const TOPICS = {
  environment: (): HelpItems =>
    Object.entries(ENVIRONMENT).map(([name, { description, default: defaultValue }]) => [
      name,
      defaultValue === undefined ? description : `${description} (default: ${defaultValue})`,
    ]),
  'exit-codes': (): HelpItems => Object.entries(EXIT_MEANINGS),
};

export function helpCommand(program: Command, { runBare }: CommandRunner): Command {
  const commands = program.createHelp().visibleCommands(program);
  const names = [...commands.map((command) => command.name()), 'help', ...Object.keys(TOPICS)];
  return program
    .command('help')
    .description('display help for a command or a topic: environment, exit-codes')
    .addArgument(new Argument('[command...]', 'command or topic').choices(names).argParser(collect))
    .action((words: readonly string[] = []) =>
      runBare(({ stdout }) => {
        const name = words.join(' ');
        if (name === 'environment' || name === 'exit-codes') {
          stdout.write(`${formatItems(program, TOPICS[name]()).join('\n')}\n`);
        } else {
          const find = (command: Command, word: string, index: number) =>
            findSubcommand(command, word, words.slice(0, index));
          words.reduce(find, program).outputHelp();
        }
        return EXIT.done;
      }),
    );
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
