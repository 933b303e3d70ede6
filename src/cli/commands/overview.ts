/** `tankobon overview`: what a collection has of each title, and what it lacks and why. */
import type { Command } from 'commander';
import { resolve } from 'node:path';
import {
  OVERVIEW_EVENTS,
  type OverviewEvent,
  type TitleOverviewEvent,
} from '../../events/overview-events.js';
import { eventText } from '../../events/printed-event.js';
import type { MissingReason } from '../../events/reasons.js';
import { isInFolder } from '../../config/own-folders.js';
import type { Title } from '../../service/titles.js';
import type { SubscriptionList } from '../../sync/subscription-list.js';
import type { DownloadArchive } from '../../download/download-archive.js';
import { groupBy } from '../../core/group-by.js';
import { realPathOf } from '../../core/same-file.js';
import { formatDuration, pluralize } from '../../core/human-format.js';
import { shellQuoted } from '../../core/shell-quoted.js';
import type { GivenOptions } from '../../config/options.js';
import type { CommandContext, CommandRunner } from '../command-context.js';
import { addOptions, collectPaths } from '../command-options.js';
import { addExamples } from '../help-format.js';
import { warnTo } from '../output/error-message.js';
import { eventLine } from '../output/json-line.js';
import { columnsOf } from '../output/own-terminal.js';

/** The command for more titles contains a pipe that lists them. */
const MAX_NAMED_TITLES = 10;

/** What a download of a title gets besides what can be downloaded. */
const ALSO_DOWNLOADED: Readonly<Partial<Record<MissingReason, string>>> = {
  removed: 'you removed',
  'left-out': 'your subscription leaves out',
};

export function overviewCommand(program: Command, { run }: CommandRunner): Command {
  const command = program
    .command('overview')
    .description('show which chapters of each title are there, and which are missing and why')
    .argument('<dir...>', 'folders with chapters', collectPaths)
    .action((folders: string[], options: GivenOptions) =>
      run((context) => printOverview(folders, options, context)),
    );
  return addExamples(addOptions(command, 'overview'), [
    ['tankobon overview ~/comics', 'each title with its missing chapters'],
    ['tankobon overview ~/comics --html comics.html', 'as a page with covers, for a browser'],
    ['tankobon overview ~/comics --offline', 'by what the service answered last'],
  ]);
}

async function printOverview(
  folders: readonly string[],
  options: GivenOptions,
  context: CommandContext,
): Promise<undefined> {
  const { overview } = await import('../../collection/overview-folders.js');
  const { ListingCache } = await import('../../selection/listing-cache.js');
  const { overviewLines } = await import('../output/overview-lines.js');
  const { keepHeapSmall } = await import('../../core/gc-tuning.js');
  keepHeapSmall();
  const { html, json } = options;
  const { stdout, stderr, clock, paths, signal } = context;
  if (html !== undefined) {
    const { preparePage } = await import('../../core/html-page.js');
    await preparePage(html, json);
  }
  const listed: ListedTitle[] = [];
  let unknownFiles = 0;
  const observe = (event: OverviewEvent, files: readonly string[] = []): void => {
    if (json) stdout.write(eventLine(OVERVIEW_EVENTS, event));
    if (event.type === 'title-overview') {
      listed.push({ title: event, files });
      if (json || html !== undefined) return;
      for (const line of overviewLines(event, columnsOf(stdout))) stdout.write(`${line}\n`);
    } else {
      unknownFiles = event.unknown;
      if (!json) stderr.write(`${eventText(OVERVIEW_EVENTS, event)}\n`);
    }
  };
  const request = { folders, languages: options.language };
  const onReading = (titles: number, leastMs: number): void => {
    const time = leastMs === 0 ? '' : `; takes at least ${formatDuration(leastMs)}`;
    const what = `Reading the chapters of ${pluralize(titles, 'title')} from MangaDex`;
    if (!json) stderr.write(`${what}${time}\n`);
  };
  const { SubscriptionList } = await import('../../sync/subscription-list.js');
  // `sync` says what is wrong with an invalid file.
  const list = await SubscriptionList.readIfExists(undefined, context).catch(() => undefined);
  const isOfGiven = await partOf(folders);
  const deps = {
    cache: new ListingCache(paths.state),
    wasSaved: await savedChapters(isOfGiven, context),
    ruleOf: await list?.titleRules(isOfGiven),
    stateFolder: paths.state,
    nowMs: clock.wallMs(),
    observe,
    onReading,
    warn: warnTo(stderr),
    signal,
  };
  let otherFiles = 0;
  if (options.offline) {
    const nameTitle = (title: Title) => title;
    otherFiles = await overview(request, { ...deps, client: undefined, nameTitle });
  } else {
    const { withService } = await import('../with-service.js');
    await withService(context, async ({ anonymous: client }) => {
      const named = { ...deps, client };
      const nameTitle = await list?.titleNaming(undefined, { ...named, isRenaming: false });
      otherFiles = await overview(request, {
        ...named,
        nameTitle: nameTitle ?? ((title) => title),
      });
    });
  }
  const command = fillCommand(listed, folders, options, list);
  if (html !== undefined) await writePage(html, { listed, command, unknownFiles }, context);
  if (command !== undefined) {
    stderr.write(`To download what is missing${alsoDownloaded(listed)}: ${command}\n`);
  }
  const choice = choiceCommand(listed, folders);
  if (choice !== undefined)
    stderr.write(`To choose which files of chapters with several to delete: ${choice}\n`);
  if (otherFiles > 0) {
    const adopt = `tankobon adopt ${folders.map(shellQuoted).join(' ')}`;
    stderr.write(`To recognize what other programs saved: ${adopt}\n`);
  }
}

