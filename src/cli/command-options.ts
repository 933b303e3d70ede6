/** The options of commands, from the table of options: for commander, and parsed. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { optionsByHeading } from '../config/option-headings.js';
import type { CommandName } from '../config/option-definition.js';
import {
  anyOf,
  flagOf,
  hasOpposite,
  oppositeFlag,
  optionDefinition,
  optionsOf,
  type OptionName,
} from '../config/options.js';
import { expandHome } from '../core/home-folder.js';
import { looksLikeTarget } from '../selection/target.js';

export function addOptions(command: Command, commandName: CommandName): Command {
  for (const [name, heading] of optionsByHeading(commandName)) {
    command.optionsGroup(heading);
    const shown = commandOption(name, commandName);
    const hidden = hasOpposite(name) ? [new Option(oppositeFlag(shown.long ?? '')).hideHelp()] : [];
    // The one without `no-` comes first: otherwise commander takes it for the default.
    const options = shown.negate ? [...hidden, shown] : [shown, ...hidden];
    for (const option of options) command.addOption(option);
  }
  return command.optionsGroup('');
}

function commandOption(name: OptionName, commandName: CommandName): Option {
  const definition = optionDefinition(name);
  const { kind, short, commands, description, choices, conflictsWith } = definition;
  const { placeholder = kind } = definition;
  const sentence = commands?.[commandName];
  const isOwn = typeof sentence === 'string';
  const text = isOwn ? sentence : description;
  const notes = notesOf(name, isOwn).join('; ');
  const flags = [short === undefined ? [] : `-${short}`, flagOf(name) ?? ''].flat().join(', ');
  const value =
    kind === 'cover' ? ` [${placeholder}]` : kind === 'switch' ? '' : ` <${placeholder}>`;
  const option = new Option(flags + value, notes === '' ? text : `${text} (${notes})`);
  // Not `choices()`: all values are parsed by the table.
  if (choices) option.argChoices = [...choices];
  if (kind === 'cover') option.argParser(allOrTarget);
  if (kind === 'texts' && !option.variadic) option.default([]).argParser(collect);
  return conflictsWith === undefined ? option : option.conflicts(conflictsWith);
}

/** The range, choices and default of an option. A text of the command's own names the default of that command. */
function notesOf(name: OptionName, isOwn: boolean): readonly string[] {
  const { kind, range, choices, default: byDefault } = optionDefinition(name);
  const hasDefault =
    !isOwn && byDefault !== undefined && byDefault !== '' && typeof byDefault !== 'boolean';
  return [
    ...(range ? [`${range[0]} to ${range[1]}`] : []),
    ...(choices && kind !== 'cover' && kind !== 'device' ? [anyOf(choices)] : []),
    ...(hasDefault ? [`default: ${byDefault}`] : []),
  ];
}

/** Appends the values of an option that can be repeated. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

/** Appends the paths of an argument, of which a quoted one may begin with `~/`. */
export function collectPaths(path: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, expandHome(path)];
}

/** `--cover=all` and `--cover all` are the same to commander. */
function allOrTarget(text: string): string {
  if (text === 'all' || looksLikeTarget(text)) return text;
  throw new InvalidArgumentError(
    'It saves the cover from MangaDex, and takes no file. For an image of your own: tankobon bind --cover FILE.',
  );
}

/**
 * Replaces the texts of the options of a command, and of the commands above it, by their values under the names of the
 * table. Throws CommanderError, also for an option that only the command above has, and the errors of the parsers.
 */
export async function parseOptions(command: Command): Promise<void> {
  refuseOptionsOfParents(command);
  await parseOptionsOfAll(command);
}

/** commander takes `sync remove --dry-run` for an option of `sync`, which would be ignored. */
function refuseOptionsOfParents(command: Command): void {
  const own = new Set(command.options.map((option) => option.attributeName()));
  for (let parent = command.parent; parent?.parent; parent = parent.parent)
    for (const option of parent.options) {
      const attribute = option.attributeName();
      if (own.has(attribute) || parent.getOptionValueSource(attribute) !== 'cli') continue;
      command.error(`error: unknown option '${option.long ?? ''}'`, {
        code: 'commander.unknownOption',
      });
    }
}

async function parseOptionsOfAll(command: Command): Promise<void> {
  if (!command.parent) return;
  await parseOptionsOfAll(command.parent);
  for (const name of optionsOf(commandPath(command) as CommandName)) {
    const attribute = camelCase(flagOf(name) ?? '');
    const given: unknown = command.getOptionValue(attribute);
    // A default is commander's own: what was not given is decided by the settings.
    const isGiven = command.getOptionValueSource(attribute) === 'cli';
    const { kind, flag } = optionDefinition(name);
    if (kind === 'switch' && flag !== undefined) {
      // `--no-chapters` and `--chapters RANGES` are one attribute of commander.
      if (typeof given === 'boolean')
        command
          .setOptionValue(attribute, undefined)
          .setOptionValue(name, isGiven ? given : undefined);
      continue;
    }
    if (given === undefined || (isGiven && typeof given === 'boolean')) continue;
    const value = isGiven ? await parseGiven(name, given as string | string[], command) : undefined;
    command.setOptionValue(attribute, undefined).setOptionValue(name, value);
  }
}

async function parseGiven(name: OptionName, given: string | string[], command: Command) {
  // The text may be a target.
  if (optionDefinition(name).kind === 'cover') return given;
  const { InvalidValue, parseOptionText } = await import('../config/option-values.js');
  const flag = flagOf(name) ?? '';
  const parse = (text: string): unknown => {
    try {
      return parseOptionText(name, text, flag);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      const flags = command.options.find(({ long }) => long === flag)?.flags;
      const problem = `error: option '${flags}' argument '${text}' is invalid.`;
      return command.error(`${problem} It ${error.message}.`);
    }
  };
  return typeof given === 'string' ? parse(given) : given.flatMap(parse);
}

/** Such as `config set`. */
export function commandPath(command: Command): string {
  return command.parent?.parent
    ? `${commandPath(command.parent)} ${command.name()}`
    : command.name();
}

/** The name that commander gives an option. */
function camelCase(flag: string): string {
  return new Option(flag).attributeName();
}
