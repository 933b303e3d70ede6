/** The commands that get chapters: download, search, demo. */
import { Option } from 'commander';
import type { DownloadOptions } from '../commands/download.js';
import type { SearchOptions } from '../commands/search.js';
import { collect, settingFlag, wholeNumber } from './flag-values.js';
import type { ToldCommand } from './told-command.js';
import { COMMAND_GROUPS, FLAG_GROUPS, type TreeParts } from './tree-parts.js';

/** What the service's searches find at most. */
const MOST_FOUND = 100;

export function addChapterCommands(program: ToldCommand, parts: TreeParts): void {
  program.commandsGroup(COMMAND_GROUPS.chapters);
  addDownload(program, parts);
  addSearch(program, parts);
  addDemo(program, parts);
}

function addDownload(program: ToldCommand, { run, done }: TreeParts): void {
  const command = program
    .command('download')
    .description('fetch chapters and leave a CBZ of each')
    .argument(
      '[target...]',
      'a chapter, title or list: its UUID (title:UUID, list:UUID) or its web address',
    )
    .example('tankobon download https://mangadex.org/chapter/UUID', 'one chapter, into this folder')
    .example(
      'tankobon download title:UUID --language en -o ~/comics',
      'a whole series; run it again for what is new',
    )
    .example('tankobon download title:UUID --dry-run', 'only say what that would do, and why')
    .reads('TANKOBON_HOME', 'TANKOBON_LEDGER', 'HTTPS_PROXY', 'NO_PROXY');
  command
    .optionsGroup(FLAG_GROUPS.targets)
    .option(
      '--from-file <file>',
      'read targets from a file, one a line; - is standard input; may be repeated',
      collect,
      [],
    );
  addSelectionFlags(command);
  addResultFlags(command);
  addCourseFlags(command);
  command
    .optionsGroup(FLAG_GROUPS.telling)
    .option('--dry-run', 'only say what would be done, and why')
    .option('--json', 'one JSON object a line on standard output, and nothing else there')
    .option('--quiet', 'say nothing but errors')
    .helpOption('-h, --help', 'say this')
    .action(async (targets: string[], options: Omit<DownloadOptions, 'targets'>) => {
      const surroundings = await run();
      const { download } = await import('../commands/download.js');
      done(await download({ ...options, targets }, surroundings));
    });
}

function addSelectionFlags(command: ToldCommand): void {
  command
    .optionsGroup(FLAG_GROUPS.selection)
    .addOption(settingFlag('language', '--language <codes>'))
    .option('--chapters <ranges>', 'only these chapters, such as 1-10,12.5,20-')
    .option('--volumes <ranges>', 'only these volumes, such as 1-3,none')
    .addOption(settingFlag('group', '--group <names>'))
    .option('--all-releases', 'every release of a chapter, not one for each number')
    .option('--latest <n>', 'only so many, the last published', wholeNumber(1, 100_000));
}

function addResultFlags(command: ToldCommand): void {
  command
    .optionsGroup(FLAG_GROUPS.result)
    .addOption(settingFlag('output', '-o, --output <dir>'))
    .addOption(settingFlag('name', '--name <template>'))
    .addOption(settingFlag('quality', '-q, --quality <quality>'))
    .addOption(settingFlag('metadata', '--no-metadata'))
    .option('--cover', 'save the cover beside the chapters too')
    .option('--force', 'load again what is there already')
    .option('--update', 'load again what is there in an older version')
    .option('--mark-read', 'mark saved chapters as read, when logged in');
}

function addCourseFlags(command: ToldCommand): void {
  command
    .optionsGroup(FLAG_GROUPS.course)
    .addOption(settingFlag('concurrency', '--concurrency <n>'))
    .addOption(settingFlag('maxOutage', '--max-outage <duration>'))
    .addOption(settingFlag('reports', '--no-reports'))
    .option('--captcha-result <token>', 'the result of a captcha that you solved in a browser');
}

function addSearch(program: ToldCommand, { run, done }: TreeParts): void {
  program
    .command('search')
    .description('find titles by their names; at a terminal, choose one and fetch it')
    .argument('<words...>', 'words of the name')
    .addOption(settingFlag('language', '--language <codes>'))
    .addOption(
      new Option(
        '--limit <n>',
        `how many titles at most, 1 to ${MOST_FOUND} (default: 20)`,
      ).argParser(wholeNumber(1, MOST_FOUND)),
    )
    .option('--json', 'one JSON array on standard output, and no question')
    .example('tankobon search lighthouse', 'titles with that word, the best match first')
    .example('tankobon search --language pt-br --json farol', 'for a script')
    .action(async (words: string[], options: Omit<SearchOptions, 'words'>) => {
      const surroundings = await run();
      const { search } = await import('../commands/search.js');
      done(await search({ ...options, words }, surroundings));
    });
}

function addDemo(program: ToldCommand, { run, done }: TreeParts): void {
  program
    .command('demo')
    .description('start the practice service on this machine and fetch one chapter from it')
    .option('-o, --output <dir>', 'folder that the CBZ goes to (default: .)', '.')
    .option(
      '--serve',
      'keep the practice service up, and print the environment that points another terminal at it',
    )
    .example('tankobon demo', 'nothing leaves this machine')
    .example('tankobon demo --serve', 'to try the other commands against')
    .action(async (options: { output: string; serve?: boolean }) => {
      const surroundings = await run();
      const { demo } = await import('../commands/demo.js');
      done(await demo(options, surroundings));
    });
}
