/** `tankobon config`: the settings that stay, and where each value in force comes from. */
import { join } from 'node:path';
import { UsageError } from '../../kernel/errors.js';
import { EXIT, type ExitCode } from '../../kernel/exit-codes.js';
import { fitted } from '../output/progress-line.js';
import type { Run } from '../run.js';
import { SETTING_KEYS, settingFacts, type SettingKey } from '../setting-table.js';
import {
  loadSettings,
  openSettingsFile,
  parseSetting,
  SETTINGS_FILE,
  type LoadedSettings,
} from '../settings.js';

export type ConfigOptions =
  | { readonly action: 'get' | 'unset'; readonly key: string }
  | { readonly action: 'set'; readonly key: string; readonly value: string }
  | { readonly action: 'list'; readonly json?: boolean }
  | { readonly action: 'path' };

/** Throws UsageError('bad-setting') for a key or a value that is none, naming the right ones. */
export async function config(options: ConfigOptions, run: Run): Promise<ExitCode> {
  const folder = run.folders.config;
  switch (options.action) {
    case 'path':
      run.stdout.write(`${join(folder, SETTINGS_FILE)}\n`);
      break;
    case 'get':
      run.stdout.write(
        `${(await loadSettings(run.env, folder)).settings[settingKey(options.key)]}\n`,
      );
      break;
    case 'list':
      list(await loadSettings(run.env, folder), options.json === true, run);
      break;
    case 'set': {
      const key = settingKey(options.key);
      const value = parseSetting(key, options.value);
      (await openSettingsFile(folder)).set(key, value);
      warnIfOverridden(key, run);
      break;
    }
    case 'unset': {
      const key = settingKey(options.key);
      (await openSettingsFile(folder)).delete(key);
      warnIfOverridden(key, run);
    }
  }
  return EXIT.done;
}

function settingKey(text: string): SettingKey {
  const key = SETTING_KEYS.find((known) => known.toLowerCase() === text.toLowerCase());
  if (key) return key;
  throw new UsageError('bad-setting', `There is no setting "${text}".`, {
    hint: `The settings are: ${SETTING_KEYS.join(', ')}.`,
  });
}

/** A value that is set and still not in force would puzzle whoever set it. */
function warnIfOverridden(key: SettingKey, run: Run): void {
  const { env } = settingFacts(key);
  if (env !== undefined && run.env[env]) {
    run.stderr.write(
      `tankobon: ${env} is set in the environment and goes before the settings file.\n`,
    );
  }
}

function list({ settings, sources }: LoadedSettings, json: boolean, run: Run): void {
  if (json) {
    const all = Object.fromEntries(
      SETTING_KEYS.map((key) => [key, { value: settings[key], source: sources[key] }]),
    );
    run.stdout.write(`${JSON.stringify(all)}\n`);
    return;
  }
  const widest = Math.max(...SETTING_KEYS.map((key) => key.length));
  for (const key of SETTING_KEYS) {
    const value = settings[key] === '' ? '(empty)' : String(settings[key]);
    run.stdout.write(`${fitted(key, widest)}  ${value}  (${sources[key]})\n`);
  }
}
