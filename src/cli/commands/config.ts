/** `tankobon config`: shows and changes the settings file, and shows where each effective value comes from. */
import { Argument, type Command } from 'commander';
import { join } from 'node:path';
import {
  SETTING_NAMES,
  variableOf,
  type GivenOptions,
  type SettingName,
} from '../../config/options.js';
import type { SettingState } from '../../config/settings.js';
import { UsageError } from '../../core/errors.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { withoutUserInfo } from '../../core/web-address.js';
import type { BareCommandContext, CommandRunner } from '../command-context.js';
import { addOptions } from '../command-options.js';
import { addEnvironment, addExamples } from '../help-format.js';
import { shellQuoted } from '../../core/shell-quoted.js';
import { didYouMean } from '../../core/nearest.js';
import { writeError, warningMessage } from '../output/error-message.js';
import { jsonLine } from '../output/json-line.js';
import { columnsOf } from '../output/own-terminal.js';
import { maxOf } from '../../core/extremes.js';

/** Its commands work while the settings are invalid, so that they can be corrected. */
export function configCommand(program: Command, { runBare }: CommandRunner): Command {
  const command = program
    .command('config')
    .description('show and change the settings')
    .helpCommand(false);
  const listCommand = command
    .command('list')
    .description('print all settings, with the source of each value')
    .action(({ json }: GivenOptions) => runBare((context) => list(json === true, context)));
  addOptions(listCommand, 'config list');
  command
    .command('get')
    .description('print the effective value of a setting')
    .addArgument(keyArgument())
    .action((key: string) => runBare((context) => get(settingName(key), context)));
  command
    .command('set')
    .description('change a setting')
    .addArgument(keyArgument())
    .argument('<value>', 'the new value')
    .action((key: string, value: string) =>
      runBare((context) => change(settingName(key), value, context)),
    );
  command
    .command('unset')
    .description('restore the default of a setting')
    .addArgument(keyArgument())
    .action((key: string) => runBare((context) => unset(key, context)));
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

/** The choices are for help and completion; settingName checks the key and suggests a similar one. */
function keyArgument(): Argument {
  return new Argument('<key>', 'a setting').choices(SETTING_NAMES).argParser((text) => text);
}

/** Throws UsageError('bad-setting') for an unknown key. */
function settingName(text: string): SettingName {
  const name = SETTING_NAMES.find((known) => known.toLowerCase() === text.toLowerCase());
  if (name) return name;
  if (/secret|password|token/i.test(text)) {
    throw new UsageError('bad-setting', 'Secrets are not settings: they are stored by login.', {
      hint: 'Run: tankobon login',
    });
  }
  throw new UsageError('bad-setting', `Unknown setting: "${text}"`, {
    hint: `${didYouMean(text, SETTING_NAMES)}Run: tankobon help settings`,
  });
}

async function printPath({ paths, stdout, env }: BareCommandContext): Promise<undefined> {
  const { SETTINGS_FILE } = await import('../../config/settings-file.js');
  const { writePath } = await import('../output/path-line.js');
  writePath(join(paths.config, SETTINGS_FILE), stdout, env);
}

async function get(name: SettingName, context: BareCommandContext): Promise<undefined> {
  const { inspectSettings } = await import('../../config/settings.js');
  const { states } = await inspectSettings(context.env, context.paths.config);
  const state = states.find((setting) => setting.name === name);
  if (state?.problem) throw state.problem;
  context.stdout.write(`${String(state?.stored)}\n`);
}

/** Sets a value, or restores the default. Throws UsageError('bad-setting'). */
async function change(
  name: SettingName,
  text: string | undefined,
  { env, paths, stderr, signal }: BareCommandContext,
): Promise<undefined> {
  const { storedValue } = await import('../../config/settings.js');
  const { storeSetting } = await import('../../config/settings-file.js');
  const value = text === undefined ? undefined : storedValue(name, text);
  await storeSetting(paths.config, name, value, signal);
  const variable = variableOf(name);
  if (env[variable])
    stderr.write(warningMessage(`${variable} is set and overrides the settings file.`));
}

/** Restores the default, or removes a key of the file that is not a setting. Throws UsageError('bad-setting'). */
async function unset(key: string, context: BareCommandContext): Promise<undefined> {
  const { env, paths, signal } = context;
  const { inspectSettings } = await import('../../config/settings.js');
  const { unknown } = await inspectSettings(env, paths.config);
  if (!unknown.includes(key)) return change(settingName(key), undefined, context);
  const { storeSetting } = await import('../../config/settings-file.js');
  await storeSetting(paths.config, key, undefined, signal);
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
      warningMessage(
        `Unknown setting in the settings file: "${name}" ${didYouMean(name, SETTING_NAMES)}`.trim(),
        `To remove it, run: tankobon config unset ${shellQuoted(name)}`,
      ),
    );
  const problems = states.flatMap(({ problem }) => problem ?? []);
  for (const problem of problems) writeError(problem, { env, redactor, stderr });
  return problems.length === 0 ? EXIT.done : EXIT.usage;
}

function toJson(states: readonly SettingState[]): string {
  const settings = states.map(({ name, stored, source, problem }) => [
    name,
    { value: withoutSecret(stored), source, problem: problem?.message },
  ]);
  return jsonLine(Object.fromEntries(settings));
}

/** One line for each setting, or two if the terminal is too narrow. */
function toTable(states: readonly SettingState[], stdout: BareCommandContext['stdout']): string {
  const columns = columnsOf(stdout) ?? Infinity;
  const nameWidth = maxOf(states.map(({ name }) => name.length));
  const rows = states.map(({ name, stored, source, problem }) => {
    const shown = withoutSecret(stored);
    const text = typeof shown === 'string' ? shown || '(empty)' : JSON.stringify(shown);
    const from = source === 'environment' ? variableOf(name) : source;
    return [name, `${text}  (${from}${problem ? '; invalid' : ''})`] as const;
  });
  const isWide = rows.every(([, text]) => nameWidth + 2 + text.length < columns);
  return rows
    .map(([name, text]) => `${isWide ? `${name.padEnd(nameWidth)}  ` : `${name}\n  `}${text}\n`)
    .join('');
}

/** An invalid URL may still contain a password. */
function withoutSecret(value: unknown): unknown {
  return typeof value === 'string' ? withoutUserInfo(value) : value;
}
