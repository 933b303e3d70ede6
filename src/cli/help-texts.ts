/** The help of all commands, for scripts/build.js: printing it then needs no command tree (prepared-help.ts). */
import type { Command } from 'commander';
import { commandPath } from './command-options.js';
import { commandTree } from './program.js';

/** By the words of the command, such as `config set`, and empty for the program; in colors, and at most this wide. */
export function helpTexts(width: number): Readonly<Record<string, string>> {
  let printed = '';
  const program = commandTree(undefined, {
    writeOut: (text) => (printed += text),
    getOutHelpWidth: () => width,
    getOutHasColors: () => true,
  });
  const textOf = (command: Command): string => {
    printed = '';
    command.outputHelp();
    return printed;
  };
  const commands = visibleBelow(program).map((command) => [commandPath(command), textOf(command)]);
  return Object.fromEntries([['', textOf(program)], ...commands]) as Record<string, string>;
}

function visibleBelow(command: Command): Command[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.flatMap((sub) => [sub, ...visibleBelow(sub)]);
}
