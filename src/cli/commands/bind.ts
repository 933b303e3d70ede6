/** `tankobon bind`: binds chapters into volumes, titles, EPUB, PDF or folders. Works offline. */
import { Option, type Command } from 'commander';
import type { BindOptions as RequestOptions } from '../../download/bind-request.js';
import { commaSeparated } from '../../core/comma-separated.js';
import { EXIT, exitCodeOf, type ExitCode } from '../../core/exit-codes.js';
import { BIND_BY, BOOK_FORMATS } from '../../formats/bind-choices.js';
import type { CommandContext, CommandRunner } from '../command-context.js';
import { addExamples } from '../help-format.js';
import { settingOption } from '../option-parsers.js';
import { writeHints } from '../output/error-message.js';
import type { ObserverOptions } from '../output/observer.js';

interface BindOptions extends Omit<RequestOptions, 'groups'>, Omit<ObserverOptions, 'verbose'> {
  /** Comma-separated, in order of preference. */
  readonly group?: string;
  readonly dryRun?: boolean;
}

const MAX_SEMI_SPACE_MEBIBYTES = 1;

export function bindCommand(program: Command, { run }: CommandRunner): Command {
  const command = program
    .command('bind')
    .description('bind chapters into volumes: CBZ, EPUB, PDF or folders; works offline')
    .argument('<file...>', 'CBZ files, or folders with CBZ files')
    .addOption(
      new Option(
        '--by <unit>',
        'one book for each volume, title or chapter (default: volume)',
      ).choices(BIND_BY),
    )
    .addOption(
      new Option(
        '--format <format>',
        `format of the books: ${BOOK_FORMATS.join(', ')} (default: cbz)`,
      ).choices(BOOK_FORMATS),
    )
    .addOption(settingOption('output', '-o, --output <dir>'))
    .option('--name <template>', 'template of the file name, such as "{series} v{volume:02}"')
    .addOption(settingOption('group', '--group <names>'))
    .option(
      '--cover <file>',
      'image for the cover; auto: a cover beside the chapters; none (default: auto)',
    )
    .option(
      '--convert',
      'convert images that the format cannot contain to PNG; needs the npm package sharp',
    )
    .option('--force', 'write existing books again')
    .option('--dry-run', 'print what would be written, and what is missing')
    .option('--json', 'print one JSON object per line to standard output, and nothing else there')
    .option('--quiet', 'print only errors and the paths of saved files')
    .action((files: string[], options: BindOptions) =>
      run((context) => bind(files, options, context)),
    );
  return addExamples(command, [
    ['tankobon bind ~/comics', 'every volume in that folder as a CBZ, into this folder'],
    ['tankobon bind ~/comics --format epub -o ~/books', 'for an e-reader'],
    ['tankobon bind ~/comics --dry-run', 'print what this would write, and what is missing'],
  ]);
}

async function bind(
  files: readonly string[],
  options: BindOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { bindRequest } = await import('../../download/bind-request.js');
  const { checkOutputFolder } = await import('../../download/output-folder.js');
  const { bindBooks } = await import('../../formats/bind-books.js');
  const { observePlan, planBooks } = await import('../../formats/plan-books.js');
  const { chooseObserver } = await import('../output/choose-observer.js');
  const groups = options.group === undefined ? undefined : commaSeparated(options.group);
  const request = bindRequest(files, { ...options, groups }, context.settings);
  await keepHeapSmall();
  const observer = await chooseObserver(options, context, 'reading');
  try {
    if (options.dryRun) {
      const plan = await planBooks(request, context.signal);
      observePlan(plan, observer.observe);
      return plan.failed.length > 0 ? EXIT.incomplete : EXIT.done;
    }
    await checkOutputFolder(request.output);
    const { errors } = await bindBooks(request, observer.observe, context.signal);
    observer.close();
    writeHints(errors, context.stderr);
    return exitCodeOf(errors);
  } finally {
    observer.close();
  }
}

/** For the whole process: collections cost a long run on little data less than they save. */
async function keepHeapSmall(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--optimize-for-size');
  // A larger young generation lets short-lived objects accumulate, and be promoted.
  setFlagsFromString(`--max-semi-space-size=${MAX_SEMI_SPACE_MEBIBYTES}`);
  setFlagsFromString('--semi-space-growth-factor=1');
}
