/**
 * The settings in force and their sources: the environment overrides the file, which overrides the default. (Commands
 * apply their options themselves.) The values in the file are checked against the table of settings.
 */
import { parseTemplate } from '../cbz/name-template.js';
import { BYTE_RATE_EXAMPLES, parseByteRate } from '../core/byte-rate.js';
import { commaSeparated } from '../core/comma-separated.js';
import { DURATION_EXAMPLES, parseDuration } from '../core/duration.js';
import { hasCode, UsageError, type TankobonError } from '../core/errors.js';
import { readAddress } from '../rate-limit/service-addresses.js';
import { parseLanguages } from '../selection/language-codes.js';
import {
  settingDefinition,
  SETTING_KEYS,
  type SettingKey,
  type Settings,
} from './setting-definitions.js';
import { readSettingsFile } from './settings-file.js';

type SettingSource = 'environment' | 'file' | 'default';
type SettingValue = string | number | boolean;

/** One setting, valid or not. */
export interface SettingState {
  readonly key: SettingKey;
  readonly value: unknown;
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
  return Object.fromEntries(states.map(({ key, value }) => [key, value])) as Settings;
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
  const states = SETTING_KEYS.map((key): SettingState => {
    const { env: variable, default: defaultValue } = settingDefinition(key);
    const fromEnv = variable && env[variable];
    if (variable && fromEnv) return checkSetting(key, fromEnv, 'environment', variable);
    const fromFile = stored[key];
    return fromFile === undefined
      ? { key, value: defaultValue, source: 'default' }
      : checkSetting(key, fromFile, 'file', key);
  });
  const isKnown = (name: string) => SETTING_KEYS.some((key) => key === name);
  return { states, unknown: Object.keys(stored).filter((name) => !isKnown(name)) };
}

function checkSetting(
  key: SettingKey,
  value: unknown,
  source: SettingSource,
  name: string,
): SettingState {
  try {
    const { default: defaultValue, choices } = settingDefinition(key);
    const type = typeof defaultValue;
    if (source === 'file' && typeof value !== type)
      throw invalidValue(
        key,
        name,
        JSON.stringify(value),
        choices ? oneOf(choices) : `must be a ${type}`,
      );
    return { key, value: parseSetting(key, String(value), name), source };
  } catch (problem) {
    if (!hasCode(problem)) throw problem;
    return { key, value, source, problem };
  }
}

/** Throws UsageError('bad-setting'); `name` is that of the setting or variable, for its message. */
export function parseSetting(key: SettingKey, text: string, name: string = key): SettingValue {
  const { default: defaultValue, range, isDuration, isByteRate, choices } = settingDefinition(key);
  const invalid = (expected: string) => invalidValue(key, name, `"${text}"`, expected);
  if (typeof defaultValue === 'number') {
    const value = Number(text);
    const [min, max] = range ?? [0, Number.MAX_SAFE_INTEGER];
    if (text.trim() === '' || !Number.isInteger(value) || value < min || value > max)
      throw invalid(`must be a whole number from ${min} to ${max}`);
    return value;
  }
  if (typeof defaultValue === 'boolean') {
    if (text !== 'true' && text !== 'false') throw invalid('must be true or false');
    return text === 'true';
  }
  if (isDuration && parseDuration(text) === undefined)
    throw invalid(`must be a duration such as ${DURATION_EXAMPLES}`);
  if (isByteRate && text !== '' && parseByteRate(text) === undefined)
    throw invalid(`must be a rate such as ${BYTE_RATE_EXAMPLES}`);
  if (choices && !choices.includes(text)) throw invalid(oneOf(choices));
  // Only where empty is the default does it mean something.
  if (text === '' && defaultValue !== '') throw invalid('must not be empty');
  if (key.endsWith('Url')) readAddress(name, text);
  if (key === 'language') asSetting(() => parseLanguages(commaSeparated(text), name));
  if (key === 'name' && text !== '') asSetting(() => parseTemplate(text.replace(/\.cbz$/i, '')));
  return text;
}

const oneOf = (choices: readonly string[]) => `must be one of: ${choices.join(', ')}`;

/** Reports what `check` refuses as an invalid setting. */
function asSetting(check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!hasCode(error)) throw error;
    throw new UsageError('bad-setting', error.message, { hint: error.hint, cause: error });
  }
}

function invalidValue(key: SettingKey, name: string, value: string, expected: string): UsageError {
  const { default: defaultValue, example: valid = defaultValue } = settingDefinition(key);
  const example = name === key ? `tankobon config set ${key} ${valid}` : `${name}=${valid}`;
  return new UsageError('bad-setting', `${name} is ${value}, but ${expected}.`, {
    hint: `Correct it, for example: ${example}`,
  });
}
