/**
 * The settings in force and their sources: the environment overrides the file, which overrides the default. (Commands
 * apply their options themselves.) The values in the file are checked against the table of options.
 */
import { resolve } from 'node:path';
import { hasCode, UsageError, type TankobonError } from '../core/errors.js';
import { InvalidValue, isList, parseOptionText, parseOptionValue } from './option-values.js';
import {
  optionDefinition,
  SETTING_NAMES,
  variableOf,
  type SettingName,
  type Settings,
} from './options.js';
import { readSettingsFile, SCHEMA_KEY } from './settings-file.js';

type SettingSource = 'environment' | 'file' | 'default';
/** A value of the settings file. */
type StoredValue = string | number | boolean;

/** One setting, valid or not. */
export interface SettingState {
  readonly name: SettingName;
  /** The value before parsing. */
  readonly stored: unknown;
  readonly value?: Settings[SettingName];
  readonly source: SettingSource;
  readonly problem?: TankobonError;
}

/** Throws UsageError('bad-setting') for the first invalid value. */
export async function loadSettings(
  env: Readonly<NodeJS.ProcessEnv>,
  configFolder: string,
): Promise<Settings> {
  const { states } = await inspectSettings(env, configFolder);
  const invalid = states.find(({ problem }) => problem);
  if (invalid?.problem) throw invalid.problem;
  return Object.fromEntries(states.map(({ name, value }) => [name, value])) as Settings;
}

/**
 * All settings, with the problems of invalid ones. `unknown`: names in the file that are not settings, without their
 * values, which may be secret. Throws only if the file as a whole cannot be used.
 */
export async function inspectSettings(
  env: Readonly<NodeJS.ProcessEnv>,
  configFolder: string,
): Promise<{ readonly states: readonly SettingState[]; readonly unknown: readonly string[] }> {
  const stored = await readSettingsFile(configFolder);
  const states = SETTING_NAMES.map((name): SettingState => {
    const variable = variableOf(name);
    const text = env[variable];
    if (text) return stateOf(name, text, 'environment', () => parseSetting(name, text, variable));
    const fromFile = stored[name];
    if (fromFile !== undefined)
      return stateOf(name, fromFile, 'file', () =>
        checked(name, fromFile, name, () => parseStored(name, fromFile)),
      );
    const byDefault = optionDefinition(name).default;
    return stateOf(name, byDefault, 'default', () => parseSetting(name, String(byDefault)));
  });
  const isKnown = (name: string) =>
    name === SCHEMA_KEY || SETTING_NAMES.some((known) => known === name);
  return { states, unknown: Object.keys(stored).filter((name) => !isKnown(name)) };
}

function stateOf(
  name: SettingName,
  stored: unknown,
  source: SettingSource,
  parse: () => Settings[SettingName],
): SettingState {
  try {
    // An empty setting is not a choice of languages; an empty flag is one.
    const isUnset = stored === '' && ['languages', 'codes'].includes(optionDefinition(name).kind);
    return { name, stored, value: isUnset ? undefined : parse(), source };
  } catch (problem) {
    if (!hasCode(problem)) throw problem;
    return { name, stored, source, problem };
  }
}

/** Lists are texts in the settings file, separated by commas. */
function parseStored(name: SettingName, value: unknown): Settings[SettingName] {
  if (!isList(optionDefinition(name))) return parseOptionValue(name, value, name);
  if (typeof value !== 'string') throw new InvalidValue('must be a string');
  return parseOptionText(name, value, name);
}

/** Throws UsageError('bad-setting'); `source` is the setting or the variable, for its message. */
function parseSetting(
  name: SettingName,
  text: string,
  source: string = name,
): Settings[SettingName] {
  return checked(name, text, source, () => parseOptionText(name, text, source));
}

/** The value that the settings file stores for a text. Throws UsageError('bad-setting'). */
export function storedValue(name: SettingName, text: string): StoredValue {
  const value = parseSetting(name, text);
  // A setting holds in every folder; `~/` follows the home folder.
  if (value === text && optionDefinition(name).kind === 'path') return resolve(text);
  return typeof value === 'boolean' || optionDefinition(name).kind === 'integer'
    ? (value as boolean | number)
    : text;
}

/** Reports what `parse` refuses as an invalid setting, with an example. */
function checked<T>(name: SettingName, given: unknown, source: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (hasCode(error, 'bad-option', 'outside-output')) {
      const { message, hint } = error;
      const named = message.includes(source) ? message : `${source}: ${message}`;
      throw new UsageError('bad-setting', named, { hint, cause: error });
    }
    if (!(error instanceof InvalidValue)) throw error;
    const { default: byDefault, example = byDefault } = optionDefinition(name);
    const shown = typeof given === 'string' ? `"${given}"` : JSON.stringify(given);
    const command =
      source === name ? `tankobon config set ${name} ${example}` : `${source}=${example}`;
    throw new UsageError('bad-setting', `${source} is ${shown}, but ${error.message}.`, {
      hint: `Correct it, for example: ${command}`,
    });
  }
}
