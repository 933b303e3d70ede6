/**
 * The command tree: each command is its flags plus one call, imported when it is asked for. Help, completion and
 * the documentation's reference are made from this tree.
 */
import { CommanderError } from 'commander';
import { UsageError } from '../core/errors.js';
import { EXIT, type ExitCode } from '../core/exit-codes.js';
import { VERSION } from '../core/version.js';
import { addChapterCommands } from './program/chapter-commands.js';
import { addLoginCommands } from './program/login-commands.js';
import { addMannersCommands } from './program/manners-commands.js';
import { addOwnCommands } from './program/own-commands.js';
import { ToldCommand } from './program/told-command.js';
import type { Surroundings, TreeParts } from './program/tree-parts.js';

/** Runs one command line; none at all asks for help. Throws what the command throws, and UsageError('bad-option'). */
export async function runProgram(
  words: readonly string[],
  surroundings: Surroundings,
): Promise<ExitCode> {
  let outcome: ExitCode = EXIT.done;
  const done = (code: ExitCode): void => {
    outcome = code;
  };
  const program = commandTree({ ...surroundings, done }, words[0]);
  try {
    await program.parseAsync(words.length === 0 ? ['help'] : words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  return outcome;
}

const FAMILIES = [addChapterCommands, addLoginCommands, addMannersCommands, addOwnCommands];

/** The tree, unparsed: the whole of it, or no more than it takes to find one command in it. */
export function commandTree(parts: TreeParts, sought?: string): ToldCommand {
  const program = new ToldCommand('tankobon')
    .description('Turns chapters of a manga-reading service into CBZ files.')
    .version(VERSION, '-V, --version', 'say which tankobon this is')
    .example('tankobon demo', 'see it work, all on this machine')
    .example('tankobon search <words>', 'find a title, and fetch it')
    .example('tankobon download <UUID or address>', 'fetch a chapter, a title or a list');
  for (const addFamily of FAMILIES) {
    addFamily(program, parts);
    if (program.commands.some((command) => command.name() === sought)) break;
  }
  tellErrorsOurWay(program);
  return program;
}

/** What is wrong with the command line is told as every other error is, and names the help of its command. */
function tellErrorsOurWay(command: ToldCommand): void {
  command.configureOutput({ outputError: () => undefined });
  command.exitOverride((error) => {
    if (error.exitCode === 0 || error.code === 'commander.help') throw error;
    // Without the error as its cause: with DEBUG, that would show what was left out here.
    throw new UsageError('bad-option', asSentence(withoutValue(error.message)), {
      hint: `Type: tankobon help${command.parent ? ` ${command.path()}` : ''}`,
    });
  });
  for (const sub of command.commands) {
    if (sub instanceof ToldCommand) tellErrorsOurWay(sub);
  }
}

/** An unknown flag without its value, which may be a password. */
function withoutValue(message: string): string {
  return message.replace(/(unknown option '(?:--[\w-]*|-\w)).*'(?=$|\n\(Did you mean)/s, "$1'");
}

/** `error: unknown command 'x'⏎(Did you mean y?)` as two sentences. */
function asSentence(message: string): string {
  const [what = '', ...more] = message.replace(/^error: /, '').split('\n');
  const first = what.charAt(0).toUpperCase() + what.slice(1);
  return [
    /[.!?]$/.test(first) ? first : `${first}.`,
    ...more.map((line) => line.replace(/^\((.*)\)$/, '$1')),
  ]
    .join(' ')
    .trim();
}
