/** `tankobon download`: its options; the work is in download.ts. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { BOOK_FORMATS, MULTI_CHAPTER_BOOKS } from '../../formats/bind-choices.js';
import { looksLikeTarget } from '../../selection/target.js';
import type { CommandRunner } from '../command-context.js';
import { addEnvironment, addExamples } from '../help-format.js';
import { collect, integerBetween, settingOption } from '../option-parsers.js';
import type { DownloadOptions } from './download-options.js';

export function downloadCommand(program: Command, { run }: CommandRunner): Command {
  const command = program
    .command('download')
    .description('download chapters, each as a CBZ file')
    .argument(
      '[target...]',
      'chapter, title or list: its UUID (title:UUID, list:UUID) or its MangaDex URL',
    )
    .action((targets: string[], options: DownloadFlags) =>
      run(async (context) => {
        const { download } = await import('./download.js');
        return download(withTargets(targets, options), context);
      }),
    );
  addSelectionOptions(command);
  addFileOptions(command);
  command
    .optionsGroup('Network:')
    .addOption(settingOption('concurrency', '--concurrency <n>'))
    .addOption(settingOption('limitRate', '--limit-rate <rate>'))
    .addOption(settingOption('maxOutage', '--max-outage <duration>'))
    .addOption(settingOption('reports', '--no-reports'))
    .option('--captcha-result <token>', 'result of a captcha that you solved in a browser')
    .optionsGroup('Output:')
    .option('--dry-run', 'print what would be downloaded, and why')
    .option('--json', 'print one JSON object per line to standard output, and nothing else there')
    .addOption(
      new Option(
        '--quiet',
        'print only the paths of saved chapters, and errors (-q is --quality)',
      ).conflicts('verbose'),
    )
    .option(
      '--verbose',
      'also print each retry, base URL and wait; with --dry-run, each chapter with its file and the reason',
    );
  addExamples(command, [
    ['tankobon download https://mangadex.org/chapter/UUID', 'one chapter, into this folder'],
    [
      'tankobon download title:UUID --language en -o ~/comics',
      'a whole title; run it again for new chapters',
    ],
    ['tankobon download title:UUID --dry-run', 'print what this would download, and why'],
  ]);
  return addEnvironment(command, 'TANKOBON_HOME', 'TANKOBON_LEDGER', 'HTTPS_PROXY', 'NO_PROXY');
}

interface DownloadFlags extends Omit<DownloadOptions, 'targets' | 'cover'> {
  /** As commander parses `--cover [which]`. */
  readonly cover?: string | boolean;
}

/** `--cover=all` and `--cover all` are the same to commander. */
function allOrTarget(text: string): string {
  if (text === 'all' || looksLikeTarget(text)) return text;
  throw new InvalidArgumentError('Only all, or a target, can follow it.');
}

/** The word after `--cover` is a target unless it is `all`. */
function withTargets(
  targets: readonly string[],
  { cover, ...options }: DownloadFlags,
): DownloadOptions {
  return typeof cover !== 'string' || cover === 'all'
    ? { ...options, targets, cover }
    : { ...options, targets: [cover, ...targets], cover: true };
}

function addSelectionOptions(command: Command): void {
  command
    .optionsGroup('Selection:')
    .option(
      '--from-file <file>',
      'read targets from a file, one per line; - is standard input; can be repeated',
      collect,
      [],
    )
    .addOption(settingOption('language', '--language <codes>'))
    .option('--chapters <ranges>', 'only these chapters, such as 1-10,12.5,20-')
    .option('--volumes <ranges>', 'only these volumes, such as 1-3,none')
    .addOption(settingOption('group', '--group <names>'))
    .option('--all-releases', 'every release of a chapter instead of the best one')
    .option(
      '--latest <n>',
      'only the n most recently published chapters',
      integerBetween(1, 100_000),
    );
}

function addFileOptions(command: Command): void {
  command
    .optionsGroup('Files:')
    .addOption(settingOption('output', '-o, --output <dir>'))
    .addOption(settingOption('name', '--name <template>'))
    .addOption(settingOption('quality', '-q, --quality <quality>'))
    .addOption(settingOption('metadata', '--no-metadata'))
    .addOption(
      new Option(
        '--cover [which]',
        'also save the cover; all: one for each volume, in the language of the chapters',
      )
        .choices(['all'])
        .argParser(allOrTarget),
    )
    .option('--force', 'download existing chapters again')
    .option('--update', 'replace existing chapters that have a newer version')
    .addOption(
      new Option(
        '--bind <unit>',
        'afterwards bind each complete volume, or the whole title, into one file: volume, title',
      ).choices(MULTI_CHAPTER_BOOKS),
    )
    .addOption(
      new Option(
        '--format <format>',
        `format of bound files: ${BOOK_FORMATS.join(', ')} (default: cbz)`,
      ).choices(BOOK_FORMATS),
    )
    .option('--keep-chapters', 'keep the chapter files after binding')
    .option(
      '--download-archive <file>',
      'skip the chapters listed in this file, and append those that are downloaded',
    )
    .option(
      '--share <name>',
      'divide the chapters among all machines that use the same name and ledger server',
    )
    .option('--mark-read', 'mark saved chapters as read, if logged in');
}
