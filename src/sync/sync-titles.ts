/**
 * The subscribed titles of a run, and which of them have new chapters: one request for each list, one for each hundred
 * titles, also of groups, authors and the account. Never one request for each title.
 */
import { timeBoundAt } from '../config/time-bound.js';
import { fetchFollowedTitles, fetchReadingStatuses } from '../service/account.js';
import { ServiceRefusal } from '../service/client.js';
import { requireLogin } from '../service/login.js';
import { fetchOwnedTitles, fetchOwnerName, fetchList } from '../service/feeds.js';
import { fetchTitles, withChosenName, type Title } from '../service/titles.js';
import { readSeries } from '../library/file.js';
import { distinctNames } from '../plan/title-names.js';
import { AuthError, ChapterError, type TankobonError } from '../core/errors.js';
import { isTolerable } from '../selection/title-loader.js';
import { hasOldDescription } from './describe-titles.js';
import { dueTitles } from './due-titles.js';
import { findById } from './subscriptions/find-subscription.js';
import type { Subscription } from './subscriptions/subscriptions-schema.js';
import { isFolderAway } from './folders-away.js';
import type { Target } from '../selection/target.js';
import { followMerges, isRequested, titleEntries, warnOfSameTitles } from './merged-titles.js';
import { currentTitleId } from './history.js';
import { deviceOf, deviceText, isDeviceThere } from './device-books.js';
import { keepsUnread, readChapters, readText } from './read-markers.js';
import { rulesText } from './sync-request.js';
import { outputOf, syncCommandLine } from './subscriptions.js';
import type { DueTitle, SubscribedTitle, SyncSession } from './sync-session.js';

/** A title or a list that is not available. */
interface FailedTarget {
  /** The text in the file, `title:` and its id, or `follows`. */
  readonly target: string;
  readonly error: TankobonError;
}

/** Throws errors that concern the whole run. */
export async function checkTitles(session: SyncSession) {
  const failed: FailedTarget[] = [];
  const { titles: listed, loaded } = await subscribedTitles(session, failed);
  const { client, warn, userSignal: signal, journal, context } = session;
  const { state } = journal;
  const nowMs = context.clock.wallMs();
  const unknownIds = [...listed.keys()].filter((id) => !loaded.has(id));
  const found = await fetchTitles(client, unknownIds, { warn, signal });
  const known = new Map([...loaded, ...found.titles]);
  if (found.skipped === 0) await followMerges(listed, known, session);
  warnOfSameTitles(session);
  const followed = session.options.only
    ? []
    : await orFailed('follows', failed, () => followedTitles(session, listed, known));
  const titles = [...listed.values(), ...(followed ?? [])];
  for (const id of listed.keys()) {
    if (known.has(id) || found.skipped > 0) continue;
    failed.push({ target: `title:${id}`, error: titleNotFound(id, session) });
  }
  const named = titles.flatMap((subscribed): PlacedTitle[] => {
    const title = known.get(subscribed.id);
    if (!title) return [];
    const output = outputOf(subscribed.options, session.options.file, context.settings);
    return [{ ...subscribed, title: withChosenName(title, subscribed.options), output }];
  });
  // Also without news, so that each run says so.
  for (const output of new Set(named.map((each) => each.output)))
    await isFolderAway(output, session);
  const { news, routine } = dueTitles(
    named.map(({ id, options, title }) => ({
      id,
      latest: title.latestChapterId,
      rules: rulesText(options, context.settings),
      // Without a state the releases are read, which new subscriptions need too.
      state: session.options.redownload ? undefined : state.titles[id],
      isUnbound: state.unbound.has(id),
    })),
    // All titles that a person names are read, whether it is their turn or not.
    { nowMs, sinceMs: session.options.only ? nowMs : nowMs - (state.checkedAtMs ?? 0) },
  );
  // A run with `--only` checks its titles alone: all others keep their share.
  if (!session.options.only) journal.add({ checkedAtMs: nowMs });
  const present = named.filter(({ output }) => !session.foldersAway.has(output));
  const unread = present.filter((each) => keepsUnread(each, session)).map(({ id }) => id);
  const readIds =
    unread.length === 0
      ? new Set<string>()
      : await orFailed('keep-unread', failed, () => readChapters(unread, session));
  const changedMarkers = await withChangedMarkers(present, readIds, session);
  const behind = await behindOnDevice(present, session);
  const isDue = ({ id }: SubscribedTitle) =>
    news.has(id) || routine.has(id) || changedMarkers.has(id) || behind.has(id);
  // Which chapters to download is not known without the markers.
  const isUsable = (each: SubscribedTitle) => readIds !== undefined || !keepsUnread(each, session);
  const due = present.filter((each) => isDue(each) && isUsable(each));
  const toDescribe = present.filter((each) => hasOldDescription(each, isDue(each), session));
  const isNamed = due.length + toDescribe.length > 0;
  const labels = isNamed ? await twinNames(present, session) : new Map<string, string>();
  const withLabel = (subscribed: PlacedTitle): DueTitle => {
    const label = labels.get(subscribed.id) ?? subscribed.title.name;
    const read = keepsUnread(subscribed, session) ? readIds : undefined;
    return { ...subscribed, label, readIds: read };
  };
  return { titles, failed, due: due.map(withLabel), toDescribe: toDescribe.map(withLabel) };
}

