/** `tankobon sync` and its subcommands: their options. The work is in sync.ts, sync-edit.ts and sync-status.ts. */
import { Option, type Command } from 'commander';
import { READING_STATUSES } from '../../api/reading-statuses.js';
import { BOOK_FORMATS, MULTI_CHAPTER_BOOKS } from '../../formats/bind-choices.js';
import { QUALITIES } from '../../image/page-url.js';
import type { CommandRunner } from '../command-context.js';
import { addEnvironment, addExamples } from '../help-format.js';
import { durationText, settingOption } from '../option-parsers.js';
import type { SyncFlags } from './sync.js';
import type { AddFlags, FileFlags } from './sync-edit.js';
import type { ImportFlags } from './sync-import.js';

const FILE = [
  '--file <file>',
  'the subscriptions file (default: subscriptions.yaml in the configuration folder)',
] as const;

/** The options of a subcommand: those that `sync` has too are parsed as its own, wherever they are. */
const flagsOf = (self: Command) => self.optsWithGlobals<AddFlags & ImportFlags>();

export function syncCommand(program: Command, runner: CommandRunner): Command {
  const { run } = runner;
  const command = program
    .command('sync')
    .description('download new chapters of the subscribed titles')
    .option(...FILE)
    .option('--every <duration>', 'repeat until stopped, such as 6h; at least 15m')
    .option('--only <names...>', 'only titles whose URL, folder or name contains one of these')
    .option('--from-now', 'new subscriptions start with the next chapter, not with the first')
    .addOption(settingOption('maxOutage', '--max-outage <duration>'))
    .option(
      '--share <name>',
      'divide new chapters among all machines that use the same name and ledger server',
    )
    .option('--captcha-result <token>', 'result of a captcha that you solved in a browser')
    .option('--dry-run', 'print what would be downloaded, and why')
    .option('--html <file>', 'write the report as a page for a browser; -: to standard output')
    .option('--json', 'print one JSON object per line to standard output, and nothing else there')
    .option('--quiet', 'print only errors')
    .option('--verbose', 'also print each retry, base URL and wait')
    .action((flags: SyncFlags) =>
      run(async (context) => (await import('./sync.js')).sync(flags, context)),
    );
  addEditCommands(command, runner);
  command
    .command('status')
    .description(
      'show the last run, the next run, and the chapters that wait for a preferred group',
    )
    .option(...FILE)
    .option('--json', 'print one JSON object')
    .action((_: FileFlags, self: Command) =>
      run(async (context) => (await import('./sync-status.js')).syncStatus(flagsOf(self), context)),
    );
  addExamples(command, [
    ['tankobon sync add https://mangadex.org/title/UUID --language en', 'subscribe to a title'],
    ['tankobon sync', 'download what is new; run it again at any time'],
    ['tankobon sync --every 6h', 'in a container: repeat until stopped'],
  ]);
  return addEnvironment(command, 'TANKOBON_HOME', 'TANKOBON_LEDGER');
}

function addEditCommands(sync: Command, { run }: CommandRunner): void {
  const add = sync
    .command('add')
    .description('subscribe to a title or a list, or change the options of a subscription')
    .argument('<target>', 'title or list: its UUID (title:UUID, list:UUID) or its MangaDex URL')
    .option(...FILE)
    .action((target: string, _: AddFlags, self: Command) =>
      run(async (context) =>
        (await import('./sync-edit.js')).syncAdd(target, flagsOf(self), context),
      ),
    );
  addSeriesOptions(add);
  sync
    .command('remove')
    .description('end a subscription; downloaded chapters are kept')
    .argument('<title>', 'URL, UUID, folder or name')
    .option(...FILE)
    .action((title: string, _: FileFlags, self: Command) =>
      run(async (context) =>
        (await import('./sync-edit.js')).syncRemove(title, flagsOf(self), context),
      ),
    );
  sync
    .command('list')
    .description('print the subscriptions')
    .option(...FILE)
    .option('--json', 'print one JSON array')
    .action((_: FileFlags, self: Command) =>
      run(async (context) => (await import('./sync-edit.js')).syncList(flagsOf(self), context)),
    );
  sync
    .command('import-follows')
    .description('subscribe to all titles that the logged-in account follows')
    .option(...FILE)
    .option(
      '--status <statuses>',
      `only with these reading statuses: ${READING_STATUSES.join(', ')}`,
    )
    .action((_: FileFlags, self: Command) =>
      run(async (context) =>
        (await import('./sync-import.js')).syncImportFollows(flagsOf(self), context),
      ),
    );
}

function addSeriesOptions(add: Command): void {
  add
    .optionsGroup('Selection:')
    .option('--language <codes>', 'languages in order of preference, separated by commas')
    .option('--group <names>', 'preferred groups in order, separated by commas')
    .addOption(
      new Option(
        '--wait-for-group <duration>',
        'how long to wait for the first group before another one is used, such as 2d',
      ).argParser(durationText),
    )
    .option('--upgrade', 'replace a saved release when a more preferred one appears')
    .option('--exclude-group <names>', 'groups to exclude, separated by commas')
    .option(
      '--exclude-uploader <ids>',
      'users whose uploads to exclude, by id, separated by commas',
    )
    .option('--chapters <ranges>', 'only these chapters, such as 1-10,12.5,20-')
    .option('--volumes <ranges>', 'only these volumes, such as 1-3,none')
    .option('--from-now', 'start with the next chapter, not with the first')
    .optionsGroup('Files:')
    .option('-o, --output <dir>', 'folder for the saved files')
    .option('--folder <name>', 'folder of the title inside --output')
    .option('--name <template>', 'template of the file name')
    .addOption(
      new Option(
        '-q, --quality <quality>',
        'images as uploaded (data) or compressed (data-saver)',
      ).choices(QUALITIES),
    )
    .addOption(
      new Option('--bind <unit>', 'bind the chapters: volume, title').choices(MULTI_CHAPTER_BOOKS),
    )
    .addOption(
      new Option('--format <format>', `format of bound files: ${BOOK_FORMATS.join(', ')}`).choices(
        BOOK_FORMATS,
      ),
    );
}
