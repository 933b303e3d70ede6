/** `tankobon adopt`: recognizes chapters that other programs saved, and takes them over. */
import { dirname } from 'node:path';
import type { Command } from 'commander';
import type { AdoptDeps, AdoptResult } from '../../collection/adopt-files.js';
import { ADOPT_EVENTS, type AdoptEvent } from '../../events/adopt-events.js';
import type { RequestPlan } from '../../collection/recognize-files.js';
import type { GivenOptions } from '../../config/options.js';
import { COMIC_LABELS } from '../../config/containers.js';
import type { DownloadArchive } from '../../download/download-archive.js';
import { UsageError, type TankobonError } from '../../core/errors.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { formatDuration, pluralize, formatList } from '../../core/human-format.js';
import { shellQuoted } from '../../core/shell-quoted.js';
import type { CommandContext, CommandRunner } from '../command-context.js';
import { addOptions, collectPaths } from '../command-options.js';
import { addExamples } from '../help-format.js';
import { warnTo, writeHints } from '../output/error-message.js';
import { eventLine, writeEvent } from '../output/json-line.js';
import { writeMessage } from '../output/safe-stream.js';

export function adoptCommand(program: Command, { run }: CommandRunner): Command {
  const command = program
    .command('adopt')
    .description('recognize chapters that other programs saved, and take them over')
    .argument(
      '<dir...>',
      `folders with ${formatList(COMIC_LABELS, 'and')} files, or with folders of images`,
      collectPaths,
    )
    .action((folders: string[], options: GivenOptions) =>
      run((context) => adoptFolders(folders, options, context)),
    );
  return addExamples(addOptions(command, 'adopt'), [
    ['tankobon adopt ~/manga', 'print which chapters the files are, and change nothing'],
    ['tankobon adopt ~/manga --apply --subscribe', 'take them over, and follow their titles'],
    ['tankobon adopt ~/manga --undo', 'restore the files as they were'],
  ]);
}

async function adoptFolders(
  folders: readonly string[],
  options: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  await checkOptions(options, context);
  const { keepHeapSmall } = await import('../../core/gc-tuning.js');
  const { adopt, restoreAdopted } = await import('../../collection/adopt-files.js');
  keepHeapSmall();
  const { signal, settings } = context;
  const observe = await observer(options, context);
  if (options.undo) return exitCode(await restoreAdopted(folders, { observe, signal }), context);
  const { apply = false, pack = false } = options;
  const languages = options.language ?? settings.language ?? [];
  const { withService } = await import('../with-service.js');
  const result = await withService(context, async ({ anonymous: client }) => {
    const deps = await adoptDeps(options, context, { client, observe });
    return adopt({ folders, languages, apply, pack }, deps);
  });
  if (options.subscribe) await subscribe(result, options, context);
  if (!apply && !options.json && result.recognized > 0)
    context.stderr.write(`To take them over: ${applyCommand(folders, options)}\n`);
  return exitCode(result.errors, context);
}

function applyCommand(folders: readonly string[], { language, pack, file }: GivenOptions): string {
  const words = [
    ...folders.map(shellQuoted),
    ...(language ? ['--language', language.length > 0 ? language.join(',') : 'all'] : []),
    ...(pack ? ['--pack'] : []),
    ...(file === undefined ? [] : ['--file', shellQuoted(file)]),
  ];
  return `tankobon adopt ${words.join(' ')} --apply`;
}

/** Prints the hints of the errors. */
function exitCode(errors: readonly TankobonError[], context: CommandContext): ExitCode {
  writeHints(errors, context);
  return errors.length > 0 ? EXIT.incomplete : EXIT.done;
}

/** Throws UsageError `bad-option` before anything is read. */
async function checkOptions(options: GivenOptions, context: CommandContext): Promise<void> {
  const { apply, choose, subscribe: subscribes, undo, pack } = options;
  const refuse = (message: string, hint: string) => new UsageError('bad-option', message, { hint });
  if (undo && (apply || choose || subscribes || pack))
    throw refuse('--undo has no other options.', 'Run: tankobon adopt DIR --undo');
  for (const [flag, isGiven] of [
    ['--choose', choose],
    ['--subscribe', subscribes],
  ] as const)
    if (isGiven && !apply) throw refuse(`${flag} has no effect without --apply.`, 'Add: --apply');
  const { canAsk } = await import('../prompt.js');
  if (choose && !canAsk(context))
    throw refuse('--choose needs a terminal.', 'Leave it out, or run it at a terminal.');
}