/** What the account says; undefined, which is a failure, without a login that can be used: all other titles go on. */
async function orFailed<T>(
  target: string,
  failed: FailedTarget[],
  ask: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof AuthError) && !isTolerable(error)) throw error;
    failed.push({ target, error });
    return undefined;
  }
}

/**
 * The titles that the account follows, without those in `listed`, which the file names: one request per hundred, and one for
 * the reading statuses if these select. Adds the titles that the responses contained to `known`.
 */
async function followedTitles(
  session: SyncSession,
  listed: ReadonlyMap<string, SubscribedTitle>,
  known: Map<string, Title>,
): Promise<readonly SubscribedTitle[]> {
  const { client, login, warn, userSignal: signal, journal, context, options } = session;
  const { follows } = session.subscriptions;
  if (!follows) return [];
  await requireLogin(login, 'the key follows of the subscriptions file', signal);
  const { statuses, options: defaults } = follows;
  const statusOf = statuses && (await fetchReadingStatuses(client, signal));
  const titles = await fetchFollowedTitles(client, { warn, signal });
  const selected = titles.filter(({ id }) => {
    const status = statusOf?.get(id);
    return !listed.has(id) && (!statuses || (status !== undefined && statuses.includes(status)));
  });
  for (const title of selected) known.set(title.id, title);
  const { follows: previous } = journal.state;
  const nowMs = options.fromNow ? context.clock.wallMs() : undefined;
  // Also for titles that are followed later.
  const { sinceMs } = previous ?? { sinceMs: nowMs };
  if (!previous) journal.add({ follows: { sinceMs } });
  const since = sinceMs !== undefined && { since: timeBoundAt(sinceMs) };
  return selected.map(({ id }) => ({ id, isFollowed: true, options: { ...defaults, ...since } }));
}

type PlacedTitle = Omit<DueTitle, 'label' | 'readIds'>;

/** The ids of the titles of which the account has read other chapters than when they were read last. */
async function withChangedMarkers(
  titles: readonly PlacedTitle[],
  readIds: ReadonlySet<string> = new Set(),
  session: SyncSession,
): Promise<ReadonlySet<string>> {
  const changed = new Set<string>();
  if (readIds.size === 0) return changed;
  for (const each of titles.filter((title) => keepsUnread(title, session))) {
    const library = await session.libraries.open(each.output);
    const text = readText(each.id, library, readIds);
    if (text !== session.journal.state.titles[each.id]?.read) changed.add(each.id);
  }
  return changed;
}

/** The ids of the titles whose books on a device that is there now are not those of their files. */
async function behindOnDevice(
  titles: readonly PlacedTitle[],
  session: SyncSession,
): Promise<ReadonlySet<string>> {
  const behind = new Set<string>();
  for (const each of titles) {
    const device = deviceOf(each, session);
    if (!device || !(await isDeviceThere(device, session))) continue;
    const library = await session.libraries.open(each.output);
    const text = deviceText(each.id, device, each.options, library);
    if (text !== session.journal.state.titles[each.id]?.device) behind.add(each.id);
  }
  return behind;
}

