/** `tankobon sync` and its subcommands: their options. The work is in sync.ts and in the sync-*.ts files. */
import { Argument, type Command } from 'commander';
import type { CommandName } from '../../config/option-definition.js';
import { HOOK_SERVICES } from '../../config/hook-services.js';
import type { GivenOptions } from '../../config/options.js';
import type { HookName } from '../../sync/hooks.js';
import { addOptions } from '../command-options.js';
import type { CommandContext, CommandResult, CommandRunner } from '../command-context.js';
import { addExamples, addMore } from '../help-format.js';

export function syncCommand(program: Command, { run }: CommandRunner): Command {
  const command = program
    .command('sync')
    .description('download new chapters of the subscribed titles')
    .action((flags: GivenOptions) =>
      run(async (context) => (await import('./sync.js')).sync(flags, context)),
    );
  addOptions(command, 'sync');
  addEditCommands(subcommandsOf(command, run));
  addHookCommands(command, run);
  subcommandsOf(command, run)(
    'sync status',
    'show the last run, the next run, and the chapters that wait for a preferred group',
    async () => (await import('./sync-status.js')).syncStatus,
  );
  addExamples(command, [
    ['tankobon sync add https://mangadex.org/title/UUID -l en -o ~/comics', 'subscribe to a title'],
    ['tankobon sync', 'download what is new; run it again at any time'],
    ['tankobon sync --every 6h', 'in a container: repeat until stopped'],
  ]);
  return addMore(command, 'subscriptions', 'settings', 'environment');
}

type Action<Words extends readonly unknown[]> = (
  ...given: [...Words, flags: GivenOptions, context: CommandContext]
) => CommandResult;

/**
 * Returns what adds a subcommand, whose action gets its arguments first. The options that `sync` has too are parsed as its
 * own, wherever they are.
 */
function subcommandsOf(parent: Command, run: CommandRunner['run']) {
  return <Words extends readonly unknown[]>(
    name: CommandName,
    description: string,
    load: () => Promise<Action<Words>>,
  ): Command => {
    const command = parent.command(name.replace(/.* /, '')).description(description);
    command.action((...given: unknown[]) => {
      const words = given.slice(0, -2) as unknown as Words;
      return run(async (context) => (await load())(...words, command.optsWithGlobals(), context));
    });
    return addOptions(command, name);
  };
}

const HOOKS: readonly HookName[] = [...HOOK_SERVICES, 'exec'];

function addHookCommands(sync: Command, run: CommandRunner['run']): void {
  const hook = sync
    .command('hook')
    .description('notify a media server, a service or a command')
    .helpCommand(false);
  const subcommand = subcommandsOf(hook, run);
  const kind = (flags: string) => new Argument(flags, 'the hook').choices(HOOKS);
  subcommand(
    'sync hook add',
    'write a hook to the subscriptions file, and try it',
    async () => (await import('./sync-hook.js')).syncHookAdd,
  )
    .addArgument(kind('<hook>'))
    .argument('<address...>', 'URL; for exec, after --, the command and its arguments');
  subcommand(
    'sync hook list',
    'print the hooks of the subscriptions file',
    async () => (await import('./sync-hook.js')).syncHookList,
  );
  subcommand(
    'sync hook remove',
    'remove a hook from the subscriptions file',
    async () => (await import('./sync-hook.js')).syncHookRemove,
  ).addArgument(kind('<hook>'));
  subcommand(
    'sync hook test',
    'call the hooks with a test',
    async () => (await import('./sync-hook.js')).syncHookTest,
  ).addArgument(kind('[hook]'));
  addExamples(hook, [
    ['tankobon sync hook add komga http://nas:25600 --library ID', 'scan it after new chapters'],
    ['tankobon sync hook add exec -- notify-send "New chapters"', 'run a command'],
    ['tankobon sync hook add ntfy https://ntfy.sh/TOPIC --on new,failed', 'also hear of failures'],
  ]);
}

function addEditCommands(subcommand: ReturnType<typeof subcommandsOf>): void {
  subcommand(
    'sync add',
    'subscribe to titles, or change the options of a subscription',
    async () => (await import('./sync-add.js')).syncAdd,
  ).argument(
    '<target...>',
    'MangaDex URL or UUID of a title, list, group or author; follows: what the account follows; the name of a subscription to change it, or of a title to search for',
  );
  subcommand(
    'sync remove',
    'end a subscription; downloaded chapters are kept',
    async () => (await import('./sync-edit.js')).syncRemove,
  ).argument('<subscription>', 'its name, URL, UUID or folder');
  subcommand(
    'sync edit',
    'open the subscriptions file in $VISUAL or $EDITOR, and check it',
    async () => (await import('./sync-edit.js')).syncEdit,
  ).argument('[subscription]', 'the one to begin at: its name, URL, UUID or folder');
  subcommand(
    'sync list',
    'print the subscriptions, with their names, options and state',
    async () => (await import('./sync-list.js')).syncList,
  );
  subcommand(
    'sync path',
    'print the path of the subscriptions file',
    async () => (await import('./sync-edit.js')).syncPath,
  );
  subcommand(
    'sync forget',
    'download the chapters of a title or a list again whose files are gone, in the next run',
    async () => (await import('./sync-forget.js')).syncForget,
  ).argument('<subscription>', 'its name, URL, UUID or folder');
  const decisions = {
    pin: 'take this release for its chapter, whatever the order of languages and groups is',
    block: 'never download this release; another one takes its place',
  };
  for (const key of ['pin', 'block'] as const)
    subcommand(`sync ${key}`, decisions[key], async () =>
      (await import('./sync-pin.js')).decideReleases.bind(undefined, key),
    ).argument('<chapter...>', 'MangaDex URL or UUID of a chapter');
  subcommand(
    'sync import',
    'subscribe to the titles of a Mihon backup or a MyAnimeList export, or that the account follows; fill the history from a list of chapters',
    async () => (await import('./sync-import.js')).syncImport,
  ).argument(
    '<source>',
    'follows; a backup (.tachibk), an export of MyAnimeList (.xml.gz), a download archive, or gallery-dl’s (.sqlite3); -: standard input',
  );
}