/** Such as `, and what you removed of the same titles`; empty if the downloads get nothing else. */
function alsoDownloaded(listed: readonly ListedTitle[]): string {
  const downloaded = listed.filter((each) => isDue(each) && each.title.completedBy === 'download');
  const others = downloaded.flatMap(({ title }) =>
    title.missing.flatMap(({ reason }) => ALSO_DOWNLOADED[reason] ?? []),
  );
  const what = [...new Set(others)].sort().join(' and ');
  return what === '' ? '' : `, and what ${what} of the same titles`;
}

/** Whether a folder is one of these, in one of them, or contains one: either may be given through a link. */
async function partOf(folders: readonly string[]): Promise<(folder: string) => Promise<boolean>> {
  const given = await Promise.all(folders.map(realPathOf));
  return async (folder) => {
    const real = await realPathOf(folder);
    return given.some((each) => isInFolder(real, each) || isInFolder(each, real));
  };
}

/** By the histories of `sync` and the download archive that have files in the folders that count. */
async function savedChapters(
  counts: (folder: string) => Promise<boolean>,
  { paths, settings: { downloadArchive } }: CommandContext,
): Promise<(chapterId: string) => boolean> {
  const { openDownloadArchive } = await import('../../download/download-archive.js');
  const { historyFiles } = await import('../../sync/history.js');
  const files = [
    ...(await historyFiles(paths.state)),
    ...(downloadArchive === false ? [] : [resolve(downloadArchive)]),
  ];
  const archives: DownloadArchive[] = [];
  for (const file of files) {
    const archive = await openDownloadArchive(file);
    const areCounted = await Promise.all(archive.folders().map(counts));
    if (areCounted.includes(true)) archives.push(archive);
  }
  return (chapterId) => archives.some((archive) => archive.has(chapterId));
}

interface ListedTitle {
  readonly title: TitleOverviewEvent;
  readonly files: readonly string[];
}

interface Page {
  readonly listed: readonly ListedTitle[];
  readonly command: string | undefined;
  readonly unknownFiles: number;
}

