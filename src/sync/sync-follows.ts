/**
 * The titles that the account follows: the reading statuses and the new part of the common feed are one request each.
 * All releases of a followed title are remembered, since a decision needs those of earlier runs too.
 */
import type { Chapter } from '../api/chapters.js';
import {
  fetchFollowedFeed,
  fetchFollowedSince,
  fetchFollowedTitles,
  fetchReadingStatuses,
} from '../api/follows.js';
import { groupBy } from '../core/group-by.js';
import { feedStartMs } from './due-titles.js';
import { incompleteTitle } from './sync-journal.js';
import { mergeReleases, readKnownReleases, writeKnownReleases } from './known-releases.js';
import { requireLogin } from '../download/stored-login.js';
import { timeBoundAt } from '../selection/time-bound.js';
import { languagesOf } from './sync-request.js';
import type { SubscribedTitle, SyncSession } from './sync-session.js';

/** Without the titles in `listed`, which the file names. Marks those with new releases in the state. */
export async function followedTitles(
  session: SyncSession,
  listed: ReadonlySet<string>,
): Promise<SubscribedTitle[]> {
  const { subscriptions, client, userSignal: signal, journal, context, options } = session;
  const { follows } = subscriptions;
  if (!follows) return [];
  const nowMs = context.clock.wallMs();
  const previous = journal.state.follows;
  await requireLogin(session.login, 'the key follows of the subscriptions file', signal);
  const statuses = await fetchReadingStatuses(client, signal);
  const isSelected = (id: string): boolean => {
    if (listed.has(id)) return false;
    const status = statuses.get(id);
    return !follows.statuses || (status !== undefined && follows.statuses.includes(status));
  };
  const languages = languagesOf(follows.options, context.settings);
  const byTitle = await readFeed(session, languages);
  const { ids, notFollowed } = await followedIds(session, byTitle, [...statuses.keys()]);
  const selectedIds = [...ids].filter(isSelected);
  const releases = await rememberReleases(session, selectedIds, byTitle);
  const sinceMs = previous ? previous.sinceMs : options.fromNow ? nowMs : undefined;
  // A title followed since the last run is added to them when its own feed has been read.
  const titleIds = previous?.titleIds ?? [...ids];
  journal.add({ follows: { lastSuccessMs: nowMs, sinceMs, titleIds, notFollowed } });
  const known = new Set(titleIds);
  return selectedIds.map((id) => ({
    id,
    options: { ...follows.options, ...(sinceMs !== undefined && { since: timeBoundAt(sinceMs) }) },
    follow: {
      releases: known.has(id)
        ? () => Promise.resolve(releases.get(id) ?? readKnownReleases(options.folder, id))
        : undefined,
    },
  }));
}

/** What became readable since the last run, or everything in the first one, by title. */
async function readFeed(
  { client, journal, warn, userSignal: signal }: SyncSession,
  languages: readonly string[],
): Promise<Map<string, Chapter[]>> {
  const options = { warn, signal, languages };
  const lastMs = journal.state.follows?.lastSuccessMs;
  const recent =
    lastMs === undefined
      ? undefined
      : await fetchFollowedSince(client, feedStartMs(lastMs), options);
  const chapters = recent ?? (await fetchFollowedFeed(client, options));
  const withTitle = chapters.filter(({ titleId }) => titleId !== undefined);
  return groupBy(withTitle, ({ titleId = '' }) => titleId);
}

/** Titles in the account's library are not necessarily followed: unknown ones are looked up, together. */
async function followedIds(
  { client, journal, warn, userSignal: signal }: SyncSession,
  byTitle: ReadonlyMap<string, unknown>,
  idsWithStatus: readonly string[],
) {
  const known = journal.state.follows;
  const ids = new Set([...(known?.titleIds ?? []), ...byTitle.keys()]);
  const notFollowed = new Set((known?.notFollowed ?? []).filter((id) => !ids.has(id)));
  const unknown = idsWithStatus.filter((id) => !ids.has(id) && !notFollowed.has(id));
  if (unknown.length > 0) {
    const titles = await fetchFollowedTitles(client, { warn, signal });
    const followed = new Set(titles.map(({ id }) => id));
    for (const id of unknown) (followed.has(id) ? ids : notFollowed).add(id);
  }
  return { ids, notFollowed: [...notFollowed] };
}

/** The releases of the titles with new ones, by title. */
async function rememberReleases(
  { journal, options: { folder, dryRun } }: SyncSession,
  titleIds: readonly string[],
  byTitle: ReadonlyMap<string, Chapter[]>,
): Promise<Map<string, Chapter[]>> {
  const changed = new Map<string, Chapter[]>();
  for (const id of titleIds) {
    const fresh = byTitle.get(id);
    if (!fresh) continue;
    const known = await readKnownReleases(folder, id);
    const stateOf = ({ id, version, isUnavailable }: Chapter) =>
      `${id} ${version} ${isUnavailable}`;
    const knownStates = new Set(known.map(stateOf));
    if (fresh.every((chapter) => knownStates.has(stateOf(chapter)))) continue;
    changed.set(id, mergeReleases(known, fresh));
  }
  // In this order, a run that is killed here finds the titles marked, or the releases new.
  journal.add(...[...changed.keys()].flatMap((id) => incompleteTitle(id, journal.state)));
  if (dryRun) return changed;
  for (const [id, chapters] of changed) await writeKnownReleases(folder, id, chapters);
  return changed;
}
