/** `tankobon config`: shows and changes the settings file, and shows where each effective value comes from. */
import { Argument, type Command } from 'commander';
import { join } from 'node:path';
import {
  SETTING_KEYS,
  settingDefinition,
  type SettingKey,
} from '../../config/setting-definitions.js';
import type { SettingState } from '../../config/settings.js';
import { UsageError } from '../../core/errors.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { withoutUserInfo } from '../../core/web-address.js';
import type { BareCommandContext, CommandRunner } from '../command-context.js';
import { addEnvironment, addExamples } from '../help-format.js';
import { nearest } from '../../core/nearest.js';
import { errorMessage, warningMessage } from '../output/error-message.js';

/** Its commands work while the settings are invalid, so that they can be corrected. */
export function configCommand(program: Command, { runBare }: CommandRunner): Command {
  const command = program
    .command('config')
    .description('show and change the settings')
    .helpCommand(false);
  command
    .command('list')
    .description('print all settings, with the source of each value')
    .option('--json', 'print one JSON object')
    .action(({ json }: { json?: boolean }) => runBare((context) => list(json === true, context)));
  command
    .command('get')
    .description('print the effective value of a setting')
    .addArgument(keyArgument())
    .action((key: string) => runBare((context) => get(settingKey(key), context)));
  command
    .command('set')
    .description('change a setting')
    .addArgument(keyArgument())
    .argument('<value>', 'the new value')
    .action((key: string, value: string) =>
      runBare((context) => change(settingKey(key), value, context)),
    );
  command
    .command('unset')
    .description('restore the default of a setting')
    .addArgument(keyArgument())
    .action((key: string) => runBare((context) => change(settingKey(key), undefined, context)));
  command
    .command('path')
    .description('print the path of the settings file')
    .action(() => runBare(printPath));
  addExamples(command, [
    ['tankobon config list', 'each value, and where it comes from'],
    ['tankobon config set quality data-saver', 'smaller images from now on'],
    ['tankobon config unset quality', 'back to the default'],
  ]);
  return addEnvironment(command, 'TANKOBON_HOME');
}

/** The choices are for help and completion; settingKey checks the key and suggests a similar one. */
function keyArgument(): Argument {
  return new Argument('<key>', 'a setting').choices(SETTING_KEYS).argParser((text) => text);
}

/** Throws UsageError('bad-setting') for an unknown key. */
function settingKey(text: string): SettingKey {
  const key = SETTING_KEYS.find((known) => known.toLowerCase() === text.toLowerCase());
  if (key) return key;
  if (/secret|password|token/i.test(text)) {
    throw new UsageError('bad-setting', 'Secrets are not settings: they are stored by login.', {
      hint: 'Run: tankobon login',
    });
  }
  throw new UsageError('bad-setting', `Unknown setting: "${text}"`, {
    hint: `${didYouMean(text)}The settings are: ${SETTING_KEYS.join(', ')}.`,
  });
}

function didYouMean(name: string): string {
  const suggestion = nearest(name, SETTING_KEYS);
  return suggestion === undefined ? '' : `Did you mean ${suggestion}? `;
}

async function printPath({ paths, stdout }: BareCommandContext): Promise<ExitCode> {
  const { SETTINGS_FILE } = await import('../../config/settings-file.js');
  stdout.write(`${join(paths.config, SETTINGS_FILE)}\n`);
  return EXIT.done;
}

async function get(key: SettingKey, context: BareCommandContext): Promise<ExitCode> {
  const { inspectSettings } = await import('../../config/settings.js');
  const { states } = await inspectSettings(context.env, context.paths.config);
  const state = states.find((setting) => setting.key === key);
  if (state?.problem) throw state.problem;
  context.stdout.write(`${String(state?.value)}\n`);
  return EXIT.done;
}

/** Sets a value, or restores the default. Throws UsageError('bad-setting'). */
async function change(
  key: SettingKey,
  text: string | undefined,
  { env, paths, stderr, signal }: BareCommandContext,
): Promise<ExitCode> {
  const { parseSetting } = await import('../../config/settings.js');
  const { storeSetting } = await import('../../config/settings-file.js');
  const value = text === undefined ? undefined : parseSetting(key, text);
  await storeSetting(paths.config, key, value, signal);
  const { env: variable } = settingDefinition(key);
  if (variable !== undefined && env[variable])
    stderr.write(warningMessage(`${variable} is set and overrides the settings file.`));
  return EXIT.done;
}

/** Exit code 2 if a setting is invalid. */
async function list(
  json: boolean,
  { env, paths, stdout, stderr, redactor }: BareCommandContext,
): Promise<ExitCode> {
  const { inspectSettings } = await import('../../config/settings.js');
  const { states, unknown } = await inspectSettings(env, paths.config);
  stdout.write(json ? toJson(states) : toTable(states, stdout));
  for (const name of unknown)
    stderr.write(
      warningMessage(`Unknown setting in the settings file: "${name}" ${didYouMean(name)}`.trim()),
    );
  const problems = states.flatMap(({ problem }) => problem ?? []);
  for (const problem of problems) stderr.write(errorMessage(problem, { env, redactor }));
  return problems.length === 0 ? EXIT.done : EXIT.usage;
}

function toJson(states: readonly SettingState[]): string {
  const settings = states.map(({ key, value, source, problem }) => [
    key,
    { value: withoutSecret(value), source, problem: problem?.message },
  ]);
  return `${JSON.stringify(Object.fromEntries(settings))}\n`;
}

/** One line for each setting, or two if the terminal is too narrow. */
function toTable(states: readonly SettingState[], stdout: BareCommandContext['stdout']): string {
  const columns = stdout.isTTY ? stdout.columns || Infinity : Infinity;
  const keyWidth = Math.max(...states.map(({ key }) => key.length));
  const rows = states.map(({ key, value, source, problem }) => {
    const shown = withoutSecret(value);
    const text = typeof shown === 'string' ? shown || '(empty)' : JSON.stringify(shown);
    const from = source === 'environment' ? (settingDefinition(key).env ?? source) : source;
    return [key, `${text}  (${from}${problem ? '; invalid' : ''})`] as const;
  });
  const isWide = rows.every(([, text]) => keyWidth + 2 + text.length < columns);
  return rows
    .map(([key, text]) => `${isWide ? `${key.padEnd(keyWidth)}  ` : `${key}\n  `}${text}\n`)
    .join('');
}

/** An invalid URL may still contain a password. */
function withoutSecret(value: unknown): unknown {
  return typeof value === 'string' ? withoutUserInfo(value) : value;
}