async function writePage(
  html: string,
  { listed, ...page }: Page,
  { stdout, stderr, clock, signal }: CommandContext,
): Promise<void> {
  const { findTitleCovers } = await import('../../collection/title-cover.js');
  const { inPageOrder, overviewPage } = await import('../../collection/overview-page.js');
  const { STANDARD_OUTPUT, writeHtmlPage } = await import('../../core/html-page.js');
  // The first ones get covers, if there are too many.
  const ordered = inPageOrder(listed);
  const covers = await findTitleCovers(
    ordered.map(({ files }) => files),
    signal,
  );
  const titles = ordered.map(({ title }, index) => ({ title, cover: covers[index] }));
  const text = overviewPage({ ...page, titles, nowMs: clock.wallMs() });
  await writeHtmlPage(html, text, stdout);
  if (html !== STANDARD_OUTPUT) stderr.write(`Page written: ${resolve(html)}\n`);
}

/** Undefined if nothing can be downloaded. */
function fillCommand(
  listed: readonly ListedTitle[],
  folders: readonly string[],
  options: GivenOptions,
  list: SubscriptionList | undefined,
): string | undefined {
  const due = groupBy(listed.filter(isDue), ({ title }) => title.completedBy);
  const commands = [
    ...downloadCommands(due.get('download') ?? [], folders, options),
    ...syncCommands(due.get('sync') ?? [], list),
  ];
  return commands.length > 0 ? commands.join('; ') : undefined;
}

function isDue({ title }: ListedTitle): boolean {
  return lacks(title, 'not-downloaded');
}

function lacks({ missing }: TitleOverviewEvent, why: MissingReason): boolean {
  return missing.some(({ reason }) => reason === why);
}

/** One for each choice of languages. */
function downloadCommands(
  due: readonly ListedTitle[],
  given: readonly string[],
  { language, html }: GivenOptions,
): readonly string[] {
  // A page is read elsewhere.
  const folders = html === undefined ? given : given.map((folder) => resolve(folder));
  const [folder = '.'] = folders;
  const output = folders.length === 1 ? ` -o ${shellQuoted(folder)}` : '';
  // Otherwise those of the settings would count, or all; and a title would get those of another one.
  const choices = groupBy(due, ({ title }) => (language ?? title.languages).join(','));
  return [...choices].map(([counted, titles]) => {
    const options = ` --language ${counted === '' ? 'all' : shellQuoted(counted)}${output}`;
    if (due.length <= MAX_NAMED_TITLES)
      return `tankobon download ${titles.map(({ title }) => `title:${title.title}`).join(' ')}${options}`;
    const ofChoice =
      choices.size === 1 ? '' : ` and (.languages | join(",")) == ${JSON.stringify(counted)}`;
    const query = `select(.completedBy == "download" and (.missing | any(.reason == "not-downloaded"))${ofChoice}) | "title:" + .title`;
    const asked = language === undefined ? '' : ` --language ${shellQuoted(counted)}`;
    return `tankobon overview ${folders.map(shellQuoted).join(' ')} --offline --json${asked} | jq -r ${shellQuoted(query)} | tankobon download --from-file -${options}`;
  });
}

/** A run of all subscriptions for many titles, and for one that is only in a list, or of a group or an author. */
function syncCommands(
  due: readonly ListedTitle[],
  list: SubscriptionList | undefined,
): readonly string[] {
  if (due.length === 0) return [];
  const areOwn = due.every(({ title }) => list?.findById(title.title) !== undefined);
  const only = areOwn && due.length <= MAX_NAMED_TITLES ? due : [];
  return [['tankobon sync', ...only.map(({ title }) => `--only ${title.title}`)].join(' ')];
}

const MAX_NAMED_FILES = 10;

/** For all of many files, it prints the commands; a book is in none. Undefined if no chapter has several files. */
function choiceCommand(
  listed: readonly ListedTitle[],
  folders: readonly string[],
): string | undefined {
  const files = listed.flatMap(({ title }) =>
    title.duplicates.flatMap((each) => (each.areBooks === true ? [] : each.files)),
  );
  if (files.length === 0) return undefined;
  if (files.length <= MAX_NAMED_FILES) return `rm -i -- ${files.map(shellQuoted).join(' ')}`;
  const query = `jq -r '.duplicates // [] | .[] | select(.areBooks | not) | "rm -i -- " + (.files | @sh)'`;
  return `tankobon overview ${folders.map(shellQuoted).join(' ')} --offline --json | ${query}`;
}
