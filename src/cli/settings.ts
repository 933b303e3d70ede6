/**
 * The settings in force and where each comes from: environment before file before default. (A flag comes before
 * all; the command that has it applies it.) The file is written and checked by `conf`, from the schema made here.
 */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../kernel/errors.js';
import { readAddress } from '../service/addresses.js';
import {
  settingFacts,
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  type Settings,
} from './setting-table.js';

export type SettingSource = 'environment' | 'file' | 'default';
export type SettingValue = string | number | boolean;

export interface LoadedSettings {
  readonly settings: Settings;
  readonly sources: Readonly<Record<SettingKey, SettingSource>>;
}

/** The settings file's name inside the config folder. */
export const SETTINGS_FILE = 'settings.json';

/** Reads settings for this environment. Throws UsageError('bad-setting') naming the key, the source and the mend. */
export async function loadSettings(
  env: Readonly<NodeJS.ProcessEnv>,
  configFolder: string,
): Promise<LoadedSettings> {
  const file = join(configFolder, SETTINGS_FILE);
  // conf brings a schema compiler along; without a file there is nothing for it to do.
  const stored = existsSync(file) ? (await openSettingsFile(configFolder)).store : {};
  const settings: Record<string, SettingValue> = {};
  const sources: Partial<Record<SettingKey, SettingSource>> = {};
  for (const key of SETTING_KEYS) {
    const facts = settingFacts(key);
    const fromEnv = facts.env === undefined ? undefined : env[facts.env];
    if (fromEnv !== undefined && fromEnv !== '') {
      settings[key] = parseSetting(key, fromEnv, facts.env);
      sources[key] = 'environment';
    } else {
      const fromFile = stored[key];
      settings[key] = fromFile ?? facts.default;
      sources[key] = fromFile === undefined ? 'default' : 'file';
    }
  }
  return { settings: settings as Settings, sources: sources as Record<SettingKey, SettingSource> };
}

/** A setting's value from its text. `source` names where the text stands, for the message. */
export function parseSetting(key: SettingKey, text: string, source: string = key): SettingValue {
  const facts = settingFacts(key);
  const wrong = (expected: string) =>
    new UsageError('bad-setting', `${source} is "${text}", but ${expected}.`, {
      hint: `Set it right, for example: ${source === key ? `tankobon config set ${key} ${facts.default}` : `${source}=${facts.default}`}`,
    });
  if (typeof facts.default === 'number') {
    const value = Number(text);
    const [least, most] = facts.range ?? [0, Number.MAX_SAFE_INTEGER];
    if (text.trim() === '' || !Number.isInteger(value) || value < least || value > most) {
      throw wrong(`it must be a whole number from ${least} to ${most}`);
    }
    return value;
  }
  if (typeof facts.default === 'boolean') {
    if (text !== 'true' && text !== 'false') throw wrong('it must be true or false');
    return text === 'true';
  }
  if (facts.words && !facts.words.includes(text))
    throw wrong(`it must be one of: ${facts.words.join(', ')}`);
  if (key.endsWith('Url')) readAddress(source, text);
  return text;
}

/**
 * The settings file, opened with its schema. One that is no JSON is set aside under another name, and said so; one
 * that holds a wrong value stays, and the value is named.
 */
export async function openSettingsFile(configFolder: string) {
  const { default: Conf } = await import('conf');
  const file = join(configFolder, SETTINGS_FILE);
  try {
    return new Conf<Record<string, SettingValue>>({
      cwd: configFolder,
      configName: SETTINGS_FILE.replace(/\.json$/, ''),
      schema: settingsSchema(),
      projectName: 'tankobon',
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    if (!(cause instanceof SyntaxError)) {
      throw new UsageError('bad-setting', `The settings file ${file} holds a wrong value: ${why}`, {
        cause,
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

function settingsSchema() {
  return Object.fromEntries(
    SETTING_KEYS.map((key) => {
      const facts = settingFacts(key);
      const type = typeof SETTINGS[key].default as 'string' | 'number' | 'boolean';
      return [
        key,
        {
          type: type === 'number' ? ('integer' as const) : type,
          ...(facts.range ? { minimum: facts.range[0], maximum: facts.range[1] } : {}),
          ...(facts.words ? { enum: [...facts.words] } : {}),
        },
      ];
    }),
  );
}
