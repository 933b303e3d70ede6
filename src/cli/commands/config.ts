/** `tankobon config`: the settings that stay, and where each value in force comes from. */
import { join } from 'node:path';
import { UsageError } from '../../core/errors.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { withoutUserInfo } from '../../core/web-address.js';
import { nearest } from '../nearest.js';
import { errorMessage } from '../output/error-message.js';
import { fitToWidth } from '../output/progress-line.js';
import type { BareCommandContext } from '../command-context.js';
import { SETTING_KEYS, settingDefinition, type SettingKey } from '../../app/setting-definitions.js';
import {
  inspectSettings,
  openSettingsFile,
  parseSetting,
  SETTINGS_FILE,
  type SettingState,
} from '../../app/settings.js';

export type ConfigOptions =
  | { readonly action: 'get' | 'unset'; readonly key: string }
  | { readonly action: 'set'; readonly key: string; readonly value: string }
  | { readonly action: 'list'; readonly json?: boolean }
  | { readonly action: 'path' };

/**
 * Works while the settings are wrong, so that they can be mended with it; a wrong one makes `list` exit 2. Throws
 * UsageError('bad-setting') for a key or a value that is none, naming the right ones.
 */
export async function config(options: ConfigOptions, run: BareCommandContext): Promise<ExitCode> {
  const folder = run.paths.config;
  switch (options.action) {
    case 'path':
      run.stdout.write(`${join(folder, SETTINGS_FILE)}\n`);
      return EXIT.done;
    case 'get':
      await get(settingKey(options.key), run);
      return EXIT.done;
    case 'list':
      return list(options.json === true, run);
    case 'set': {
      const key = settingKey(options.key);
      const value = parseSetting(key, options.value);
      await change(run, (file) => {
        file.set(key, value);
      });
      warnIfOverridden(key, run);
      return EXIT.done;
    }
    case 'unset': {
      const key = settingKey(options.key);
      await change(run, (file) => {
        file.delete(key);
      });
      warnIfOverridden(key, run);
      return EXIT.done;
    }
  }
}

type SettingsFile = Awaited<ReturnType<typeof openSettingsFile>>;

async function change(
  { paths }: BareCommandContext,
  act: (file: SettingsFile) => void,
): Promise<void> {
  const file = await openSettingsFile(paths.config);
  try {
    act(file);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError('bad-setting', `The settings file cannot be written: ${why}`, {
      cause,
      hint: 'Check the folder’s permissions, or name another one in TANKOBON_HOME.',
    });
  }
}

function settingKey(text: string): SettingKey {
  const key = SETTING_KEYS.find((known) => known.toLowerCase() === text.toLowerCase());
  if (key) return key;
  if (/secret|password|token/i.test(text)) {
    throw new UsageError('bad-setting', 'Secrets are no settings: they are kept with the login.', {
      hint: 'Type: tankobon login',
    });
  }
  const meant = nearest(text, SETTING_KEYS);
  throw new UsageError('bad-setting', `There is no setting "${text}".`, {
    hint: `${meant === undefined ? '' : `Did you mean ${meant}? `}The settings are: ${SETTING_KEYS.join(', ')}.`,
  });
}

async function get(key: SettingKey, { env, paths, stdout }: BareCommandContext): Promise<void> {
  const { states } = await inspectSettings(env, paths.config);
  const state = states.find((one) => one.key === key);
  if (state?.problem) throw state.problem;
  stdout.write(`${String(state?.value)}\n`);
}

/** A value that is set and still not in force would puzzle whoever set it. */
function warnIfOverridden(key: SettingKey, run: BareCommandContext): void {
  const { env } = settingDefinition(key);
  if (env !== undefined && run.env[env]) {
    run.stderr.write(
      `tankobon: ${env} is set in the environment and goes before the settings file.\n`,
    );
  }
}

async function list(asJson: boolean, run: BareCommandContext): Promise<ExitCode> {
  const { states, unknown } = await inspectSettings(run.env, run.paths.config);
  run.stdout.write(asJson ? jsonOf(states) : linesOf(states, run.stdout));
  for (const name of unknown) {
    const meant = nearest(name, SETTING_KEYS);
    run.stderr.write(
      `tankobon: The settings file holds "${name}", which is no setting.${meant === undefined ? '' : ` Did you mean ${meant}?`}\n`,
    );
  }
  const problems = states.flatMap(({ problem }) => problem ?? []);
  for (const problem of problems) run.stderr.write(errorMessage(problem, run.env));
  return problems.length === 0 ? EXIT.done : EXIT.usage;
}

function jsonOf(states: readonly SettingState[]): string {
  const all = Object.fromEntries(
    states.map(({ key, value, source, problem }) => [
      key,
      { value: withoutSecret(value), source, ...(problem && { problem: problem.message }) },
    ]),
  );
  return `${JSON.stringify(all)}\n`;
}

/** A line for each, or two where a terminal is too narrow for that. */
function linesOf(states: readonly SettingState[], stdout: BareCommandContext['stdout']): string {
  const room = stdout.isTTY ? stdout.columns || Infinity : Infinity;
  const widest = Math.max(...states.map(({ key }) => key.length));
  const rows = states.map((state) => {
    const { key, problem } = state;
    const value = withoutSecret(state.value);
    const shown =
      value === '' ? '(empty)' : typeof value === 'string' ? value : JSON.stringify(value);
    return [key, `${shown}  (${sourceOf(state)}${problem ? '; wrong' : ''})`] as const;
  });
  const isWide = rows.every(([, told]) => widest + 2 + told.length < room);
  return rows
    .map(([key, told]) =>
      isWide ? `${fitToWidth(key, widest)}  ${told}\n` : `${key}\n  ${told}\n`,
    )
    .join('');
}

/** A value that was meant as a URL may hold a password where it is not one. */
function withoutSecret(value: unknown): unknown {
  return typeof value === 'string' ? withoutUserInfo(value) : value;
}

function sourceOf({ key, source }: SettingState): string {
  return source === 'environment' ? (settingDefinition(key).env ?? source) : source;
}
