/**
 * The command tree. Each command defines its flags, help and action in its own file and imports what the action
 * needs when it runs. Help, completion and docs/commands.md are made from this tree.
 */
import { Command, CommanderError, Option, type OutputConfiguration } from 'commander';
import { UsageError } from '../core/errors.js';
import { kebabCase, oppositeFlag, SETTING_NAMES } from '../config/options.js';
import { EXIT, type ExitCode } from '../core/exit-codes.js';
import { VERSION } from '../core/version.js';
import { looksLikeTarget } from '../selection/target.js';
import type { BareCommandContext, CommandRunner } from './command-context.js';
import { adoptCommand } from './commands/adopt.js';
import { bindCommand } from './commands/bind.js';
import { completeCommand, completionCommand } from './commands/completion.js';
import { configCommand } from './commands/config.js';
import { demoCommand } from './commands/demo.js';
import { doctorCommand } from './commands/doctor.js';
import { downloadCommand } from './commands/download-command.js';
import { helpCommand } from './commands/help.js';
import { infoCommand } from './commands/info.js';
import { limitsCommand } from './commands/limits.js';
import { loginCommand } from './commands/login.js';
import { logoutCommand } from './commands/logout.js';
import { overviewCommand } from './commands/overview.js';
import { refreshCommand } from './commands/refresh.js';
import { reportStatusCommand } from './commands/report-status.js';
import { retagCommand } from './commands/retag.js';
import { searchCommand } from './commands/search.js';
import { syncCommand } from './commands/sync-command.js';
import { verifyCommand } from './commands/verify.js';
import { whoamiCommand } from './commands/whoami.js';
import { addExamples, addTopics, HELP_FORMAT } from './help-format.js';
import { HELP_OUTPUT } from './prepared-help.js';
import { didYouMean } from '../core/nearest.js';
import { shellQuoted } from '../core/shell-quoted.js';
import { commandPath, parseOptions } from './command-options.js';
import { COLOR_CHOICES } from './output/colors.js';
import { rawStream } from './output/safe-stream.js';

/** Functions, so that only the command that runs is loaded. */
const COMMANDS = {
  'Chapters:': {
    download: () => downloadCommand,
    sync: () => syncCommand,
    search: () => searchCommand,
    info: () => infoCommand,
    bind: () => bindCommand,
    retag: () => retagCommand,
    verify: () => verifyCommand,
    adopt: () => adoptCommand,
    overview: () => overviewCommand,
    demo: () => demoCommand,
  },
  'Account:': {
    login: () => loginCommand,
    whoami: () => whoamiCommand,
    refresh: () => refreshCommand,
    logout: () => logoutCommand,
  },
  'Status:': {
    doctor: () => doctorCommand,
    limits: () => limitsCommand,
    'report-status': () => reportStatusCommand,
  },
  'Configuration:': { config: () => configCommand, completion: () => completionCommand },
};
const NAMES = new Set(Object.values(COMMANDS).flatMap(Object.keys));

/** Runs one command line; an empty one prints the help. Throws what the command throws, and UsageError('bad-option'). */
export async function runProgram(
  args: readonly string[],
  context: BareCommandContext,
): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.done;
  const runner: CommandRunner = {
    run: async (action) => {
      const { withSettings } = await import('./with-settings.js');
      exitCode = (await action(await withSettings(context))) ?? EXIT.done;
    },
    runBare: async (action) => {
      exitCode = (await action(context)) ?? EXIT.done;
    },
  };
  const words = withCommand(args);
  const output: OutputConfiguration = {
    writeOut: (text) => {
      // Raw, since help has our own colors.
      rawStream(context.stdout).write(text);
    },
  };
  const program = commandTree(runner, output, words[0]);
  checkCommand(program, words);
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.done;
    if (error.code !== 'commander.help') throw usageError(error, program, words);
    return EXIT.usage;
  }
  return exitCode;
}

/** The words with their command: no words are `help`, and an address or a UUID without a command is `download`. */
function withCommand(args: readonly string[]): readonly string[] {
  if (args.length === 0) return ['help'];
  // A mistyped command is an error, whatever follows it; options may stand before the address.
  const isFirst = (word: string, at: number) =>
    NAMES.has(word) || looksLikeTarget(word) || (at === 0 && !word.startsWith('-'));
  const first = args.find(isFirst) ?? '';
  return looksLikeTarget(first) ? ['download', ...args] : args;
}

