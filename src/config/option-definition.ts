/** What the table of options says about each option, and the type of its value. */
import type { Hours } from './hours.js';
import type { Ranges } from './ranges.js';
import type { TimeBound } from './time-bound.js';

/** A value after parsing, by its kind. */
export interface KindValues {
  /** Any text that is not empty. */
  text: string;
  /** A path; `~/` at its beginning was replaced by the home folder. */
  path: string;
  /** A path below another folder. */
  subfolder: string;
  /** Letters, digits, and `. _ -`: part of a key on the server of the ledger. */
  identifier: string;
  /** An http: or https: URL of the service. */
  address: string;
  /** A template of file names. */
  template: string;
  integer: number;
  number: number;
  /** Milliseconds. */
  duration: number;
  /** Bytes per second; Infinity: unlimited. */
  rate: number;
  /** Bytes. */
  size: number;
  /** The name of a device, or the size of its screen. */
  device: string;
  /** A day, a time, or how long ago. */
  time: TimeBound;
  /** Hours of the day. */
  hours: Hours;
  switch: boolean;
  /** An option that can be repeated. */
  texts: readonly string[];
  ranges: Ranges;
  ids: readonly string[];
  /** Names or ids of scanlation groups. */
  groups: readonly string[];
  /** Codes in order of preference. Empty: every language; undefined: none was chosen. */
  languages: readonly string[] | undefined;
  /** Codes in order of preference; undefined: none was chosen. */
  codes: readonly string[] | undefined;
  cover: boolean | 'all';
  /** One of `choices`. */
  choice: string;
  /** Some of `choices`. */
  choices: readonly string[];
}
export type OptionKind = keyof KindValues;

/** The commands that take options. */
export type CommandName =
  | 'download'
  | 'sync'
  | `sync ${'add' | 'remove' | 'edit' | 'path' | 'list' | 'forget' | 'pin' | 'block' | 'import' | 'status'}`
  | `sync hook ${'add' | 'list' | 'remove' | 'test'}`
  | 'search'
  | 'info'
  | 'bind'
  | 'retag'
  | 'verify'
  | 'adopt'
  | 'overview'
  | 'demo'
  | 'doctor'
  | 'login'
  | 'limits'
  | 'report-status'
  | 'config list'
  | 'help'
  | 'whoami';

/**
 * An option. Its name in camel case is that of its setting and in the library. In kebab case it is its flag and its key
 * in the subscriptions file, and `TANKOBON_<NAME>` is its variable.
 */
export interface OptionDefinition {
  readonly kind: OptionKind;
  readonly description: string;
  /** A value of the settings file. An option without it is absent by default. */
  readonly default?: string | number | boolean;
  /** A valid value as typed in a shell; by default the default. */
  readonly example?: string;
  readonly choices?: readonly string[];
  /** Minimum and maximum of a number, or of a duration in milliseconds. */
  readonly range?: readonly [number, number];
  /** `false` is a value too, and the default: nothing of the kind. */
  readonly canBeOff?: true;
  /** The commands that take the option; a text describes what it does there, and its default. */
  readonly commands?: Readonly<Partial<Record<CommandName, true | string>>>;
  /** The commands for which the setting does not apply. */
  readonly ignoresSetting?: readonly CommandName[];
  /** The flag if it is not the name, as where two commands use the same word for different options. */
  readonly flag?: string;
  readonly short?: string;
  /** The value in help, by default the kind. `file` and `dir` are completed with paths. */
  readonly placeholder?: string;
  readonly conflictsWith?: string;
  /** Whether it makes sense as a default: it has a setting and a variable. */
  readonly isSetting?: true;
  /** Whether it is a key of a title in the subscriptions file; a text describes what it does there. */
  readonly isKey?: true | string;
  /** Whether `downloadChapters` takes it; a text is a second name for it there. */
  readonly library?: true | string;
}

/** An option that turns something on for one command. */
export function switchOf<Name extends CommandName>(command: Name, description: string) {
  const commands = { [command]: true } as Readonly<Record<Name, true>>;
  return { kind: 'switch', description, commands } as const;
}

type OneOf<Definition> = Definition extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : string;

/** The type of the parsed value of an option. */
export type ValueOf<Definition extends OptionDefinition> =
  | (Definition['kind'] extends 'choice'
      ? OneOf<Definition>
      : Definition['kind'] extends 'choices'
        ? readonly OneOf<Definition>[]
        : KindValues[Definition['kind']])
  | (Definition extends { readonly canBeOff: true } ? false : never);
