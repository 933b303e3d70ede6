/** `tankobon overview`: what a collection has of each title, and what it lacks and why. */
import type { Command } from 'commander';
import type { OverviewEvent } from '../../collection/overview-folders.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { pluralize } from '../../core/human-format.js';
import { shellQuoted } from '../../core/shell-quoted.js';
import type { GivenOptions } from '../../config/options/options.js';
import type { CommandContext, CommandRunner } from '../command-context.js';
import { addOptions } from '../command-options.js';
import { addExamples } from '../help-format.js';
import { warnTo } from '../output/error-message.js';

/** The command for more titles contains a pipe that lists them. */
const MAX_NAMED_TITLES = 10;

export function overviewCommand(program: Command, { run }: CommandRunner): Command {
  const command = program
    .command('overview')
    .description('show which chapters of each title are there, and which are missing and why')
    .argument('<dir...>', 'folders with chapters')
    .action((folders: string[], options: GivenOptions) =>
      run((context) => printOverview(folders, options, context)),
    );
  return addExamples(addOptions(command, 'overview'), [
    ['tankobon overview ~/comics', 'each title with its missing chapters'],
    ['tankobon overview ~/comics --offline', 'by what the service answered last'],
  ]);
}

async function printOverview(
  folders: readonly string[],
  options: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { checkStateFolder } = await import('../../config/state-folder.js');
  const { overview } = await import('../../collection/overview-folders.js');
  const { ListingCache } = await import('../../collection/listing-cache.js');
  const { overviewLines } = await import('../output/overview-lines.js');
  const { stdout, stderr, clock, paths, signal } = context;
  checkStateFolder(context);
  const due: string[] = [];
  const observe = (event: OverviewEvent): void => {
    if (options.json) stdout.write(`${JSON.stringify(event)}\n`);
    else if (event.type === 'title-overview') {
      for (const line of overviewLines(event, stdout.columns)) stdout.write(`${line}\n`);
      if (event.missing.some(({ reason }) => reason === 'not-downloaded')) due.push(event.title);
    } else stderr.write(`${describeSummary(event)}\n`);
  };
  const request = { folders, languages: options.language };
  const onReading = (titles: number): void => {
    if (!options.json)
      stderr.write(`Reading the chapters of ${pluralize(titles, 'title')} from MangaDex.\n`);
  };
  const deps = {
    cache: new ListingCache(paths.state),
    nowMs: clock.wallMs(),
    observe,
    onReading,
    warn: warnTo(stderr),
    signal,
  };
  if (options.offline) await overview(request, { ...deps, client: undefined });
  else {
    const { withService } = await import('../with-service.js');
    await withService(context, ({ anonymous }) =>
      overview(request, { ...deps, client: anonymous }),
    );
  }
  if (due.length > 0) stderr.write(`${downloadHint(due, folders, options)}\n`);
  return EXIT.done;
}

function describeSummary(event: OverviewEvent & { readonly type: 'overview-summary' }): string {
  const { titles, have, notDownloaded, unknown } = event;
  return [
    `${pluralize(titles, 'title')}, ${pluralize(have, 'chapter')}`,
    `${notDownloaded} can be downloaded`,
    ...(unknown > 0 ? [`${pluralize(unknown, 'file')} of unknown titles`] : []),
  ].join(', ');
}

function downloadHint(
  titles: readonly string[],
  folders: readonly string[],
  { language = [] }: GivenOptions,
): string {
  const [folder = '.'] = folders;
  const languages = language.length > 0 ? ` --language ${language.join(',')}` : '';
  const output = folders.length === 1 ? ` -o ${shellQuoted(folder)}` : '';
  const named = titles.map((id) => `title:${id}`).join(' ');
  const query = `jq -r 'select(.missing // [] | any(.reason == "not-downloaded")) | "title:" + .title'`;
  const command =
    titles.length <= MAX_NAMED_TITLES
      ? `tankobon download ${named}${languages}${output}`
      : `tankobon overview ${folders.map(shellQuoted).join(' ')} --offline --json | ${query} | tankobon download --from-file -${languages}${output}`;
  return `To download what is missing: ${command}`;
}
