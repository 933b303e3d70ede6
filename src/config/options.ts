/**
 * The table of options. The command line, the environment, the settings, the subscriptions file, the library, help,
 * completion and the documentation are derived from it.
 */
import { FILE_OPTIONS } from './options/file-options.js';
import type { CommandName, OptionDefinition, ValueOf } from './option-definition.js';
import { RUN_OPTIONS } from './options/run-options.js';
import { SELECTION_OPTIONS } from './options/selection-options.js';
import { SERVICE_OPTIONS } from './options/service-options.js';
import { SUBSCRIPTION_OPTIONS } from './options/subscription-options.js';

export const OPTIONS = {
  ...SUBSCRIPTION_OPTIONS,
  ...SELECTION_OPTIONS,
  ...FILE_OPTIONS,
  ...SERVICE_OPTIONS,
  ...RUN_OPTIONS,
};

type Table = typeof OPTIONS;
export type OptionName = keyof Table;
export type OptionValue<Name extends OptionName> = ValueOf<Table[Name]>;
type NamesWith<Property> = {
  [Name in OptionName]: Table[Name] extends Property ? Name : never;
}[OptionName];

export type SettingName = NamesWith<{ readonly isSetting: true }>;
/** The value of each option that is a setting: from its variable, the settings file, or the default. */
export type Settings = { readonly [Name in SettingName]: OptionValue<Name> };

/** The options of one command line, of one call of the library, or of one title in the subscriptions file. */
export type GivenOptions = { readonly [Name in OptionName]?: OptionValue<Name> };
export type SeriesOptions = Pick<GivenOptions, NamesWith<{ readonly isKey: true | string }>>;
export type LibraryOptionName = NamesWith<{ readonly library: true | string }>;

/** Every option in force. */
export type Options = Settings & Omit<GivenOptions, SettingName>;

export const OPTION_NAMES = Object.keys(OPTIONS) as readonly OptionName[];
export const SETTING_NAMES = OPTION_NAMES.filter(
  (name) => optionDefinition(name).isSetting,
) as readonly SettingName[];

export const SERIES_OPTION_NAMES = OPTION_NAMES.filter(
  (name) => optionDefinition(name).isKey !== undefined,
) as readonly (keyof SeriesOptions)[];

export function optionDefinition(name: OptionName): OptionDefinition {
  return OPTIONS[name];
}

export function optionsOf(command: CommandName): readonly OptionName[] {
  return OPTION_NAMES.filter((name) => optionDefinition(name).commands?.[command] !== undefined);
}

/** Such as `wait-for-group`: the flag without its dashes, and the key in the subscriptions file. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Such as `TANKOBON_MAX_OUTAGE`. */
export function variableOf(name: SettingName): string {
  return `TANKOBON_${kebabCase(name).replaceAll('-', '_').toUpperCase()}`;
}

/** The flag that changes the default, such as `--no-metadata`; undefined if no command has one. */
export function flagOf(name: OptionName): string | undefined {
  const { commands, flag = name, default: defaultValue } = optionDefinition(name);
  if (commands === undefined) return undefined;
  return `--${defaultValue === true ? 'no-' : ''}${kebabCase(flag)}`;
}

/** The flag that does the opposite of a setting. */
export function oppositeFlag(flag: string): string {
  return flag.startsWith('--no-') ? flag.replace('--no-', '--') : flag.replace('--', '--no-');
}

/** Such as `cbz, epub or pdf`. */
export function anyOf(choices: readonly string[]): string {
  return `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
}

/** The description with the range or the choices. */
export function describeValue(name: OptionName): string {
  const { description, range, choices, kind } = optionDefinition(name);
  if (range) return `${description}; ${range[0]} to ${range[1]}`;
  return choices && kind !== 'cover' && kind !== 'device'
    ? `${description}: ${anyOf(choices)}`
    : description;
}

/** Whether a flag turns the option on or off, so that another flag must do the opposite of a setting. */
export function hasOpposite(name: OptionName): boolean {
  const { kind, isSetting, canBeOff } = optionDefinition(name);
  return isSetting === true && (kind === 'switch' || kind === 'cover' || canBeOff === true);
}

/** The options in force: the given ones override the settings. An undefined one is absent. */
export function effectiveOptions(given: GivenOptions, settings: Settings): Options {
  const entries: (readonly [string, unknown])[] = Object.entries(given);
  const present = entries.filter(([, value]) => value !== undefined);
  return { ...settings, ...(Object.fromEntries(present) as GivenOptions) };
}
