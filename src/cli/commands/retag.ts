/** `tankobon retag`: brings the metadata and names of downloaded chapters up to date. */
import type { Command } from 'commander';
import { type RetagEvent, RETAG_EVENTS, type RetagSummary } from '../../events/retag-events.js';
import { OTHER_USER_HINT } from '../../core/files.js';
import { exitCodeOf, type ExitCode } from '../../core/exit-codes.js';
import { formatCount, pluralize } from '../../core/human-format.js';
import type { GivenOptions } from '../../config/options.js';
import type { CommandContext, CommandRunner } from '../command-context.js';
import { addOptions, collectPaths } from '../command-options.js';
import { addExamples } from '../help-format.js';
import { warnTo, writeHints } from '../output/error-message.js';
import { eventLine, writeEvent } from '../output/json-line.js';

export function retagCommand(program: Command, { run }: CommandRunner): Command {
  const command = program
    .command('retag')
    .description('update the metadata and names of chapters that changed on MangaDex')
    .argument('<dir...>', 'folders of CBZ files that tankobon saved', collectPaths)
    .action((folders: string[], options: GivenOptions) =>
      run((context) => retagFolders(folders, options, context)),
    );
  return addExamples(addOptions(command, 'retag'), [
    ['tankobon retag ~/comics --dry-run', 'print which chapters got a volume or a title'],
    ['tankobon retag ~/comics --rename-titles', 'give renamed titles their new names'],
    ['tankobon retag ~/comics --rename --dry-run', 'print which names the template would change'],
    ['tankobon retag ~/comics --force', 'undo edits of the metadata'],
  ]);
}

async function retagFolders(
  folders: readonly string[],
  options: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { keepHeapSmall } = await import('../../core/gc-tuning.js');
  const { coversBaseUrl } = await import('../../service/titles.js');
  const { retag } = await import('../../collection/retag.js');
  const { withLibraryLock } = await import('../../config/library-lock.js');
  const { templateOptions } = await import('../../download/download-request.js');
  // It has what the service says of every chapter.
  keepHeapSmall({ growingPercent: 30 });
  const { imageLoader } = await import('../../service/service.js');
  const { withService } = await import('../with-service.js');
  const { SubscriptionList } = await import('../../sync/subscription-list.js');
  const { settings, stdout, stderr, signal } = context;
  const name = options.name ?? settings.name;
  const request = {
    folders,
    name,
    ...templateOptions(name),
    volumeField: settings.volumeField,
    titleField: options.titleField ?? settings.titleField,
    localizedSeries: options.localizedSeries ?? settings.localizedSeries,
    dryRun: options.dryRun === true,
    force: options.force === true,
    rename: options.rename === true,
    bookName: options.bookTemplate,
    renameTitles: options.renameTitles === true,
  };
  const skippedFor = new Set<string>();
  const observe = (event: RetagEvent): void => {
    if (event.type === 'chapter-skipped') skippedFor.add(event.reason);
    if (options.json) stdout.write(eventLine(RETAG_EVENTS, event));
    else if (event.type === 'retag-summary')
      stderr.write(`${describeSummary(event, request.dryRun)}\n`);
    else writeEvent(RETAG_EVENTS, event, RESULTS.includes(event.type) ? stdout : stderr);
  };
  const warn = warnTo(stderr);
  const { file, titleLanguage } = options;
  const subscriptions =
    file === undefined
      ? await SubscriptionList.readIfExists(file, context, warn)
      : await SubscriptionList.read(file, context, warn);
  const lock = { isExclusive: true, signal, warn };
  const errors = await withService(context, async (service) => {
    const { anonymous: client } = service;
    const deps = { client, warn, signal };
    const naming = { ...deps, isRenaming: request.renameTitles };
    const nameTitle = await subscriptions.titleNaming(titleLanguage, naming);
    return retag(
      { ...request, nameTitle },
      {
        ...deps,
        loader: imageLoader(context, service, client),
        coversUrl: coversBaseUrl(service.addresses.apiUrl),
        stateFolder: context.paths.state,
        observe,
        withLock: (folder, action) => withLibraryLock(folder, context, lock, action),
      },
    );
  });
  if (skippedFor.has('other-user')) stderr.write(`hint: ${OTHER_USER_HINT}\n`);
  writeHints(errors, context);
  return exitCodeOf(errors);
}

const RESULTS: readonly RetagEvent['type'][] = [
  'chapter-retagged',
  'book-retagged',
  'file-moved',
  'metadata-updated',
];

function describeSummary(event: RetagSummary, isDryRun: boolean): string {
  const { changed, unchanged, books, edited, nameTaken, notListed } = event;
  const { skipped, links, failed, pagesNotCompared, changedInBooks } = event;
  return [
    `${formatCount(changed)} ${isDryRun ? 'would change' : 'changed'}, ${formatCount(unchanged)} unchanged`,
    ...(books > 0 ? [pluralize(books, 'book')] : []),
    ...(edited > 0 ? [`${formatCount(edited)} with edits of yours, which stay`] : []),
    ...(nameTaken > 0 ? [`${formatCount(nameTaken)} with their id in the name`] : []),
    ...(pagesNotCompared > 0
      ? [
          `${formatCount(pagesNotCompared)} with pages that were not compared (download --update does)`,
        ]
      : []),
    ...(changedInBooks > 0
      ? [
          `${formatCount(changedInBooks)} changed on MangaDex and only in books (download --update --bind updates them)`,
        ]
      : []),
    ...(notListed > 0 ? [`${formatCount(notListed)} not listed by the service`] : []),
    ...(skipped > 0 ? [`${formatCount(skipped)} of other programs or users`] : []),
    ...(links > 0 ? [`${pluralize(links, 'symbolic link')} skipped`] : []),
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
  ].join(', ');
}
