/** `tankobon sync import`: subscribes to the titles of a backup, or that the logged-in account follows. */
import { fetchFollowedTitles, fetchReadingStatuses } from '../../service/account.js';
import type { ReadingStatus } from '../../config/reading-statuses.js';
import { requireLogin, sessionOf } from '../../service/login.js';
import {
  findListedTitles,
  KNOWN_FILES,
  readImportedFile,
  type ImportedFile,
} from '../../sync/import.js';
import { openHistoryArchive } from '../../sync/history.js';
import { claimHistory } from '../../sync/subscriptions.js';
import { formatDuration, pluralize } from '../../core/human-format.js';
import { UsageError } from '../../core/errors.js';
import { statIfExists } from '../../core/files.js';
import { expandHome } from '../../core/home-folder.js';
import { printableLine } from '../../core/printable.js';
import { shellQuoted } from '../../core/shell-quoted.js';
import { subscribeTitles } from '../../sync/edit-subscriptions.js';
import { titleWebUrl } from '../../config/service-addresses.js';
import { SubscriptionList } from '../../sync/subscription-list.js';
import type { GivenOptions } from '../../config/options.js';
import type { CommandContext } from '../command-context.js';
import { warnTo } from '../output/error-message.js';
import { inputName, readInput } from '../read-input.js';
import { withService } from '../with-service.js';
import { syncAddFlags } from './next-sync.js';
import { chooseOutput, writeNextCommand } from './sync-add.js';
import { entryOf } from '../../sync/subscription-entry.js';

type Doubtful = Awaited<ReturnType<typeof findListedTitles>>['doubtful'];

const FOLLOWS = 'follows';
const FILE = { what: 'file', maxBytes: 256 * 2 ** 20, hint: KNOWN_FILES } as const;
/** What SQLite keeps beside a database that is open, or whose program was killed. */
const UNWRITTEN = ['-wal', '-journal'];
/** MangaDex's limit for all requests. */
const SEARCHES_PER_SECOND = 5;
/** Names of other sites that are printed; the others are counted. */
const MAX_NAMES = 20;

/**
 * @param source `follows`, the path of a file, or `-` for standard input. Titles that are subscribed to keep their
 * options. Throws UsageError before anything is written.
 */
export async function syncImport(
  source: string,
  { subscribedOutput, ...flags }: GivenOptions,
  context: CommandContext,
): Promise<undefined> {
  const { stdout, stderr, clock, settings } = context;
  const list = await SubscriptionList.readIfExists(flags.file, context);
  const { file } = list;
  const { defaults } = list.subscriptions;
  const imported =
    source === FOLLOWS
      ? {
          listed: [],
          chapterIds: [],
          otherSites: [],
          titles: await fetchFollows(flags.status, context),
        }
      : await readFile(source, context);
  const found = await findListed(imported.listed, flags.status, context);
  const titles = [...imported.titles, ...found.titles];
  const { chapterIds, otherSites } = imported;
  const needsOutput = titles.length > 0 && subscribedOutput === undefined && !flags.dryRun;
  const output = needsOutput ? await chooseOutput(defaults, context) : subscribedOutput;
  const written = entryOf({ ...flags, output }, clock.wallMs());
  const missing = missingTitles(titles, list);
  const entries = [...missing].map(([id, title]) => ({
    id,
    entry: { ...(title !== '' && { title }), ...written },
  }));
  const added = flags.dryRun ? [...missing.keys()] : await subscribeTitles(file, entries, context);
  for (const id of added) stdout.write(`${missing.get(id) ?? ''}  ${titleWebUrl(id)}\n`);
  if (!flags.dryRun) await addHistory(file, chapterIds, context);
  const summary = { titles: titles.length, otherSites, chapterIds, doubtful: found.doubtful };
  const options = { ...flags, subscribedOutput: output };
  for (const line of summaryLines(summary, added.length, options, list)) stderr.write(`${line}\n`);
  const hasLanguage = flags.language ?? defaults.language ?? settings.language;
  if (added.length > 0 && !hasLanguage)
    stderr.write('Languages: all (to choose, add to the defaults of the file: language: [en])\n');
  if (added.length > 0 && !flags.dryRun) writeNextCommand(flags.file, context);
}

async function readFile(source: string, context: CommandContext): Promise<ImportedFile> {
  const bytes = await readInput(source, FILE, context);
  for (const ending of UNWRITTEN)
    if (source !== '-' && ((await statIfExists(expandHome(source) + ending))?.size ?? 0) > 0)
      throw new UsageError(
        'bad-input-file',
        `Changes of the archive are not in it yet, but in: ${source}${ending}`,
        {
          hint: `Wait for gallery-dl to end. If it was killed, run: sqlite3 ${shellQuoted(source)} vacuum`,
        },
      );
  return readImportedFile(bytes, inputName(source), context.signal);
}