async function observer({ json, undo = false }: GivenOptions, { stdout, stderr }: CommandContext) {
  const { AdoptLines, adoptSummary } = await import('../output/adopt-lines.js');
  const lines = new AdoptLines();
  return (event: AdoptEvent): void => {
    if (json) stdout.write(eventLine(ADOPT_EVENTS, event));
    else if (event.type === 'file-recognized' || event.type === 'file-unrecognized')
      writeMessage(stdout, `${lines.linesFor(event).join('\n')}\n`, [dirname(event.file)]);
    else if (event.type === 'adopt-summary') {
      const summary = adoptSummary(event, undo);
      if (summary !== '') stderr.write(`${summary}\n`);
    } else writeEvent(ADOPT_EVENTS, event, event.type === 'file-failed' ? stderr : stdout);
  };
}

async function adoptDeps(
  options: GivenOptions,
  context: CommandContext,
  { client, observe }: Pick<AdoptDeps, 'client' | 'observe'>,
): Promise<AdoptDeps> {
  const { ListingCache } = await import('../../selection/listing-cache.js');
  const { stderr, clock, paths, signal } = context;
  const announce = (what: string) => (plan: RequestPlan) =>
    stderr.write(`${what}: ${describePlan(plan)}\n`);
  const deps = {
    client,
    observe,
    cache: new ListingCache(paths.state),
    stateFolder: paths.state,
    nowMs: clock.wallMs(),
    warn: warnTo(stderr),
    signal,
    onLookup: announce('Looking up titles and chapters on MangaDex'),
    onComparison: announce('Comparing pages with MangaDex'),
    remember: remember(options, context),
  };
  if (!options.choose) return deps;
  const { chooseChapters } = await import('./adopt-prompts.js');
  return { ...deps, choose: (left) => chooseChapters(left, options, deps, context) };
}

/** Such as `up to about 41 requests, for about 8 s`: a title of hundreds of chapters takes more than one for its list. */
function describePlan({ requests, leastMs }: RequestPlan): string {
  const time = leastMs === 0 ? '' : `, for about ${formatDuration(leastMs)}`;
  return `up to about ${pluralize(requests, 'request')}${time}`;
}

/** Adds chapters to the history of `sync`, and to a download archive if there is one. Each is read once. */
function remember(options: GivenOptions, context: CommandContext): AdoptDeps['remember'] {
  let histories: Promise<readonly DownloadArchive[]> | undefined;
  return async (chapterIds) => {
    histories ??= openHistories(options, context);
    for (const history of await histories) await history.add(chapterIds);
  };
}

async function openHistories(
  options: GivenOptions,
  context: CommandContext,
): Promise<readonly DownloadArchive[]> {
  const { openDownloadArchive } = await import('../../download/download-archive.js');
  const { openHistoryArchive } = await import('../../sync/history.js');
  const { subscriptionsPath } = await import('../../sync/subscriptions.js');
  const { prepareStateFolder } = await import('../../config/state-folder.js');
  prepareStateFolder(context);
  const file = subscriptionsPath(options.file, context);
  const histories = [await openHistoryArchive(file, context)];
  const archive = options.downloadArchive ?? context.settings.downloadArchive;
  if (archive !== false) histories.push(await openDownloadArchive(archive));
  return histories;
}

/** The subscriptions of new titles name the folder, and the languages of the chapters. */
async function subscribe(
  { titles }: AdoptResult,
  options: GivenOptions,
  context: CommandContext,
): Promise<void> {
  const { subscribeTitles } = await import('../../sync/edit-subscriptions.js');
  const { subscriptionsPath } = await import('../../sync/subscriptions.js');
  const { printableLine } = await import('../../core/printable.js');
  const { entryOf } = await import('../../sync/subscription-entry.js');
  const { writeNextCommand } = await import('./sync-add.js');
  const entries = [...titles].map(([id, { name, output, languages }]) => ({
    id,
    entry: {
      ...(name !== '' && { title: printableLine(name) }),
      ...entryOf(
        { output, ...(languages.size > 0 && { language: [...languages].sort() }) },
        context.clock.wallMs(),
      ),
    },
  }));
  const file = subscriptionsPath(options.file, context);
  const added = await subscribeTitles(file, entries, context);
  context.stderr.write(`${pluralize(added.length, 'title')} subscribed\n`);
  if (added.length > 0) writeNextCommand(options.file, context);
}
