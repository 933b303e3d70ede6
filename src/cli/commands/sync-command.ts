/** `tankobon sync` and its subcommands: their options. The work is in sync.ts and in the sync-*.ts files. */
import { Argument, type Command } from 'commander';
import { HOOK_SERVICES } from '../../config/hook-services.js';
import type { GivenOptions } from '../../config/options.js';
import type { HookName } from '../../sync/hooks.js';
import { addOptions } from '../command-options.js';
import type { CommandRunner } from '../command-context.js';
import { addExamples, addMore } from '../help-format.js';

/** The options of a subcommand: those that `sync` has too are parsed as its own, wherever they are. */
const flagsOf = (self: Command) => self.optsWithGlobals<GivenOptions>();

export function syncCommand(program: Command, runner: CommandRunner): Command {
  const { run } = runner;
  const command = program
    .command('sync')
    .description('download new chapters of the subscribed titles')
    .action((flags: GivenOptions) =>
      run(async (context) => (await import('./sync.js')).sync(flags, context)),
    );
  addOptions(command, 'sync');
  addEditCommands(command, runner);
  addHookCommands(command, runner);
  const status = command
    .command('status')
    .description(
      'show the last run, the next run, and the chapters that wait for a preferred group',
    )
    .action((_: GivenOptions, self: Command) =>
      run(async (context) => (await import('./sync-status.js')).syncStatus(flagsOf(self), context)),
    );
  addOptions(status, 'sync status');
  addExamples(command, [
    ['tankobon sync add https://mangadex.org/title/UUID -l en -o ~/comics', 'subscribe to a title'],
    ['tankobon sync', 'download what is new; run it again at any time'],
    ['tankobon sync --every 6h', 'in a container: repeat until stopped'],
  ]);
  return addMore(command, 'subscriptions', 'settings', 'environment');
}

const HOOKS: readonly HookName[] = [...HOOK_SERVICES, 'exec'];

function addHookCommands(sync: Command, { run }: CommandRunner): void {
  const hook = sync
    .command('hook')
    .description('notify a media server, a service or a command')
    .helpCommand(false);
  const kind = (flags: string) => new Argument(flags, 'the hook').choices(HOOKS);
  const add = hook
    .command('add')
    .description('write a hook to the subscriptions file, and try it')
    .addArgument(kind('<hook>'))
    .argument('<address...>', 'URL; for exec, after --, the command and its arguments')
    .action((name: HookName, words: string[], _: GivenOptions, self: Command) =>
      run(async (context) =>
        (await import('./sync-hook.js')).syncHookAdd(name, words, flagsOf(self), context),
      ),
    );
  const list = hook
    .command('list')
    .description('print the hooks of the subscriptions file')
    .action((_: GivenOptions, self: Command) =>
      run(async (context) => (await import('./sync-hook.js')).syncHookList(flagsOf(self), context)),
    );
  const remove = hook
    .command('remove')
    .description('remove a hook from the subscriptions file')
    .addArgument(kind('<hook>'))
    .action((name: HookName, _: GivenOptions, self: Command) =>
      run(async (context) =>
        (await import('./sync-hook.js')).syncHookRemove(name, flagsOf(self), context),
      ),
    );
  const test = hook
    .command('test')
    .description('call the hooks with a test')
    .addArgument(kind('[hook]'))
    .action((name: HookName | undefined, _: GivenOptions, self: Command) =>
      run(async (context) =>
        (await import('./sync-hook.js')).syncHookTest(name, flagsOf(self), context),
      ),
    );
  addOptions(add, 'sync hook add');
  addOptions(list, 'sync hook list');
  addOptions(remove, 'sync hook remove');
  addOptions(test, 'sync hook test');
  addExamples(hook, [
    ['tankobon sync hook add komga http://nas:25600 --library ID', 'scan it after new chapters'],
    ['tankobon sync hook add exec -- notify-send "New chapters"', 'run a command'],
    ['tankobon sync hook add ntfy https://ntfy.sh/TOPIC --on new,failed', 'also hear of failures'],
  ]);
}

function addEditCommands(sync: Command, { run }: CommandRunner): void {
  const add = sync
    .command('add')
    .description('subscribe to titles, or change the options of a subscription')
    .argument(
      '<target...>',
      'MangaDex URL or UUID of a title, list, group or author; follows: what the account follows; the name of a subscription to change it, or of a title to search for',
    )
    .action((words: string[], _: GivenOptions, self: Command) =>
      run(async (context) =>
        (await import('./sync-add.js')).syncAdd(words, flagsOf(self), context),
      ),
    );
  const remove = sync
    .command('remove')
    .description('end a subscription; downloaded chapters are kept')
    .argument('<subscription>', 'its name, URL, UUID or folder')
    .action((words: string, _: GivenOptions, self: Command) =>
      run(async (context) =>
        (await import('./sync-edit.js')).syncRemove(words, flagsOf(self), context),
      ),
    );
  const edit = sync
    .command('edit')
    .description('open the subscriptions file in $VISUAL or $EDITOR, and check it')
    .argument('[subscription]', 'the one to begin at: its name, URL, UUID or folder')
    .action((words: string | undefined, _: GivenOptions, self: Command) =>
      run(async (context) =>
        (await import('./sync-edit.js')).syncEdit(words, flagsOf(self), context),
      ),
    );
  const list = sync
    .command('list')
    .description('print the subscriptions, with their names, options and state')
    .action((_: GivenOptions, self: Command) =>
      run(async (context) => (await import('./sync-list.js')).syncList(flagsOf(self), context)),
    );
  const path = sync
    .command('path')
    .description('print the path of the subscriptions file')
    .action((_: GivenOptions, self: Command) =>
      run(async (context) => (await import('./sync-edit.js')).syncPath(flagsOf(self), context)),
    );
  const forget = sync
    .command('forget')
    .description(
      'download the chapters of a title or a list again whose files are gone, in the next run',
    )
    .argument('<subscription>', 'its name, URL, UUID or folder')
    .action((words: string, _: GivenOptions, self: Command) =>
      run(async (context) =>
        (await import('./sync-forget.js')).syncForget(words, flagsOf(self), context),
      ),
    );
  const decide = (key: 'pin' | 'block', description: string) =>
    sync
      .command(key)
      .description(description)
      .argument('<chapter...>', 'MangaDex URL or UUID of a chapter')
      .action((words: string[], _: GivenOptions, self: Command) =>
        run(async (context) =>
          (await import('./sync-pin.js')).decideReleases(key, words, flagsOf(self), context),
        ),
      );
  const pin = decide(
    'pin',
    'take this release for its chapter, whatever the order of languages and groups is',
  );
  const block = decide('block', 'never download this release; another one takes its place');
  const importTitles = sync
    .command('import')
    .description(
      'subscribe to the titles of a Mihon backup or a MyAnimeList export, or that the account follows; fill the history from a list of chapters',
    )
    .argument(
      '<source>',
      'follows; a backup (.tachibk), an export of MyAnimeList (.xml.gz), a download archive, or gallery-dl’s (.sqlite3); -: standard input',
    )
    .action((source: string, _: GivenOptions, self: Command) =>
      run(async (context) =>
        (await import('./sync-import.js')).syncImport(source, flagsOf(self), context),
      ),
    );
  addOptions(add, 'sync add');
  addOptions(remove, 'sync remove');
  addOptions(edit, 'sync edit');
  addOptions(list, 'sync list');
  addOptions(path, 'sync path');
  addOptions(forget, 'sync forget');
  addOptions(pin, 'sync pin');
  addOptions(block, 'sync block');
  addOptions(importTitles, 'sync import');
}
