/** `tankobon help`: help for the program, for a command, or for a topic that concerns all commands. */
import { Argument, type Command } from 'commander';
import { UsageError } from '../../core/errors.js';
import type { CommandRunner } from '../command-context.js';
import { nearest } from '../../core/nearest.js';
import type { GivenOptions } from '../../config/options.js';
import { addOptions, collect } from '../command-options.js';
import { TOPIC_NAMES } from '../help-format.js';

export function helpCommand(program: Command, { runBare }: CommandRunner): Command {
  const commands = program.createHelp().visibleCommands(program);
  const names = [...commands.map((command) => command.name()), 'help', ...TOPIC_NAMES];
  const help = program
    .command('help')
    .description(`display help for a command or a topic: ${TOPIC_NAMES.join(', ')}`)
    .addArgument(new Argument('[command...]', 'command or topic').choices(names).argParser(collect))
    .action((words: readonly string[] = [], { schema }: GivenOptions = {}) =>
      runBare(async ({ stdout }) => {
        if (schema) {
          stdout.write(await schemaOf(words.join(' ')));
          return;
        }
        const topic = TOPIC_NAMES.find((name) => name === words.join(' '));
        if (topic) {
          const { describeTopic } = await import('../help-topics.js');
          stdout.write(describeTopic(topic, program));
        } else if (words[0] === 'events') {
          const { describeEvent } = await import('../help-topics.js');
          const name = words.slice(1).join(' ');
          const described = describeEvent(name, program);
          if (described === undefined)
            throw new UsageError('bad-option', `Unknown event: ${name}`, {
              hint: 'Run: tankobon help events',
            });
          stdout.write(described);
        } else {
          const find = (command: Command, word: string, index: number) =>
            findSubcommand(command, word, words.slice(0, index));
          words.reduce(find, program).outputHelp();
        }
      }),
    );
  return addOptions(help, 'help');
}

/** Throws UsageError `bad-option` for what has none. */
async function schemaOf(topic: string): Promise<string> {
  if (topic !== 'events')
    throw new UsageError('bad-option', '--schema works only with the topic events.', {
      hint: 'Run: tankobon help events --schema',
    });
  const { eventsJsonSchema } = await import('../../events/json-schema.js');
  return `${JSON.stringify(eventsJsonSchema(), undefined, 2)}\n`;
}

/** @param path the words that lead to `command`; empty for the program */
function findSubcommand(command: Command, word: string, path: readonly string[]): Command {
  const found = command.commands.find((sub) => sub.name() === word);
  if (found) return found;
  const names = command.commands.map((sub) => sub.name());
  const topics = path.length === 0 ? TOPIC_NAMES : [];
  const suggestion = nearest(word, [...names, ...topics]) ?? '';
  throw new UsageError('bad-option', `Unknown command: ${[...path, word].join(' ')}`, {
    hint: `Run: ${['tankobon help', ...path, suggestion].join(' ').trimEnd()}`,
  });
}
