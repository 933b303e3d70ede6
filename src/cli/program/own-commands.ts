/** The commands about tankobon itself: config, completion, help. */
import { Argument } from 'commander';
import type { ConfigOptions } from '../commands/config.js';
import { SETTING_KEYS } from '../../app/setting-definitions.js';
import { collect } from './flag-values.js';
import type { ToldCommand } from './told-command.js';
import { COMMAND_GROUPS, HELP_TOPICS, type TreeParts } from './tree-parts.js';

export function addOwnCommands(program: ToldCommand, parts: TreeParts): void {
  program.commandsGroup(COMMAND_GROUPS.itself);
  addConfig(program, parts);
  addCompletion(program, parts);
  addHelp(program, parts);
}

function addConfig(program: ToldCommand, { bare, done }: TreeParts): void {
  const act = async (options: ConfigOptions): Promise<void> => {
    const { config } = await import('../commands/config.js');
    done(await config(options, bare()));
  };
  const config = program
    .command('config')
    .description('see and change the settings that stay')
    .example('tankobon config list', 'each value, and where it comes from')
    .example('tankobon config set quality data-saver', 'smaller pages from now on')
    .example('tankobon config unset quality', 'back to the default')
    .reads('TANKOBON_HOME');
  config
    .command('list')
    .description('all settings, with the source of each value')
    .option('--json', 'as one JSON object')
    .action((options: { json?: boolean }) => act({ action: 'list', ...options }));
  config
    .command('get')
    .description('the value in force of one setting')
    .addArgument(settingArgument())
    .action((key: string) => act({ action: 'get', key }));
  config
    .command('set')
    .description('set one setting')
    .addArgument(settingArgument())
    .argument('<value>', 'its value')
    .action((key: string, value: string) => act({ action: 'set', key, value }));
  config
    .command('unset')
    .description('go back to the default')
    .addArgument(settingArgument())
    .action((key: string) => act({ action: 'unset', key }));
  config
    .command('path')
    .description('where the settings file is')
    .action(() => act({ action: 'path' }));
}

/** Completion and help know the keys; what is none is told by the command, which knows the nearest. */
function settingArgument(): Argument {
  return new Argument('<key>', 'one of the settings')
    .choices(SETTING_KEYS)
    .argParser((text) => text);
}

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

function addCompletion(program: ToldCommand, { bare, done }: TreeParts): void {
  program
    .command('completion')
    .description('print a completion script for your shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .example("echo 'source <(tankobon completion bash)' >> ~/.bashrc", 'bash')
    .example("echo 'source <(tankobon completion zsh)' >> ~/.zshrc", 'zsh, below compinit')
    .example('tankobon completion fish > ~/.config/fish/completions/tankobon.fish', 'fish')
    .example('tankobon completion powershell | Out-String | Invoke-Expression', 'in $PROFILE')
    .action(async (shell: (typeof SHELLS)[number]) => {
      const { completion } = await import('../commands/completion.js');
      done(completion(shell, bare()));
    });
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: readonly string[]) => {
      const { complete } = await import('../commands/completion.js');
      done(complete(program, words, bare()));
    });
}

function topicArgument(program: ToldCommand): Argument {
  const names = [
    ...program
      .createHelp()
      .visibleCommands(program)
      .map((command) => command.name()),
    'help',
    ...HELP_TOPICS,
  ];
  return new Argument('[command...]', 'what to say more of').choices(names).argParser(collect);
}

function addHelp(program: ToldCommand, { bare, done }: TreeParts): void {
  program
    .command('help')
    .description('say more of a command, or of: environment, exit-codes')
    .addArgument(topicArgument(program))
    .action(async (words: readonly string[] = []) => {
      const { help } = await import('../commands/help.js');
      done(help(words, program, bare()));
    });
}
