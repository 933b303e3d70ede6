/**
 * The settings in force and where each comes from: environment before file before default. (A flag comes before
 * all; the command that has it applies it.) The file is `conf`'s; what may stand in it is checked against the table.
 */
import { closeSync, mkdirSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DURATION_EXAMPLES, parseDuration } from '../core/duration.js';
import { hasCode, UsageError, type TankobonError } from '../core/errors.js';
import { isSystemError, openRegularFileSync } from '../core/files.js';
import { readAddress } from '../rate-limit/service-addresses.js';
import {
  settingDefinition,
  SETTING_KEYS,
  type SettingKey,
  type Settings,
} from './setting-definitions.js';

export type SettingSource = 'environment' | 'file' | 'default';
export type SettingValue = string | number | boolean;

export interface LoadedSettings {
  readonly settings: Settings;
  readonly sources: Readonly<Record<SettingKey, SettingSource>>;
}

/** One setting as it stands, right or wrong. */
export interface SettingState {
  readonly key: SettingKey;
  readonly value: unknown;
  readonly source: SettingSource;
  /** What is wrong with the value, and how to mend it. */
  readonly problem?: TankobonError;
}

/** The settings file's name inside the config folder. */
export const SETTINGS_FILE = 'settings.json';
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const MAX_FILE_BYTES = 2 ** 20;

/** Reads settings for this environment. Throws UsageError('bad-setting') naming the key, the source and the mend. */
export async function loadSettings(
  env: Readonly<NodeJS.ProcessEnv>,
  configFolder: string,
): Promise<LoadedSettings> {
  const { states } = await inspectSettings(env, configFolder);
  const settings: Record<string, unknown> = {};
  const sources: Partial<Record<SettingKey, SettingSource>> = {};
  for (const { key, value, source, problem } of states) {
    if (problem) throw problem;
    settings[key] = value;
    sources[key] = source;
  }
  return { settings: settings as Settings, sources: sources as Record<SettingKey, SettingSource> };
}

/**
 * The same without stopping at what is wrong. `unknown`: names in the file that are no settings; they do nothing,
 * and their values are nobody's business. Throws only where the file as a whole cannot be used.
 */
export async function inspectSettings(
  env: Readonly<NodeJS.ProcessEnv>,
  configFolder: string,
): Promise<{ readonly states: readonly SettingState[]; readonly unknown: readonly string[] }> {
  // conf brings a schema compiler along; without a file there is nothing for it to do.
  const isThere = hasSettingsFile(configFolder);
  const stored = isThere ? (await openSettingsFile(configFolder)).store : {};
  const states = SETTING_KEYS.map((key): SettingState => {
    const facts = settingDefinition(key);
    const fromEnv = facts.env === undefined ? undefined : env[facts.env];
    if (facts.env !== undefined && fromEnv !== undefined && fromEnv !== '') {
      return stateOf(key, fromEnv, 'environment', facts.env);
    }
    const fromFile = stored[key];
    return fromFile === undefined
      ? { key, value: facts.default, source: 'default' }
      : stateOf(key, fromFile, 'file', key);
  });
  const isKnown = (name: string) => SETTING_KEYS.some((key) => key === name);
  return { states, unknown: Object.keys(stored).filter((name) => !isKnown(name)) };
}

function stateOf(
  key: SettingKey,
  value: unknown,
  source: SettingSource,
  named: string,
): SettingState {
  try {
    if (source === 'file' && typeof value !== typeof settingDefinition(key).default) {
      throw wrongValue(
        key,
        named,
        JSON.stringify(value),
        `must be a ${typeof settingDefinition(key).default}`,
      );
    }
    return { key, value: parseSetting(key, String(value), named), source };
  } catch (problem) {
    if (!hasCode(problem)) throw problem;
    return { key, value, source, problem };
  }
}

/** A setting's value from its text. `source` names where the text stands, for the message. */
export function parseSetting(key: SettingKey, text: string, source: string = key): SettingValue {
  const facts = settingDefinition(key);
  const wrong = (expected: string) => wrongValue(key, source, `"${text}"`, expected);
  if (typeof facts.default === 'number') {
    const value = Number(text);
    const [least, most] = facts.range ?? [0, Number.MAX_SAFE_INTEGER];
    if (text.trim() === '' || !Number.isInteger(value) || value < least || value > most) {
      throw wrong(`must be a whole number from ${least} to ${most}`);
    }
    return value;
  }
  if (typeof facts.default === 'boolean') {
    if (text !== 'true' && text !== 'false') throw wrong('must be true or false');
    return text === 'true';
  }
  if (facts.isDuration === true && parseDuration(text) === undefined)
    throw wrong(`must be such as ${DURATION_EXAMPLES}`);
  if (facts.words && !facts.words.includes(text))
    throw wrong(`must be one of: ${facts.words.join(', ')}`);
  if (key.endsWith('Url')) readAddress(source, text);
  return text;
}

function wrongValue(key: SettingKey, source: string, shown: string, expected: string): UsageError {
  const usual = settingDefinition(key).default;
  const mend = source === key ? `tankobon config set ${key} ${usual}` : `${source}=${usual}`;
  return new UsageError('bad-setting', `${source} is ${shown}, but ${expected}.`, {
    hint: `Set it right, for example: ${mend}`,
  });
}

/** Whether there is a settings file. Throws UsageError('bad-setting') where something else has its name. */
function hasSettingsFile(configFolder: string): boolean {
  const file = join(configFolder, SETTINGS_FILE);
  try {
    const { descriptor, stats } = openRegularFileSync(file);
    closeSync(descriptor);
    if (stats.size <= MAX_FILE_BYTES) return true;
    throw new UsageError('bad-setting', `The settings file ${file} is too large.`);
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return false;
    // What else the system reports is reported by conf, which opens the file again.
    if (!hasCode(error)) return true;
    throw new UsageError('bad-setting', `The settings file cannot be used: ${error.message}`, {
      cause: error,
      hint: 'Move it away, or name another folder in TANKOBON_HOME.',
    });
  }
}

/** conf asks for the home folder when it is imported, and throws without one, although nothing is kept there. */
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
 * The settings file, opened for reading and mending: what is in it may be wrong. One that is no JSON object is set
 * aside under another name, and said so.
 */
export async function openSettingsFile(configFolder: string) {
  hasSettingsFile(configFolder);
  const { default: Conf } = await importConf(configFolder);
  const file = join(configFolder, SETTINGS_FILE);
  try {
    mkdirSync(configFolder, { recursive: true, mode: FOLDER_MODE });
    return new Conf<Record<string, unknown>>({
      cwd: configFolder,
      configName: SETTINGS_FILE.replace(/\.json$/, ''),
      projectName: 'tankobon',
      configFileMode: FILE_MODE,
      deserialize: readObject,
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    if (!(cause instanceof SyntaxError)) {
      throw new UsageError('bad-setting', `The settings file ${file} cannot be used: ${why}`, {
        cause,
        hint: 'Check its permissions, or name another folder in TANKOBON_HOME.',
      });
    }
    const aside = `${file}.damaged-${Date.now().toString(36)}`;
    renameSync(file, aside);
    throw new UsageError(
      'bad-setting',
      `The settings file ${file} is damaged and was set aside as ${aside}: ${why}`,
      {
        cause,
        hint: 'Run the same command again to go on with the defaults, or mend that file and put it back.',
      },
    );
  }
}

function readObject(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SyntaxError('it holds no JSON object');
  }
  return value as Record<string, unknown>;
}
