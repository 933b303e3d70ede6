/**
 * The settings in force and their sources: the environment overrides the file, which overrides the default. (Commands
 * apply their options themselves.) The file is that of `conf`; its values are checked against the table of settings.
 */
import { closeSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseTemplate } from '../cbz/name-template.js';
import { BYTE_RATE_EXAMPLES, parseByteRate } from '../core/byte-rate.js';
import { commaSeparated } from '../core/comma-separated.js';
import { DURATION_EXAMPLES, parseDuration } from '../core/duration.js';
import { hasCode, UsageError, type TankobonError, thrownMessage } from '../core/errors.js';
import {
  isSystemError,
  makeFolders,
  openRegularFileSync,
  toStorageError,
  writeFileAtomic,
} from '../core/files.js';
import { readAddress } from '../rate-limit/service-addresses.js';
import { parseLanguages } from '../selection/language-codes.js';
import {
  settingDefinition,
  SETTING_KEYS,
  type SettingKey,
  type Settings,
} from './setting-definitions.js';

type SettingSource = 'environment' | 'file' | 'default';
type SettingValue = string | number | boolean;

/** One setting, valid or not. */
export interface SettingState {
  readonly key: SettingKey;
  readonly value: unknown;
  readonly source: SettingSource;
  readonly problem?: TankobonError;
}

/** In the config folder. */
export const SETTINGS_FILE = 'settings.json';
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const MAX_FILE_BYTES = 2 ** 20;

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
  // Importing conf is slow, and not needed without a file.
  const stored = hasSettingsFile(configFolder) ? (await openSettingsFile(configFolder)).store : {};
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

/** Throws UsageError('bad-setting') for anything but a regular file of a sensible size. */
function hasSettingsFile(configFolder: string): boolean {
  const file = join(configFolder, SETTINGS_FILE);
  try {
    const { descriptor, stats } = openRegularFileSync(file);
    closeSync(descriptor);
    if (stats.size <= MAX_FILE_BYTES) return true;
    throw new UsageError('bad-setting', `The settings file is too large: ${file}`);
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return false;
    // Other system errors are thrown by conf, which opens the file again.
    if (!hasCode(error)) return true;
    throw new UsageError('bad-setting', `The settings file cannot be used: ${error.message}`, {
      cause: error,
      hint: 'Move it away, or set TANKOBON_HOME to another folder.',
    });
  }
}

/** conf reads the home folder on import and fails without one, although nothing is stored there. */
async function importConf(configFolder: string) {
  try {
    homedir();
    return await import('conf');
  } catch (error) {
    if (!isSystemError(error, 'ERR_SYSTEM_ERROR')) throw error;
  }
  process.env['HOME'] = configFolder;
  try {
    return await import('conf');
  } finally {
    delete process.env['HOME'];
  }
}

/**
 * Opens the settings file, whose values may be invalid. Throws UsageError('bad-setting') for a file that is not a JSON
 * object, and leaves it as it is: a run by night must not continue with the defaults.
 */
async function openSettingsFile(configFolder: string) {
  hasSettingsFile(configFolder);
  const { default: Conf } = await importConf(configFolder);
  const file = join(configFolder, SETTINGS_FILE);
  try {
    makeFolders(configFolder, FOLDER_MODE);
    return new Conf<Record<string, unknown>>({
      cwd: configFolder,
      configName: SETTINGS_FILE.replace(/\.json$/, ''),
      projectName: 'tankobon',
      configFileMode: FILE_MODE,
      deserialize: readObject,
    });
  } catch (cause) {
    const reason = thrownMessage(cause);
    throwIfDiskFull(cause, file);
    if (!(cause instanceof SyntaxError)) {
      throw new UsageError('bad-setting', `The settings file ${file} cannot be used: ${reason}`, {
        cause,
        hint: 'Check its permissions, or set TANKOBON_HOME to another folder.',
      });
    }
    throw new UsageError('bad-setting', `The settings file is damaged, ${reason}: ${file}`, {
      cause,
      hint: 'Repair it, or move it away to continue with the defaults.',
    });
  }
}

/**
 * Stores a value, or restores the default. Not by conf, whose temporary file would stay after a kill. Throws as
 * openSettingsFile does.
 */
export async function storeSetting(
  configFolder: string,
  key: SettingKey,
  value: SettingValue | undefined,
): Promise<void> {
  const { store, path } = await openSettingsFile(configFolder);
  try {
    const text = JSON.stringify({ ...store, [key]: value }, undefined, '\t');
    await writeFileAtomic(path, text, { mode: FILE_MODE });
  } catch (cause) {
    throwIfDiskFull(cause, path);
    const reason = thrownMessage(cause);
    throw new UsageError('bad-setting', `The settings file cannot be written: ${reason}`, {
      cause,
      hint: 'Check the permissions of its folder, or set TANKOBON_HOME to another folder.',
    });
  }
}

function throwIfDiskFull(cause: unknown, file: string): void {
  const error = toStorageError(cause, file);
  if (hasCode(error, 'disk-full')) throw error;
}

function readObject(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SyntaxError('it is not a JSON object');
  }
  return value as Record<string, unknown>;
}