/** The names of the titles without a subscription, by id; of a title that was merged, by that of the other one. */
function missingTitles(
  titles: ImportedFile['titles'],
  list: SubscriptionList,
): ReadonlyMap<string, string> {
  const known = new Set(list.series.map(({ target }) => list.currentId(target.id)));
  const named = titles.map(({ id, name }) => [list.currentId(id), printableLine(name)] as const);
  return new Map(named.filter(([id]) => !known.has(id)));
}

async function addHistory(
  file: string,
  chapterIds: readonly string[],
  context: CommandContext,
): Promise<void> {
  if (chapterIds.length === 0) return;
  await claimHistory(file, context);
  const history = await openHistoryArchive(file, context);
  await history.add(chapterIds);
}

/** Finds the manga of a list of MyAnimeList by one request for each. */
async function findListed(
  listed: ImportedFile['listed'],
  statuses: readonly ReadingStatus[] | undefined,
  context: CommandContext,
) {
  const wanted = statuses
    ? listed.filter(({ status }) => status !== undefined && statuses.includes(status))
    : listed;
  if (wanted.length === 0) return { titles: [], doubtful: [] };
  const { signal, stderr } = context;
  const leastMs = Math.ceil(wanted.length / SEARCHES_PER_SECOND) * 1_000;
  stderr.write(
    `Searching MangaDex for ${pluralize(wanted.length, 'title')}; takes at least ${formatDuration(leastMs)}.\n`,
  );
  return withService(context, ({ anonymous: client }) =>
    findListedTitles(wanted, { client, warn: warnTo(stderr), signal }),
  );
}

function doubtLines(
  doubtful: Doubtful,
  options: GivenOptions,
  list: SubscriptionList,
): readonly string[] {
  const commandFor = (id: string) =>
    list.commandLine(['add', titleWebUrl(id), ...syncAddFlags(options)].join(' '));
  if (doubtful.length === 0) return [];
  return [
    `${pluralize(doubtful.length, 'title')} left out, since none on MangaDex names the id of MyAnimeList:`,
    ...doubtful.flatMap(({ name, malId, candidate }) => [
      `  ${printableLine(name)}  https://myanimelist.net/manga/${malId}`,
      ...(candidate === undefined ? [] : [`    of the same name: ${commandFor(candidate)}`]),
    ]),
  ];
}

interface ImportSummary extends Pick<ImportedFile, 'otherSites' | 'chapterIds'> {
  readonly titles: number;
  readonly doubtful: Doubtful;
}

function summaryLines(
  { titles, otherSites, chapterIds, doubtful }: ImportSummary,
  added: number,
  options: GivenOptions,
  list: SubscriptionList,
): readonly string[] {
  const { dryRun } = options;
  const would = dryRun ? ' would be' : '';
  const known = titles - added;
  const shown = otherSites.slice(0, MAX_NAMES).map((name) => `  ${printableLine(name)}`);
  const more = otherSites.length - shown.length;
  return [
    ...(otherSites.length > 0
      ? [
          `${pluralize(otherSites.length, 'favorite')} of other sites left out:`,
          ...shown,
          ...(more > 0 ? [`  and ${more} more`] : []),
        ]
      : []),
    ...(chapterIds.length > 0
      ? [`${pluralize(chapterIds.length, 'chapter')}${would} marked as downloaded.`]
      : []),
    ...doubtLines(doubtful, options, list),
    ...(titles > 0 || chapterIds.length === 0
      ? [
          `${pluralize(added, 'title')}${would} added` +
            (known === 0 ? '.' : `; ${known} ${known === 1 ? 'was' : 'were'} already subscribed.`),
        ]
      : []),
  ];
}

async function fetchFollows(
  statuses: readonly ReadingStatus[] | undefined,
  context: CommandContext,
) {
  const { signal, stderr } = context;
  return withService(context, async (service) => {
    const login = sessionOf(context, service);
    await requireLogin(login, 'import follows', signal);
    const client = service.createClient(login);
    const titles = await fetchFollowedTitles(client, { signal, warn: warnTo(stderr) });
    if (!statuses) return titles;
    const byTitle = await fetchReadingStatuses(client, signal);
    return titles.filter(({ id }) => statuses.some((status) => byTitle.get(id) === status));
  });
}