const notRun = () => Promise.reject(new Error('This command tree runs no commands.'));

/**
 * The tree, not yet parsed. Without a runner it is only for reading. `output` says where help and the version go. If
 * `first` is a command, the others are left out: 4 % of the processor time until the first request.
 */
export function commandTree(
  runner: CommandRunner = { run: notRun, runBare: notRun },
  output: OutputConfiguration = {},
  first = '',
): Command {
  const program = new Command('tankobon')
    .description('Download MangaDex chapters as CBZ files')
    .version(VERSION)
    .addOption(
      new Option('--color <when>', `color messages: ${COLOR_CHOICES.join(', ')}`).choices(
        COLOR_CHOICES,
      ),
    )
    .helpCommand(false)
    .configureHelp(HELP_FORMAT)
    .configureOutput({ ...HELP_OUTPUT, outputError: () => undefined, ...output })
    .hook('preAction', (_, command) => parseOptions(command))
    .exitOverride();
  for (const [group, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(group);
    for (const [name, addCommand] of Object.entries(commands))
      if (name === first || !NAMES.has(first)) addCommand()(program, runner);
  }
  if (!NAMES.has(first)) {
    completeCommand(program, runner);
    helpCommand(program, runner);
  }
  addExamples(program, [
    ['tankobon demo', 'try it: everything stays on this machine'],
    ['tankobon search <words>', 'find a title and download it'],
    ['tankobon <UUID or URL>', 'download a chapter, a title, a list, …'],
  ]);
  return addTopics(program);
}

/** Throws UsageError('bad-option') for an unknown command, also before `--help`, where commander shows other help. */
function checkCommand(program: Command, words: readonly string[]): void {
  let command: Command = program;
  for (const word of words) {
    if (command.commands.length === 0 || word.startsWith('-')) return;
    const found = command.commands.find((sub) => sub.name() === word);
    if (!found) throw unknownCommand(command, words.slice(words.indexOf(word)));
    command = found;
  }
}

/** commander's message, `error: unknown option '--x'⏎(Did you mean --y?)`, as an error with a hint. */
function usageError(
  { code, message: text }: CommanderError,
  program: Command,
  args: readonly string[],
): UsageError {
  let command = program;
  for (const arg of args) command = command.commands.find((sub) => sub.name() === arg) ?? command;
  if (code === 'commander.excessArguments' && command.commands.length > 0)
    return unknownCommand(command, command.args);
  const [message = '', suggestion = ''] = withoutOptionValue(text)
    .replace(/^error: /, '')
    .split('\n');
  const valued = code === 'commander.unknownOption' && switchWithValue(program, command, args);
  if (valued) return valued;
  const option = /^unknown option '([^']+)'$/.exec(message)?.[1];
  if (
    option !== undefined &&
    command.options.some(({ short, long }) => [short, long].includes(option))
  ) {
    const found = commandPath(command);
    return new UsageError('bad-option', `Unknown option '${option}' before ${found}.`, {
      hint: `Put it after the command: tankobon ${found} ${option}`,
    });
  }
  const choice =
    /^command-argument value '(.*)' is invalid for argument '([^']+)'\. Allowed choices are (.*)\.$/s.exec(
      message,
    );
  if (choice) return unknownChoice(choice, pathBelow(program, command));
  const sentence = message.charAt(0).toUpperCase() + message.slice(1);
  const longer = option === undefined ? undefined : longerOption(option, command);
  const similar = longer ?? /Did you mean (\S+?)\?/.exec(suggestion)?.[1];
  // The error has no cause: with DEBUG, commander's own would print the value that is left out here.
  const meant =
    similar === undefined
      ? settingNote(option, command) + quietNote(message, command)
      : `Did you mean ${similar}? `;
  return new UsageError('bad-option', /[.!?]$/.test(sentence) ? sentence : `${sentence}.`, {
    hint: `${meant}Run: tankobon help${pathBelow(program, command)}`,
  });
}

