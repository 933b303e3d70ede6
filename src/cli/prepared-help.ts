/**
 * Help without the command tree, which takes twice as long to load as Node to start. `npm run build` writes the help of
 * each command at the widths that most outputs have (help-texts.ts); at another width it is made from the tree.
 */
import { stripVTControlCharacters } from 'node:util';
import { readPackageFile } from '../core/executable.js';
import { usesColors } from './output/colors.js';
import { columnsOf } from './output/own-terminal.js';

/** Longer lines are hard to read on a wide terminal. */
const MAX_WIDTH = 100;
/** The width of output that is not a terminal. */
const DEFAULT_WIDTH = 80;
export const PREPARED_WIDTHS = [DEFAULT_WIDTH, MAX_WIDTH] as const;

/** In the form that commander asks for. */
export const HELP_OUTPUT = {
  getOutHelpWidth: () => Math.min(columnsOf(process.stdout) ?? DEFAULT_WIDTH, MAX_WIDTH),
  getOutHasColors: () => usesColors(process.env, process.stdout),
};

/** Undefined if the words ask for something else than the help of a command, or its width is not prepared. */
export function preparedHelp(args: readonly string[]): string | undefined {
  const words = helpedCommand(args);
  // One word such as `config set` does not name a command, nor does an empty one.
  if (!words?.every((word) => /^\S+$/.test(word))) return undefined;
  const width = HELP_OUTPUT.getOutHelpWidth();
  if (!PREPARED_WIDTHS.some((prepared) => prepared === width)) return undefined;
  const texts = new Map(Object.entries(readHelpTexts(width)));
  const text = texts.get(words.join(' '));
  return text === undefined || HELP_OUTPUT.getOutHasColors()
    ? text
    : stripVTControlCharacters(text);
}

/** The words of the command whose help is asked for, such as `config set`; empty for the program. */
function helpedCommand(args: readonly string[]): readonly string[] | undefined {
  if (args.length === 0) return [];
  const last = args.at(-1);
  if (last === '--help' || last === '-h') return args.slice(0, -1);
  return args[0] === 'help' ? args.slice(1) : undefined;
}

function readHelpTexts(width: number): Readonly<Record<string, string>> {
  const file = readPackageFile(new URL(`../help-${width}.json`, import.meta.url));
  return JSON.parse(file.toString()) as Readonly<Record<string, string>>;
}
