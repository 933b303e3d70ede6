/** `tankobon help`: of all, of one command, or of a topic that belongs to no command. */
import type { Command } from 'commander';
import { UsageError } from '../../core/errors.js';
import { EXIT, EXIT_MEANINGS, type ExitCode } from '../../core/exit-codes.js';
import { ENVIRONMENT } from '../../app/environment.js';
import { nearest } from '../nearest.js';
import { HELP_TOPICS } from '../program/tree-parts.js';
import type { BareCommandContext } from '../command-context.js';

type Items = readonly (readonly [term: string, meaning: string])[];

const TOPICS: Readonly<Record<(typeof HELP_TOPICS)[number], () => Items>> = {
  environment: () =>
    Object.entries(ENVIRONMENT).map(([name, { meaning, default: usual }]) => [
      name,
      usual === undefined ? meaning : `${meaning} (default: ${usual})`,
    ]),
  'exit-codes': () => Object.entries(EXIT_MEANINGS),
};

/** `words` name a command, such as `config set`. Throws UsageError('bad-option') with the nearest one that there is. */
export function help(
  words: readonly string[],
  program: Command,
  run: BareCommandContext,
): ExitCode {
  const topic = HELP_TOPICS.find((name) => name === words.join(' '));
  if (topic) {
    const page = program.createHelp();
    page.prepareContext({ ...(run.stdout.columns && { helpWidth: run.stdout.columns }) });
    const items = TOPICS[topic]();
    const termWidth = Math.max(...items.map(([term]) => term.length));
    const lines = items.map(([term, meaning]) => page.formatItem(term, termWidth, meaning, page));
    run.stdout.write(`${lines.join('\n')}\n`);
    return EXIT.done;
  }
  let command = program;
  for (const word of words) command = below(command, word);
  command.outputHelp();
  return EXIT.done;
}

function below(command: Command, word: string): Command {
  const found = command.commands.find((sub) => sub.name() === word);
  if (found) return found;
  const names = command.commands.map((sub) => sub.name());
  const meant = nearest(word, [...names, ...HELP_TOPICS]);
  throw new UsageError('bad-option', `There is no command "${word}".`, {
    hint: meant === undefined ? 'Type: tankobon help' : `Did you mean: tankobon help ${meant}`,
  });
}