/** Such as `--update=true`; undefined without one. The value is left out, since it may be a password. */
function switchWithValue(
  program: Command,
  command: Command,
  args: readonly string[],
): UsageError | undefined {
  const switches = command.options.filter(({ required, optional }) => !required && !optional);
  for (const arg of args) {
    const [, name = '', value = ''] = /^(--?[^=]+)=(.*)$/s.exec(arg) ?? [];
    const found = switches.find(({ short, long }) => [short, long].includes(name));
    if (!found) continue;
    const isOff = /^(false|no|off|0)$/i.test(value);
    const flag = isOff ? oppositeFlag(found.long ?? '') : name;
    const isThere = switches.some(({ short, long }) => [short, long].includes(flag));
    const path = pathBelow(program, command);
    return new UsageError('bad-option', `Option '${name}' takes no value.`, {
      hint: isThere ? `Run: tankobon${path} ${flag}` : `Leave it out. Run: tankobon help${path}`,
    });
  }
  return undefined;
}

/** `sync` takes from the settings what `download` has options for. */
function settingNote(option: string | undefined, command: Command): string {
  const key = option?.replace(/^--(no-)?/, '');
  const setting = SETTING_NAMES.find((name) => kebabCase(name) === key);
  return setting !== undefined && commandPath(command) === 'sync'
    ? `Set it for all runs: tankobon config set ${setting} VALUE. `
    : '';
}

/** `-q` without a quality, since it is `--quiet` in most programs. */
function quietNote(message: string, { options }: Command): string {
  const isQuality = message.includes("option '-q, --quality");
  return isQuality && options.some(({ long }) => long === '--quiet')
    ? 'For less output, use --quiet. '
    : '';
}

function unknownChoice(
  [, word = '', name = '', choices = '']: RegExpExecArray,
  path: string,
): UsageError {
  const suggestion = didYouMean(word, choices.split(', '));
  return new UsageError('bad-option', `Unknown ${name} '${word}'.`, {
    hint: `${suggestion}Use one of: ${choices}. Run: tankobon help${path}`,
  });
}

const pathBelow = (program: Command, command: Command) =>
  command === program ? '' : ` ${commandPath(command)}`;

/** The only option that begins with `start`, such as `--language` for `--lang`. */
function longerOption(start: string, { options }: Command): string | undefined {
  const names = options.flatMap(({ long }) => (long?.startsWith(start) ? long : []));
  return start.startsWith('--') && names.length === 1 ? names[0] : undefined;
}

/** @param words the unknown command and what follows it */
function unknownCommand(command: Command, words: readonly string[]): UsageError {
  const [word = ''] = words;
  const names = command.commands.map((sub) => sub.name());
  const suggestion = didYouMean(word, names);
  const isTopLevel = command.parent === null;
  const search = words.filter((each) => !each.startsWith('-')).map(shellQuoted);
  const targets = words.filter((each) => looksLikeTarget(each)).map(shellQuoted);
  const elsewhere = isTopLevel ? commandElsewhere(word, targets.length > 0) : undefined;
  if (elsewhere !== undefined)
    return new UsageError('bad-option', `Unknown command '${word}'.`, {
      hint: `Run: ${elsewhere}`,
    });
  const meant =
    targets.length > 0
      ? `To download it, run: tankobon download ${targets.join(' ')}`
      : `To search for a title, run: tankobon search ${search.join(' ')}`;
  const hint =
    isTopLevel && suggestion === ''
      ? meant
      : `${suggestion}Run: tankobon help${isTopLevel ? '' : ` ${commandPath(command)}`}`;
  return new UsageError('bad-option', `Unknown command '${word}'.`, { hint });
}

/**
 * What has this name elsewhere: an option, or the subcommands of one or several commands. Those of `config` take no
 * target.
 */
function commandElsewhere(word: string, hasTarget: boolean): string | undefined {
  if (word === 'version') return 'tankobon --version';
  const parents = commandTree().commands.filter(
    (parent) =>
      parent.commands.some((sub) => sub.name() === word) &&
      !(hasTarget && parent.name() === 'config'),
  );
  if (parents.length === 0) return undefined;
  return parents.map((parent) => `tankobon ${parent.name()} ${word}`).join(', or: ');
}

/** An unknown option without its value, which may be a password. */
function withoutOptionValue(message: string): string {
  return message.replace(/(unknown option '(?:--[\w-]*|-\w)).*'(?=$|\n\(Did you mean)/s, "$1'");
}
