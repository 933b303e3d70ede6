/** The command tree as completion sees it: each command with its flags, and what may follow each of them. Pure. */
import type { Command, Option } from 'commander';
import { SETTING_KEYS, settingFacts, type SettingKey } from '../setting-table.js';

/** What may stand in a place: certain words, a file or folder, or something that nobody can guess. */
export type Place =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'folders' }
  | { readonly kind: 'free' }
  /** The value of the setting that stands before it. */
  | { readonly kind: 'setting-value' };

export interface Flag {
  /** `-o` and `--output`. */
  readonly names: readonly string[];
  readonly meaning: string;
  readonly isRepeatable: boolean;
  /** What follows it; absent for a switch. */
  readonly value?: Place;
}

export interface Branch {
  /** The words that lead here: none for the program itself, `['config', 'set']`. */
  readonly path: readonly string[];
  readonly commands: readonly { readonly name: string; readonly meaning: string }[];
  readonly flags: readonly Flag[];
  readonly places: readonly Place[];
  /** The last place may be filled any number of times. */
  readonly repeatsLast: boolean;
}

/** The program's branch first, then every command's. */
export function branchesOf(command: Command, path: readonly string[] = []): Branch[] {
  const places = command.registeredArguments.map((argument) =>
    placeNamed(argument.name(), argument.argChoices),
  );
  const branch: Branch = {
    path,
    commands: command.commands.map((sub) => ({ name: sub.name(), meaning: sub.description() })),
    flags: command.createHelp().visibleOptions(command).map(flagOf),
    places,
    repeatsLast: command.registeredArguments.at(-1)?.variadic ?? false,
  };
  return [branch, ...command.commands.flatMap((sub) => branchesOf(sub, [...path, sub.name()]))];
}

/** What may stand as the value of a setting. */
export function settingPlaces(): readonly { readonly key: SettingKey; readonly place: Place }[] {
  return SETTING_KEYS.map((key) => {
    const { words, default: usual } = settingFacts(key);
    if (words) return { key, place: { kind: 'words', words } };
    if (typeof usual === 'boolean')
      return { key, place: { kind: 'words', words: ['true', 'false'] } };
    return { key, place: { kind: key === 'output' ? 'folders' : 'free' } };
  });
}

function flagOf(option: Option): Flag {
  const { short, long, description, required, optional, argChoices } = option;
  const placeholder = /[<[](.*?)[>\]]/.exec(option.flags)?.[1] ?? '';
  return {
    names: [short, long].filter((name) => name !== undefined),
    meaning: description,
    isRepeatable: Array.isArray(option.defaultValue),
    ...((required || optional) && { value: placeNamed(placeholder, argChoices) }),
  };
}

/** A placeholder's name says what it stands for: it is what the reader of the help goes by, too. */
function placeNamed(name: string, words: readonly string[] | undefined): Place {
  if (words) return { kind: 'words', words };
  if (name === 'file') return { kind: 'files' };
  if (name === 'dir') return { kind: 'folders' };
  return { kind: name === 'value' ? 'setting-value' : 'free' };
}
