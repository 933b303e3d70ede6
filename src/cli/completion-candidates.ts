/**
 * Shell completion from the command tree: the scripts of the shells pass the words up to the cursor to
 * `tankobon __complete` and offer what it prints.
 */
import type { Argument, Command, Option } from 'commander';
import {
  bashInsertion,
  powerShellWord,
  readBashWord,
  type QuotedShell,
} from './completion-quoting.js';
import { optionDefinition, SETTING_NAMES } from '../config/options.js';

/** Printed instead of candidates: the shell completes paths. */
export const COMPLETE_FILES = ':files';
export const COMPLETE_FOLDERS = ':folders';

export interface Candidate {
  readonly word: string;
  readonly description?: string;
}

/**
 * One line for each candidate, `word⇥description`, or COMPLETE_FILES or COMPLETE_FOLDERS. Candidates for a value after
 * `--option=` do not repeat the option.
 *
 * @param words all words after the program's name; the last one is being typed and can be empty
 * @param subscriptions by name
 */
export function completionLines(
  program: Command,
  words: readonly string[],
  subscriptions: readonly Candidate[] = [],
): readonly string[] {
  const typed = words.filter((word) => word !== '=');
  // bash splits `--option=value` into three words.
  const current = words.at(-1) === '=' ? '' : (typed.pop() ?? '').replace(/^""$/, '');
  const line = parseLine(program, typed);
  const [, flag, value = ''] = /^(--[^=]+)=(.*)$/.exec(current) ?? [];
  const option = line.option ?? line.command.options.find(({ long }) => long === flag);
  const typedValue = flag === undefined ? current : value;
  if (takesSubscription(line, option)) return matchingNames(typedValue, subscriptions);
  if (option) return matching(typedValue, optionValues(option));
  return matching(current, current.startsWith('-') ? flags(line) : argumentValues(line));
}

/** The lines as this shell inserts their words; by default, as they are. */
export function quotedCompletionLines(
  shell: QuotedShell | undefined,
  program: Command,
  words: readonly string[],
  subscriptions: readonly Candidate[],
): readonly string[] {
  if (shell === undefined) return completionLines(program, words, subscriptions);
  if (shell === 'powershell')
    return insertions(completionLines(program, words, subscriptions), powerShellWord);
  const typed = readBashWord(words.at(-1) ?? '');
  if (!typed) return [];
  const lines = completionLines(program, [...words.slice(0, -1), typed.value], subscriptions);
  return insertions(lines, (word) => bashInsertion(word, typed));
}

function insertions(
  lines: readonly string[],
  insertion: (word: string) => string | undefined,
): readonly string[] {
  return lines.flatMap((line) => {
    if (line === COMPLETE_FILES || line === COMPLETE_FOLDERS) return [line];
    const [word = '', ...description] = line.split('\t');
    const inserted = insertion(word);
    return inserted === undefined ? [] : [[inserted, ...description].join('\t')];
  });
}

/** The path that `--file` has in the words before the last one, as the shell would pass it. */
export function typedFile(words: readonly string[]): string | undefined {
  // bash splits `--file=value` into three words.
  const typed = words.slice(0, -1).filter((word) => word !== '=');
  const at = typed.findLastIndex((word) => /^--file(=|$)/.test(word));
  const [, value = typed[at + 1]] = /^--file=(.*)$/s.exec(typed[at] ?? '') ?? [];
  return at < 0 || value === undefined ? undefined : unquoted(value);
}

/** A shell may pass a word with its quotes and backslashes. */
const unquoted = (word: string) => word.replace(/^["']|["']$/g, '').replace(/\\(.)/g, '$1');

/** Whether the name of a subscription comes next. */
function takesSubscription({ command, args }: ParsedLine, option: Option | undefined): boolean {
  if (option) return option.long === '--only';
  return argumentAt(command, args.length)?.name() === 'subscription';
}

/** Upper and lower case are equal. fish and PowerShell pass the word as it was typed, with its quotation marks. */
function matchingNames(current: string, names: readonly Candidate[]): readonly string[] {
  const value = readBashWord(current)?.value ?? current;
  const starts = [current, value].map((text) => text.toLowerCase());
  return names
    .filter(({ word }) => starts.some((start) => word.toLowerCase().startsWith(start)))
    .map(({ word, description = '' }) => `${word}\t${description}`);
}

interface ParsedLine {
  readonly command: Command;
  /** Arguments of that command so far. */
  readonly args: readonly string[];
  readonly seen: ReadonlySet<Option>;
  /** The option whose value comes next. */
  readonly option?: Option;
}

function parseLine(program: Command, words: readonly string[]): ParsedLine {
  let command = program;
  let args: string[] = [];
  let option: Option | undefined;
  const seen = new Set<Option>();
  for (const word of words) {
    if (option) {
      option = undefined;
    } else if (word.startsWith('-')) {
      const name = word.replace(/=.*/, '');
      const found = command.options.find(({ short, long }) => name === short || name === long);
      if (!found) continue;
      seen.add(found);
      const takesValue = found.required || found.optional;
      if (takesValue && !word.includes('=')) option = found;
    } else {
      const sub = command.commands.find((known) => known.name() === word);
      if (sub) [command, args] = [sub, []];
      else args.push(word);
    }
  }
  return { command, args, seen, option };
}

function flags({ command, seen }: ParsedLine): readonly Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => !seen.has(option) || Array.isArray(option.defaultValue))
    .flatMap(({ short, long, description }) =>
      [short, long].filter((name) => name !== undefined).map((word) => ({ word, description })),
    );
}

type Values = readonly Candidate[] | typeof COMPLETE_FILES | typeof COMPLETE_FOLDERS;

function optionValues(option: Option): Values {
  const placeholder = /[<[](.*?)[>\]]/.exec(option.flags)?.[1] ?? '';
  return valuesFor(placeholder, option.argChoices);
}

function argumentValues({ command, args }: ParsedLine): Values {
  if (command.commands.length > 0 && args.length === 0) {
    return (
      command
        .createHelp()
        .visibleCommands(command)
        // Further paragraphs are for help alone.
        .map((sub) => ({ word: sub.name(), description: sub.description().split('\n')[0] ?? '' }))
    );
  }
  const argument = argumentAt(command, args.length);
  if (!argument) return [];
  return argument.name() === 'value'
    ? settingValues(args.at(-1))
    : valuesFor(argument.name(), argument.argChoices);
}

function argumentAt(command: Command, index: number): Argument | undefined {
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic === true ? last : undefined);
}

/** The placeholder of a value (`<file>`, `<program>`, `<dir>`) shows whether it is a path. */
function valuesFor(placeholder: string, choices: readonly string[] | undefined): Values {
  if (choices) return choices.map((word) => ({ word }));
  if (placeholder === 'file' || placeholder === 'program') return COMPLETE_FILES;
  return placeholder === 'dir' ? COMPLETE_FOLDERS : [];
}

function settingValues(word: string | undefined): Values {
  const name = SETTING_NAMES.find((known) => known === word);
  if (name === undefined) return [];
  const { kind, choices = [], canBeOff, placeholder = '' } = optionDefinition(name);
  const switches = kind === 'switch' || kind === 'cover' ? ['true', 'false'] : [];
  const words = [...choices, ...switches, ...(canBeOff && choices.length > 0 ? ['false'] : [])];
  return valuesFor(placeholder, words.length > 0 ? words : undefined);
}

function matching(current: string, values: Values): readonly string[] {
  if (typeof values === 'string') return [values];
  return values
    .filter(({ word }) => word.startsWith(current))
    .map(({ word, description }) => (description === undefined ? word : `${word}\t${description}`));
}