/**
 * The titles of the file, by id, and what the responses about groups and authors contained. A title's own entry takes
 * precedence over one that stands for several titles.
 */
async function subscribedTitles(session: SyncSession, failed: FailedTarget[]) {
  const { subscriptions } = session;
  const loaded = new Map<string, Title>();
  const titles = new Map<string, SubscribedTitle>();
  const { state } = session.journal;
  const { only } = session.options;
  const entriesById = titleEntries(subscriptions.series, state);
  for (const [id, entries] of entriesById) {
    const [options] = entries;
    if (options && isRequested(entries, only, state)) titles.set(id, { id, options });
  }
  for (const entry of subscriptions.series) {
    const { target, text } = entry;
    if (target.kind === 'title' || entry.paused || !isRequested([entry], only, state)) continue;
    const options = target.kind === 'group' ? { ...entry, onlyGroup: target.id } : entry;
    try {
      for (const titleId of await titlesOf(target, loaded, session)) {
        const id = currentTitleId(titleId, state);
        if (!titles.has(id)) titles.set(id, { id, options });
      }
    } catch (error) {
      if (!isTolerable(error)) throw error;
      const isNotFound = error instanceof ServiceRefusal && error.status === 404;
      failed.push({ target: text, error: isNotFound ? notFound(entry, session) : error });
    }
  }
  // A paused title is not downloaded as part of a list either.
  for (const [id, [entry]] of entriesById) if (entry?.paused) titles.delete(id);
  return { titles, loaded };
}

/** A title of a list has no entry that could be removed. */
function titleNotFound(id: string, session: SyncSession): TankobonError {
  const { subscriptions, journal, options, context } = session;
  const command = (words: string) => syncCommandLine(words, options.file, context);
  const hasEntry = findById(id, subscriptions.series, journal.state) !== undefined;
  const remedy = hasEntry
    ? `end the subscription: ${command(`remove title:${id}`)}`
    : `remove it from the list that has it, or add an entry for title:${id} with paused: true: ${command('edit')}`;
  const hint = `If MangaDex deleted it, ${remedy}`;
  return new ChapterError('title-not-found', `Title not found: ${id}`, { hint });
}

const NOT_FOUND: Partial<Record<Target['kind'], string>> = {
  group: 'Group not found',
  author: 'Author not found',
};

/** A list, a group or an author that is not available. */
function notFound(
  { target: { kind, id }, text }: Subscription,
  { options, context }: SyncSession,
): TankobonError {
  const what = NOT_FOUND[kind] ?? 'List not found, or private';
  const command = syncCommandLine(`remove ${text}`, options.file, context);
  const hint = `If it was deleted, end the subscription: ${command}`;
  return new ChapterError('title-not-found', `${what}: ${id}`, { hint });
}

/** The ids of the titles that a list, a group or an author stands for. */
export async function titlesOf(
  { kind, id }: Target,
  loaded: Map<string, Title>,
  { client, warn, userSignal: signal }: Pick<SyncSession, 'client' | 'warn' | 'userSignal'>,
): Promise<readonly string[]> {
  if (kind !== 'group' && kind !== 'author') return (await fetchList(client, id, signal)).titleIds;
  const titles = await fetchOwnedTitles(client, kind, id, { warn, signal });
  // The response is empty for an unknown one too.
  if (titles.length === 0) await fetchOwnerName(client, kind, id, signal);
  for (const title of titles) loaded.set(title.id, title);
  return titles.map((title) => title.id);
}

/**
 * By id, the names in messages of titles whose name another one has: those of their folders. Reads one file of each, and
 * sends nothing.
 */
async function twinNames(
  subscribed: readonly PlacedTitle[],
  session: SyncSession,
): Promise<ReadonlyMap<string, string>> {
  const titles = subscribed.map(({ id, title, output }) => ({ ...title, id, output }));
  return distinctNames(titles, async ({ id, output }) => {
    const [first] = (await session.libraries.open(output)).ofTitle(id);
    return first && readSeries(first.file);
  });
}
